package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fourth and a fifth node have no part in the groups: the others make their calls. */
class GeoPaxosRemoteCallsTest extends GeoPaxosNodes {
    private static final int OUTSIDER = 4;

    @Override
    int nodes() {
        return 5;
    }

    private static Slice absent(String key, String value) {
        return MapOperation.encode(new MapOperation.Put(new MapEntry(bytes(key), bytes(value), 0), Guard.ABSENT));
    }

    private void refusedAtLast(String token, GeoEvent.Reason reason) {
        assertThat(guest.told)
                .filteredOn(event ->
                        event instanceof GeoEvent.Refused it && it.token().equals(token) && it.reason() == reason)
                .hasSize(1);
    }

    /** The node that got the call of the outsider. */
    private NodeId contact() {
        List<NodeId> asked = new ArrayList<>();
        sees = (to, type) -> {
            if (type == GeoAudit.CALL) {
                asked.add(to);
            }
        };
        read(OUTSIDER, "k");
        sees = (to, type) -> {};
        assertThat(asked).isNotEmpty();
        return asked.get(0);
    }

    @Test
    void aNodeWithoutPartReadsAndWritesAndHoldsNothing() {
        assertThat(result(submit(OUTSIDER, 0, 0, absent("k", "<v>")))).isEqualTo(new MapResult.Written(true, null));
        assertThat(result(submit(OUTSIDER, 7, 1, absent("k", "<w>"))))
                .isEqualTo(new MapResult.Written(false, bytes("<v>")));
        assertThat(read(OUTSIDER, "k")).isEqualTo("<v>");
        assertThat(read(2, "k")).isEqualTo("<v>");

        assertThat(GeoAudit.entries(at(1))).isEqualTo(1);
        assertThat(GeoAudit.entries(at(OUTSIDER))).isZero();
    }

    /** It hears nothing more of what it has asked the groups for. Others make its calls from then on, also those. */
    @Test
    void whatANodeHasAskedBeforeItLosesItsPartIsAskedOfOthersOrNotKnown() {
        NodeId outsider = NodeId.of("n" + OUTSIDER);
        command(1, new GeoCommand.Change(token(), null, outsider, false));
        result(submit(1, 0, 0, put("k", "<v>")));
        cluster.world().runUntil(() -> GeoAudit.entries(at(OUTSIDER)) > 0, 60 * World.SECONDS);
        assertThat(GeoAudit.entries(at(OUTSIDER))).as("it has a part").isPositive();
        for (int node = 1; node <= 3; node++) {
            cluster.way(OUTSIDER, node).clog(); // nothing leaves it, and it hears all
        }
        String unnumbered = submit(OUTSIDER, 0, 0, put("k", "<w>"));
        String numbered = submit(OUTSIDER, 7, 1, absent("x", "<x>"));
        String behind = submit(OUTSIDER, 7, 2, absent("x", "<y>"));
        String read = command(OUTSIDER, new GeoCommand.Read(token(), get("k")));
        String give = command(OUTSIDER, new GeoCommand.Give(token(), new long[] {FIRST_LEAF}, 0b001, 0b010));
        command(1, new GeoCommand.Change(token(), outsider, null, false));

        cluster.world().runUntil(() -> isAnswered(unnumbered), 60 * World.SECONDS);
        assertThat(answers(unnumbered))
                .singleElement()
                .satisfies(answer -> assertThat(answer.result()).isNull());
        refusedAtLast(give, GeoEvent.Reason.NO_PART);
        cluster.join();
        assertThat(result(numbered)).isEqualTo(new MapResult.Written(true, null));
        assertThat(result(behind)).isEqualTo(new MapResult.Written(false, bytes("<x>")));
        assertThat(((MapResult.Value) result(read)).value()).isIn(bytes("<v>"), bytes("<w>"));
        assertThat(GeoAudit.open(at(OUTSIDER))).isZero();
    }

    @Test
    void aNumberedWriteTakesEffectOnceThoughTheNodeThatMakesItDies() {
        int contact = Integer.parseInt(contact().value().substring(1));
        String token = submit(OUTSIDER, 7, 1, absent("k", "<v>"));
        cluster.world().runUntil(() -> GeoAudit.entries(at(contact)) > 0, 20 * World.SECONDS);
        cluster.node(contact).crash(); // it may have answered, or not

        assertThat(result(token)).isEqualTo(new MapResult.Written(true, null));
        assertThat(result(submit(OUTSIDER, 7, 1, absent("k", "<v>")))).isEqualTo(new MapResult.Written(true, null));
        assertThat(read(OUTSIDER, "k")).isEqualTo("<v>");
    }

