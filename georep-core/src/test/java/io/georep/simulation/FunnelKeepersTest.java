package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.linear.Operation.Kind;
import io.georep.model.NodeId;
import org.junit.jupiter.api.Test;

/** Maps whose views are kept by their own nodes. */
class FunnelKeepersTest {
    private static final int FIXED_RUNS = 200;
    private static final int FRESH_RUNS = 50;

    private final SimulatedCluster cluster =
            FunnelWing.cluster(3, FunnelShape.of(3, 1).keepers(3)).start();
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    private int leader() {
        cluster.world().runUntil(() -> ledBy() > 0, 20 * World.SECONDS);
        return ledBy();
    }

    private int ledBy() {
        for (int node = 1; node <= 3; node++) {
            if (cluster.node(node).isListening() && FunnelAudit.leads(FunnelWing.protocol(cluster.node(node)))) {
                return node;
            }
        }
        return 0;
    }

    /** Returns after how many nanoseconds a write was committed at a node. */
    private long writeAt(int node, String value) {
        long from = cluster.world().now();
        FunnelCall put = new FunnelCall(Kind.PUT, "k", value, null);
        maps.judge().attempt(put, cluster.node(node));
        cluster.world().runUntil(() -> put.isOver, 20 * World.SECONDS);
        assertThat(put.isOver).isTrue();
        return cluster.world().now() - from;
    }

    /** So many entries come into the log. */
    private void entries(int count) {
        NodeId stranger = NodeId.of("x");
        for (int entry = 0; entry < count; entry++) {
            maps.master().ask(FunnelAudit.emptied(maps.master().ledger(), stranger), grant -> {});
            cluster.world().runUntil(() -> false, 100 * World.MILLIS);
        }
    }

    @Test
    void theFirstViewIsMadeAndNothingIsStoredWhileNothingChanges() {
        assertThat(maps.put(2, "k", "<v>").isOver).isTrue();
        int before = maps.master().entries();
        cluster.pass(10);
        assertThat(maps.master().entries()).isEqualTo(before);
        assertThat(maps.serves(1)).isTrue();
        maps.judge().settled();
    }

    @Test
    void readsGoOnWhenTheLeaderDies() {
        int dead = leader();
        cluster.node(dead).crash();
        long died = cluster.world().now();

        assertThat(leader()).isNotZero();
        assertThat(cluster.world().now() - died).as("an election").isLessThan(FunnelShape.LEASE);
        boolean isOver = false;
        for (int step = 0; !isOver; step++) {
            assertThat(step).isLessThan(500);
            assertThat(maps.serves(1 + dead % 3))
                    .as("a lease, %d0 ms after", step)
                    .isTrue();
            isOver = cluster.world()
                    .runUntil(() -> maps.master().view().members().size() == 2, 10 * World.MILLIS);
        }
        assertThat(writeAt(1 + dead % 3, "<without>")).isLessThan(FunnelShape.LEASE);
        cluster.node(dead).start();
        cluster.pass(5);
        assertThat(maps.master().view().members()).hasSize(3);
        maps.judge().settled();
    }

    /** Each once, also the one that leads: it hands the lead over. The control is the death of a leader. */
    @Test
    void atEachStepOfARollingRestartNobodyWaitsForALease() {
        int first = leader();
        for (int step = 0; step < 3; step++) {
            int node = 1 + (first - 1 + step) % 3;
            long from = cluster.world().now();
            cluster.node(node).command(FunnelProtocol.CHANNEL, new FunnelCommand.Leave());
            cluster.pass(1);
            assertThat(ledBy()).as("the lead is not with n%d", node).isNotIn(0, node);
            cluster.node(node).stop();
            assertThat(writeAt(1 + node % 3, "<without " + node + ">"))
                    .as("without n%d", node)
                    .isLessThan(FunnelShape.LEASE * 3 / 10);
            assertThat(maps.master().view().members()).hasSize(2);
            assertThat(cluster.world().now() - from).isLessThan(2 * FunnelShape.LEASE);
            cluster.node(node).start();
            cluster.pass(5);
            assertThat(maps.master().view().members()).hasSize(3);
        }
        int dead = leader();
        cluster.node(dead).crash();
        assertThat(writeAt(1 + dead % 3, "<without>")).isGreaterThan(FunnelShape.LEASE / 2);
        cluster.node(dead).start();
        cluster.pass(5);
        maps.judge().settled();
    }

