package io.georep.bench.micro;

import io.georep.model.NodeId;
import io.georep.outbox.core.OutboxView;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.runtime.AppSink;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.EntryStore;
import io.georep.spi.Ticker;
import io.georep.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Nodes that take their turns one after the other on the caller's thread, each with a store in memory that completes at
 * once. Time is a counter: a microsecond per turn, more only where nobody has anything to do. So the same work is done
 * in every run, and all processor time is that of protocols, codec and loop. Not thread-safe.
 */
final class SteppedCluster {
    private static final long TURN_NANOS = 1_000;
    private static final int IDLE_TURNS_MAX = 100_000;

    /** A clock that somebody else turns. */
    static final class Clock implements Ticker {
        private long nanos;

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMillis() {
            return 1_700_000_000_000L + nanos / 1_000_000;
        }
    }

    private final Clock clock = new Clock();
    private final List<SteppedNode> nodes = new ArrayList<>();
    private final Set<String> links = new HashSet<>();

    private SteppedCluster() {}

    /** Starts so many nodes and lets them find each other; events of the first go to the application. */
    static SteppedCluster start(int count, SteppedApplication application) {
        SteppedCluster cluster = new SteppedCluster();
        for (int i = 0; i < count; i++) {
            EntryStore store = new MemoryStore(Runnable::run);
            AppSink sink = i == 0 ? application : SteppedCluster::nothingForTheApplication;
            cluster.nodes.add(new SteppedNode(cluster, i, count, store, sink));
        }
        cluster.nodes.forEach(SteppedNode::boot);
        application.attach(cluster);
        cluster.run(() -> cluster.nodes.stream().allMatch(node -> node.sees(count - 1)));
        return cluster;
    }

    /** Starts a node without peers on a store that may have content. */
    static SteppedCluster start(EntryStore store, SteppedApplication application) {
        SteppedCluster cluster = new SteppedCluster();
        cluster.nodes.add(new SteppedNode(cluster, 0, 1, store, application));
        cluster.origin().boot();
        application.attach(cluster);
        cluster.settle();
        return cluster;
    }

    private static void nothingForTheApplication(List<Object> events) {
        for (Object event : events) {
            if (event instanceof ProtocolEvent told && told.event() instanceof OutboxEvent) {
                throw new IllegalStateException("entries belong to the first node, another one said " + event);
            }
        }
    }

    Clock clock() {
        return clock;
    }

    /** The node entries are put on. */
    SteppedNode origin() {
        return nodes.get(0);
    }

    SteppedNode node(NodeId id) {
        for (SteppedNode node : nodes) {
            if (node.identity().id().equals(id)) {
                return node;
            }
        }
        throw new IllegalArgumentException("no node " + id);
    }

    void link(SteppedNode from, Collection<String> addresses) {
        for (SteppedNode to : nodes) {
            if (to != from && addresses.contains(to.address()) && links.add(from.address() + ">" + to.address())) {
                from.linkTo(to);
            }
        }
    }

    /** Takes turns until nobody has anything to do and the condition holds. */
    void run(BooleanSupplier done) {
        int idle = 0;
        while (true) {
            if (!turnAll()) {
                if (done.getAsBoolean()) {
                    return;
                }
                if (++idle > IDLE_TURNS_MAX) {
                    throw new IllegalStateException("the nodes wait for something that does not happen");
                }
                nextDeadline();
            }
        }
    }

    /** Moves the clock to the next time a node wants a turn, and gives it one. */
    void nextDeadline() {
        SteppedNode next = nodes.get(0);
        for (SteppedNode node : nodes) {
            if (node.nextDeadlineNanos() < next.nextDeadlineNanos()) {
                next = node;
            }
        }
        clock.nanos = Math.max(clock.nanos, next.nextDeadlineNanos());
        next.turn();
    }

    /** Takes turns until nobody has anything to do. */
    void settle() {
        while (turnAll()) {
            // Each round may give others something to do.
        }
    }

    private boolean turnAll() {
        boolean any = false;
        for (SteppedNode node : nodes) {
            if (node.hasInput()) {
                clock.nanos += TURN_NANOS;
                node.turn();
                any = true;
            }
        }
        return any;
    }

    /**
     * Requires that no node keeps anything of any entry but that it is over.
     *
     * @throws IllegalStateException when one does
     */
    void requireEmpty() {
        for (SteppedNode node : nodes) {
            OutboxView view = node.outbox().inspect();
            if (view.liveCount() != 0 || view.deletesUntold() != 0) {
                throw new IllegalStateException(node.identity().id() + " still keeps " + view.liveCount()
                        + " entries and owes " + view.deletesUntold() + " deletions");
            }
        }
    }
}