    @Test
    void whatBecameOfAWriteWithoutANumberIsNotKnownIfTheNodeThatMakesItDies() {
        int contact = Integer.parseInt(contact().value().substring(1));
        String token = submit(OUTSIDER, 0, 0, put("k", "<v>"));
        cluster.world().runUntil(() -> GeoAudit.open(at(contact)) > 0, 20 * World.SECONDS);
        cluster.node(contact).crash();

        cluster.world().runUntil(() -> isAnswered(token), 20 * World.SECONDS);
        assertThat(answers(token))
                .singleElement()
                .satisfies(answer -> assertThat(answer.result()).isNull());
        cluster.node(contact).start();
        String again = submit(OUTSIDER, 0, 0, put("k", "<w>"));
        result(again);
        assertThat(read(OUTSIDER, "k")).isEqualTo("<w>");
    }

    /** The first one is lost on its way, and the second one is made by another node. */
    @Test
    void theOrderOfAClientsCallsIsKeptThoughOthersMakeThem() {
        assertThat(contact()).isEqualTo(NodeId.of("n1"));
        sees = (to, type) -> {
            if (type == GeoAudit.CALL && to.equals(NodeId.of("n1"))) {
                cluster.node(1).crash();
            }
        };
        String first = submit(OUTSIDER, 7, 1, put("k", "<1>"));
        cluster.world().runUntil(() -> !cluster.node(1).isRunning(), 20 * World.SECONDS);
        sees = (to, type) -> {};
        cluster.pass(2);
        String second = submit(OUTSIDER, 7, 2, put("k", "<2>"));
        cluster.world().runUntil(() -> isAnswered(first) && isAnswered(second), 60 * World.SECONDS);

        assertThat(read(2, "k")).isEqualTo("<2>");
    }

    @Test
    void aReadIsAskedOfAnotherNodeIfTheNearestIsGone() {
        result(submit(OUTSIDER, 0, 0, put("k", "<v>")));
        int contact = Integer.parseInt(contact().value().substring(1));
        String token = command(OUTSIDER, new GeoCommand.Read(token(), get("k")));
        cluster.node(contact).crash();

        assertThat(((MapResult.Value) result(token)).value()).isEqualTo(bytes("<v>"));
    }

    @Test
    void withoutAnyNodeThatHasAPartCallsAreRefusedAtOnce() {
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).crash();
        }
        cluster.pass(10);
        String token = submit(OUTSIDER, 7, 1, put("k", "<v>"));
        cluster.pass(2);

        refusedAtLast(token, GeoEvent.Reason.NO_PART);
        assertThat(GeoAudit.open(at(OUTSIDER))).isZero();
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).start();
        }
        cluster.world().runUntil(() -> GeoAudit.leads(at(1), 0), 60 * World.SECONDS);
        result(submit(OUTSIDER, 7, 1, put("k", "<v>")));
        assertThat(read(OUTSIDER, "k")).isEqualTo("<v>");
    }

    /** Else the answer to a call of the boot before would be taken for that to a call of this one. */
    @Test
    void numbersOfAnEarlierBootAreNoNumbersOfThisOne() {
        assertThat(contact()).isEqualTo(NodeId.of("n1"));
        cluster.node(2).crash();
        cluster.node(3).crash();
        submit(OUTSIDER, 0, 0, put("k", "<earlier>"));
        cluster.world().runUntil(() -> GeoAudit.open(at(1)) > 0, 20 * World.SECONDS);
        restart(OUTSIDER, null, false);
        cluster.world().runUntil(() -> cluster.node(OUTSIDER).isListening(), 60 * World.SECONDS);
        cluster.pass(4);

        String token = submit(OUTSIDER, 7, 1, absent("x", "<v>"));
        cluster.world().runUntil(() -> GeoAudit.open(at(1)) > 1, 20 * World.SECONDS);
        cluster.node(2).start();
        cluster.node(3).start();

        assertThat(result(token)).isEqualTo(new MapResult.Written(true, null));
        assertThat(read(1, "x")).isEqualTo("<v>");
    }

    /** It may have taken effect before the node that makes the calls died, and must not take effect again. */
    @Test
    void aWriteWithoutANumberIsNotMadeAgainByALaterBoot() {
        int contact = Integer.parseInt(contact().value().substring(1));
        String token = submit(OUTSIDER, 0, 0, absent("k", "<v>"));
        cluster.world().runUntil(() -> GeoAudit.open(at(contact)) > 0, 20 * World.SECONDS);
        restart(contact, null, false);

        cluster.world().runUntil(() -> isAnswered(token), 60 * World.SECONDS);
        assertThat(answers(token))
                .singleElement()
                .satisfies(answer -> assertThat(answer.result()).isNull());
    }

    @Test
    void whatIsNoOperationIsRefusedWhereItIsCalled() {
        refused(submit(OUTSIDER, 7, 1, bytes("nonsense")), "");
        assertThat(GeoAudit.open(at(OUTSIDER))).isZero();
    }
}
