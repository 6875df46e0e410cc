package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of GeoPaxos+ when something fails. */
class GeoPaxosFailuresTest extends GeoPaxosNodes {
    /** A lease has to end, and an election follows. */
    @Test
    void whenALeaderDiesItsGroupStandsStillForAboutALease() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).crash();
        long died = cluster.world().now();
        result(submit(2, 7, 2, put("k", "<new>")));
        assertThat(cluster.world().now() - died).isLessThan(3 * World.SECONDS);
        assertThat(read(3, "k")).isEqualTo("<new>");
    }

    private void othersGoOn() {
        cluster.pass(1);
        result(submit(2, 7, 2, put("k", "<two>")));
        result(submit(3, 7, 3, put("k", "<three>")));
        assertThat(read(2, "k")).isEqualTo("<three>");
    }

    @Test
    void aFullDiskOfTheLeaderHoldsUpNobodyElse() {
        result(submit(1, 7, 1, put("k", "<one>")));
        cluster.node(1).disk().full(true);
        othersGoOn();
        cluster.node(1).disk().full(false);
        assertThat(read(1, "k")).isEqualTo("<three>");
        restart(1, null, false);
        cluster.pass(5);
        assertThat(read(1, "k")).isEqualTo("<three>");
        statesAreEqual();
    }

    @Test
    void aDiskOfTheLeaderThatHangsHoldsUpNobodyElse() {
        result(submit(1, 7, 1, put("k", "<one>")));
        cluster.node(1).disk().hang(true, true);
        othersGoOn();
        cluster.node(1).disk().hang(false, false);
        assertThat(read(1, "k")).isEqualTo("<three>");
        cluster.pass(5);
        statesAreEqual();
    }

    /** Also over restarts: what it ordered meanwhile is not taken for later than what it orders afterwards. */
    @Test
    void aWallClockThatWasYearsAheadHarmsNothing() {
        result(submit(2, 7, 1, put("k", "<one>")));
        long years = 3L * 365 * 86_400_000;
        cluster.node(2).clock().step(years);
        restart(2, null, false);
        cluster.pass(2);
        result(submit(2, 7, 2, put("k", "<two>")));
        cluster.node(2).clock().step(-years);
        restart(2, null, false);
        cluster.pass(2);
        result(submit(2, 7, 3, put("k", "<three>")));
        assertThat(read(2, "k")).isEqualTo("<three>");
        cluster.pass(1);
        statesAreEqual();
    }

    /** Nobody tells it what became of its writes, and it has to say so: what is not answered takes the room of other calls. */
    @Test
    void whatANodeThatIsLeftBehindHasAskedIsNotKnown() {
        result(submit(1, 0, 0, put("k", "<v>")));
        cluster.pass(2).cut(1, 3).cut(2, 3);
        result(submit(1, 0, 0, put("k", "<w>")));
        cluster.node(2).crash();
        String unnumbered = submit(1, 0, 0, put("k", "<x>"));
        String numbered = submit(1, 7, 1, put("k", "<y>"));
        cluster.pass(30);
        assertThat(GeoAudit.open(at(1))).as("nobody else is there").isEqualTo(2);

        List<NodeId> lost = List.of(NodeId.of("n1"), NodeId.of("n2"));
        command(3, new GeoCommand.Restore(token(), 0, lost, List.of(NodeId.of("n3")), false));
        cluster.world().runUntil(() -> GeoAudit.leads(at(3), 0), 60 * World.SECONDS);
        cluster.join().pass(20);

        assertThat(guest.told).anyMatch(GeoEvent.LeftBehind.class::isInstance);
        assertThat(answers(unnumbered))
                .singleElement()
                .satisfies(answer -> assertThat(answer.result()).isNull());
        assertThat(answers(numbered))
                .singleElement()
                .satisfies(answer -> assertThat(answer.result()).isNull());
        assertThat(GeoAudit.open(at(1))).isZero();
    }
}