    /** The machine of the leader stands still, and with it its monotonic clock, while the others go on without it. */
    @Test
    void aLeaderThatWasSuspendedGrantsNothing() {
        int old = leader();
        cluster.node(old).suspend(false);
        cluster.pass(6);
        assertThat(maps.master().view().members()).hasSize(2);
        assertThat(writeAt(1 + old % 3, "<meanwhile>")).isLessThan(FunnelShape.LEASE);
        cluster.node(old).resume();
        for (int millis = 0; millis < 100; millis++) {
            cluster.world().runUntil(() -> false, World.MILLIS);
            assertThat(maps.serves(old)).as("reads %d ms after", millis).isFalse();
        }
        cluster.pass(5);
        maps.judge().settled();
    }

    @Test
    void aKeeperThatLostItsStoreGetsANewSeat() {
        assertThat(maps.put(2, "k", "<v>").isOver).isTrue();
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).crash();
            cluster.replaceStore(cluster.node(node), null);
            cluster.node(node).start();
            cluster.pass(6);
            assertThat(maps.master().mayLose(cluster.node(node)))
                    .as("n%d has a seat", node)
                    .isTrue();
            assertThat(maps.master().view().members()).hasSize(3);
        }
        assertThat(maps.read(1, "k").isOver).isTrue();
        maps.judge().settled();
    }

    @Test
    void aKeeperThatWasAwayForLongGetsTheState() {
        int away = 1 + leader() % 3;
        cluster.node(away).crash();
        entries(300);
        assertThat(maps.master().entries()).isGreaterThan(300);

        cluster.node(away).start();
        cluster.pass(5);
        FunnelProtocol back = FunnelWing.protocol(cluster.node(away));
        assertThat(FunnelAudit.base(back)).isGreaterThan(250);
        assertThat(FunnelAudit.decided(back)).isEqualTo(maps.master().entries());
        assertThat(FunnelAudit.ledger(back).encode())
                .isEqualTo(maps.master().ledger().encode());
        cluster.node(leader()).crash();
        cluster.pass(5);
        assertThat(maps.master().view().members()).hasSize(2);
    }

    /** An older store does not know all that it promised, and it has the number of the one that does. */
    @Test
    void aKeeperWithAnOlderStoreGetsANewSeat() {
        cluster.pass(1);
        SimulatedDisk.Image image = cluster.node(2).disk().image();
        cluster.node(2).crash();
        cluster.node(2).start();
        cluster.pass(5);
        long before = FunnelAudit.seat(FunnelWing.protocol(cluster.node(2)));
        cluster.node(2).crash();
        cluster.replaceStore(cluster.node(2), image);
        cluster.node(2).start();
        cluster.pass(5);
        assertThat(FunnelAudit.seat(FunnelWing.protocol(cluster.node(2)))).isNotEqualTo(before);
        assertThat(maps.master().mayLose(cluster.node(2))).isTrue();
        // What it then stores must be read by the next boot as what it is.
        cluster.node(2).crash();
        cluster.node(2).start();
        cluster.pass(5);
        FunnelProtocol again = FunnelWing.protocol(cluster.node(2));
        assertThat(FunnelAudit.decided(again)).isEqualTo(maps.master().entries());
        for (int node = 1; node <= 3; node++) {
            FunnelProtocol other = FunnelWing.protocol(cluster.node(node));
            assertThat(FunnelAudit.ledger(other).encode())
                    .isEqualTo(FunnelAudit.ledger(again).encode());
        }
        assertThat(maps.master().mayLose(cluster.node(2))).isTrue();
        maps.judge().settled();
    }

    /** What it has decided with the one that is dead now, an image of its disk would not tell. An empty one has no vote. */
    @Test
    void aKeeperThatIsStartedEmptyDecidesNothingWithOneThatWasAway() {
        assertThat(maps.put(1, "k", "<old>").isOver).isTrue();
        cluster.node(3).crash();
        cluster.world().runUntil(() -> maps.master().view().members().size() == 2, 20 * World.SECONDS);
        assertThat(maps.put(1, "k", "<new>").isOver).isTrue();

        cluster.node(1).crash();
        cluster.node(2).crash();
        cluster.replaceStore(cluster.node(2), null);
        cluster.node(2).start();
        cluster.node(3).start();
        cluster.pass(10);
        assertThat(ledBy()).isZero();
        assertThat(maps.serves(2) || maps.serves(3)).isFalse();

        cluster.node(1).start();
        cluster.pass(20);
        assertThat(ledBy()).isPositive();
        assertThat(maps.read(3, "k").isOver).isTrue();
        maps.judge().settled();
    }

    /** Nobody else knows what was decided since. What the others have keeps it from making an empty map. */
    @Test
    void aLoneKeeperWithAnOlderStoreMakesNoViewByItself() {
        SimulatedCluster three =
                FunnelWing.cluster(3, FunnelShape.of(3, 1).keepers(1)).start();
        three.pass(1);
        SimulatedDisk.Image image = three.node(1).disk().image();
        three.node(1).crash();
        three.node(1).start();
        three.pass(5);
        three.node(1).crash();
        three.replaceStore(three.node(1), image);
        three.node(1).start();
        three.pass(10);
        FunnelMaster master = three.wing(FunnelWing.class).master();
        assertThat(master.view()).isNull();
        assertThat(master.trouble()).contains("order that the view is restored");
    }

    /** The others have lost what they had decided, and the third one cannot decide alone. Its store has all that was committed. */
    @Test
    void anOrderRestoresTheViewWhenTooManyKeepersLostTheirStores() {
        assertThat(maps.put(2, "k", "<kept>").isOver).isTrue();
        entries(100);
        SimulatedDisk.Image before = cluster.node(3).disk().image();
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).crash();
        }
        cluster.replaceStore(cluster.node(1), null);
        cluster.replaceStore(cluster.node(2), null);
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).start();
        }
        cluster.pass(10);
        assertThat(ledBy()).as("a group without votes").isZero();
        maps.master().restore(true);
        cluster.pass(1);
        assertThat(maps.master().restore(false).refusal())
                .contains("knows no leader")
                .contains("forget");
        for (int tries = 0;
                tries < 10 && (ledBy() == 0 || maps.master().ledger().view() == null);
                tries++) {
            cluster.pass(3);
            maps.master().restore(false);
        }
        cluster.pass(5);
        for (int node = 1; node <= 3; node++) {
            assertThat(maps.serves(node)).isTrue();
            assertThat(maps.read(node, "k").isOver).isTrue();
        }
        assertThat(maps.put(1, "k", "<new>").isOver).isTrue();
        cluster.pass(1);

        // What was decided before the order is not told by an older store that comes back.
        long view = maps.master().view().number();
        cluster.node(3).crash();
        cluster.replaceStore(cluster.node(3), before);
        cluster.node(3).start();
        cluster.pass(5);
        int dead = leader();
        assertThat(FunnelAudit.decided(FunnelWing.protocol(cluster.node(3))))
                .isEqualTo(FunnelAudit.decided(FunnelWing.protocol(cluster.node(dead))));
        cluster.node(dead).crash();
        cluster.pass(5);
        int next = leader();
        assertThat(FunnelAudit.ledger(FunnelWing.protocol(cluster.node(next))).number())
                .isGreaterThan(view);
        assertThat(maps.put(next, "k", "<newer>").isOver).isTrue();
        cluster.node(dead).start();
        cluster.pass(5);
        maps.judge().settled();
    }

    /** Trouble of all kinds, with elections as they are. */
    @Test
    void fixedSeedsKeepAllPromises() {
        for (long seed = 1; seed <= FIXED_RUNS; seed++) {
            Simulation.run(Swarm.swarm(Swarm.KEPT_MAPS + seed));
        }
    }

    /** Other ones with each change of the sources. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long first = Swarm.KEPT_MAPS + SimulationTest.sourceHash() * 1000;
        for (long seed = first; seed < first + FRESH_RUNS; seed++) {
            Simulation.run(Swarm.swarm(seed));
        }
    }
}
