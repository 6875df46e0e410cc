package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.core.FunnelAudit;
import io.georep.model.Slice;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node that is no member takes everything from the tail. What it says to have must be on its disk, for it may join by that. */
class FunnelLearnerTest {
    private static final int KEYS = 30;
    private static final long SYNC = 400 * World.MILLIS;

    private final SimulatedCluster cluster = FunnelWing.cluster(4, FunnelShape.of(3, 1));
    private final FunnelWing maps = cluster.wing(FunnelWing.class);
    private final SimulatedNode learner = cluster.node(4);

    private long durable() {
        return IntStream.range(0, KEYS)
                .mapToObj(i -> FunnelAudit.place(FunnelJudge.key("k" + i)))
                .filter(place ->
                        learner.disk().surviving(place, place).findAny().isPresent())
                .count();
    }

    private boolean isMember() {
        return maps.master().view().members().contains(learner.id());
    }

    @Test
    void whatItSaysToHaveIsOnItsDiskHoweverSlowThatIs() {
        for (int i = 1; i <= 3; i++) {
            cluster.node(i).start();
        }
        cluster.pass(4);
        for (int i = 0; i < KEYS; i++) {
            assertThat(maps.put(1, "k" + i, "<" + i + ">").isOver).isTrue();
        }
        learner.disk().speed(new SimulatedDisk.Speed(SYNC, SYNC, SYNC));
        learner.start();

        cluster.world().runUntil(() -> FunnelAudit.isReady(maps.master().ledger(), learner.id()), 20 * World.SECONDS);
        assertThat(FunnelAudit.isReady(maps.master().ledger(), learner.id())).isTrue();
        assertThat(durable()).as("when it says that it has everything").isEqualTo(KEYS);

        cluster.world().runUntil(this::isMember, 20 * World.SECONDS);
        learner.crash();
        assertThat(durable()).as("when it dies as a member").isEqualTo(KEYS);
        learner.start();
        learner.disk().mend();
        cluster.pass(8);
        assertThat(maps.put(4, "k0", "<new>").isOver).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }

    /** One that was a member, and was taken out while it was away, takes no part in what is committed since. */
    @Test
    void oneThatWasTakenOutOwesNothingOfWhatIsCommittedSince() {
        cluster.start().world().runUntil(this::isMember, 20 * World.SECONDS);
        assertThat(isMember()).isTrue();
        assertThat(maps.put(1, "k0", "<old>").isOver).isTrue();
        learner.pause();
        cluster.world().runUntil(() -> !isMember(), 20 * World.SECONDS);
        assertThat(isMember()).isFalse();

        for (int i = 0; i < KEYS; i++) {
            assertThat(maps.put(1, "k" + i, "<" + i + ">").isOver).isTrue();
        }
        cluster.node(4).resume();
        cluster.world().runUntil(this::isMember, 20 * World.SECONDS);
        assertThat(durable()).as("when it is a member again").isEqualTo(KEYS);
        for (SimulatedNode each : cluster.nodes()) {
            each.crash();
        }
        cluster.startAll();
        cluster.pass(8);
        maps.judge().settled();
        Slice first = maps.machine(learner).mirror().values.get(FunnelJudge.key("k0"));
        assertThat(first).as("after a power cut").isNotNull();
    }
}
