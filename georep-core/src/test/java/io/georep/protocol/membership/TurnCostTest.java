package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.drained;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a turn costs membership does not depend on how many nodes there are, nor on how many names of dead ones are kept. */
@Tag("alone")
class TurnCostTest {
    private static final int WARM_UP = 200;
    private static final int MEASURED = 200;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final MembershipFixture node = hardened();
    private final List<NodeIdentity> there = new ArrayList<>();

    /**
     * What turns cost.
     *
     * @param medianNanos processor time of the one in the middle
     * @param bytes that all of them together allocated
     */
    private record Cost(long medianNanos, long bytes) {
        void assertLike(Cost few, String what) {
            String both = what + ": with few nodes " + few + ", with many " + this;
            assertThat(bytes).as("bytes allocated for " + both).isLessThan(few.bytes * 3 / 2);
            assertThat(medianNanos).as("processor time of " + both).isLessThan(few.medianNanos * 5 + 20_000);
        }
    }

    private interface Action {
        void run(int turn);
    }

    private Cost turns(Action action) {
        long[] nanos = new long[MEASURED];
        long bytes = 0;
        for (int turn = -WARM_UP; turn < MEASURED; turn++) {
            node.turn.forget();
            node.turn.completeStore();
            long bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
            long nanosBefore = THREADS.getCurrentThreadCpuTime();
            action.run(turn + WARM_UP);
            if (turn >= 0) {
                nanos[turn] = THREADS.getCurrentThreadCpuTime() - nanosBefore;
                bytes += THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
            }
        }
        Arrays.sort(nanos);
        return new Cost(nanos[MEASURED / 2], bytes);
    }

    private void populate(int live, int dead) {
        // A node looks at all names as long as its cluster is not settled.
        OwnNode settled = new OwnNode(identity(MembershipFixture.A), null, Timing.of(node.config));
        settled.cluster = 7;
        settled.settled = true;
        StoredMembership.writeCluster(settled, node.turn.store());
        node.turn.completeStore();
        node.boot();
        for (int i = 0; i < live; i++) {
            NodeIdentity peer = identity(NodeId.of("live-" + i), 1, "10.0.0.1:" + (i + 1), i + 1);
            there.add(peer);
            node.node.linkUp(peer, node.turn);
            node.frame(peer);
        }
        List<PeerEntry> names = new ArrayList<>();
        for (int i = 0; i < dead; i++) {
            names.add(entry(identity(NodeId.of("dead-" + i), 1, "10.0.0.2:" + (i + 1), i + 1)));
        }
        node.list(there.get(0), names.toArray(PeerEntry[]::new));
        node.settle();
    }

    /** Frames, and rumours, in turns of their own. Heartbeats are one per peer, however they fall into turns. */
    private List<Cost> costs(int live, int dead) {
        populate(live, dead);
        Cost frames = turns(turn -> node.frame(there.get(turn % 60)));
        Cost rumours = turns(turn ->
                node.list(there.get(0), drained(entry(there.get(1 + turn % 60)), 1 + turn / 60, turn / 60 % 2 == 0)));
        return List.of(frames, rumours);
    }

    @Test
    void aTurnCostsTheSameAmongThousands() {
        new TurnCostTest().costs(100, 0); // compiles
        List<Cost> few = new TurnCostTest().costs(100, 0);
        List<Cost> many = costs(3_000, 5_000);

        assertThat(node.node.all()).hasSize(8_000);
        many.get(0).assertLike(few.get(0), "a frame");
        many.get(1).assertLike(few.get(1), "a rumour");
    }
}
