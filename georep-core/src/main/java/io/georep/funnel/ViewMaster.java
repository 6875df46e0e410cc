package io.georep.funnel;

import io.georep.model.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is a member of the replicated maps. It is asked by every node several times per lease, and it is not on the way of
 * reads and writes. Its decisions must survive its own failures, so a real one rests on consensus. One object serves one node;
 * all objects of a cluster lead to the same decisions.
 *
 * <p>What an implementation must hold to:
 *
 * <ul>
 *   <li>View numbers rise, by one unless a view is restored, and everybody gets the same members for one number.
 *   <li>A grant counts from the moment the node asked. A view that leaves out a member of the one before begins only after
 *       every grant that this member ever got has ended, with the clock-rate error allowed for. A later process of a member
 *       may take its place at once, because the earlier process has ended.
 *   <li>A member that comes back with another {@link Renewal#incarnation} makes a new view necessary, with it or without it.
 *       Its store may be an older image. So it counts as complete, as a member that has everything, only once it has said
 *       that it is active in a view in which it has this incarnation. If no member is complete, a view needs more than half
 *       of the members of the one before it.
 *   <li>A node becomes a member only when it asked with {@link Renewal#ready} in a state that is not older than the last one
 *       known of it.
 * </ul>
 */
public interface ViewMaster extends AutoCloseable {
    /**
     * Asks for the view, and for a lease in it. Called from one thread, which does nothing else, when the last question
     * was answered or given up. Must not block.
     *
     * @return fails, or never completes, when the master cannot be reached; the caller asks again
     */
    CompletionStage<Grant> renew(Renewal renewal);

    /**
     * Makes a new view from what the stores of the nodes hold, by order of an operator, after the master has lost what
     * it had decided. The nodes with the newest content become its members, and the others learn from them. Called from
     * any thread. Must not block.
     *
     * @param dryRun whether to tell only what would be done
     * @return what was done, or would be; fails if the master cannot be reached, or cannot do this
     */
    default CompletionStage<Restoration> restore(boolean dryRun) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException(
                "this master of views cannot restore a view: see how it brings back what it had decided"));
    }

    /** Releases what the master holds. Called at most once, also if the master was never asked. May take a moment. */
    @Override
    void close();

    /**
     * What a node says of itself.
     *
     * @param node its name
     * @param incarnation tells its processes apart; a new one means that it lost what was only in its memory. The lower 42 bits are the
     *     time at which it began, in milliseconds, those above its boot number
     * @param activeView the newest view in which its store is known to be complete, 0 for an empty store
     * @param readyView the view whose tail it has caught up with as a learner, 0 when it is no learner or has not caught up; {@link
     *     #LEFT} in its {@link #farewell}
     * @param unreachable members of the view it has had no link to for longer than the suspicion time, in view order. It names itself
     *     if its store has taken nothing for as long
     */
    record Renewal(NodeId node, long incarnation, long activeView, long readyView, List<NodeId> unreachable) {
        /** Copies the list. */
        public Renewal {
            unreachable = List.copyOf(unreachable);
        }

        /** In place of a view: this process serves no more, whatever lease it has. */
        public static final long LEFT = Long.MAX_VALUE - 1;

        /** Returns whether it asks to become a member of the next view. */
        public boolean ready() {
            return readyView > 0 && !left();
        }

        /**
         * Returns whether this is the farewell of a process that stops in order. It reads and writes nothing any more,
         * so its lease has ended, and the next view can begin without it at once. A master that does not look at this
         * waits for the end of the lease.
         */
        public boolean left() {
            return readyView == LEFT;
        }

        /** Returns the farewell of this node. */
        public Renewal farewell() {
            return new Renewal(node, incarnation, activeView, LEFT, List.of());
        }
    }

    /**
     * The answer.
     *
     * @param view the newest view; null while there is none
     * @param lease how long the node may serve in this view, counted from the moment it asked; zero for one that is no member
     *     under this incarnation, or that is about to be taken out
     * @param mayWrite whether so many members are there that a write has enough copies; without it the view is only read
     * @param stored whether the master had to store something for it; only for meters
     */
    record Grant(@Nullable View view, Duration lease, boolean mayWrite, boolean stored) {
        /** Creates an answer for which nothing was stored. */
        public Grant(@Nullable View view, Duration lease, boolean mayWrite) {
            this(view, lease, mayWrite, false);
        }
    }

    /**
     * What became of the order to restore a view.
     *
     * @param view the view that was made, or would be; null if the order was refused
     * @param stores the nodes that ask, each with the newest view in which its store is complete
     * @param refusal why there is no view, and what to do; null if there is one
     */
    record Restoration(
            @Nullable View view,
            Map<NodeId, Long> stores,
            @Nullable String refusal) {
        /** Copies the stores; they are sorted by name. */
        public Restoration {
            stores = Collections.unmodifiableMap(new TreeMap<>(stores));
        }
    }

    /** Makes the object that serves a node. */
    @FunctionalInterface
    interface Factory {
        /**
         * Called when the settings of a node are checked, and again when it starts. It checks its own settings and
         * opens nothing. Open files and connections with the first {@link ViewMaster#renew}, so that a node whose start
         * fails leaves nothing behind.
         *
         * @throws io.georep.model.ConfigurationException if it cannot serve this node; the node does not start
         */
        ViewMaster create(Place place);

        /**
         * Returns the group of nodes that decide over the views themselves, so that {@link #create} is not called; null if
         * there is none.
         */
        default @Nullable ViewGroup group() {
            return null;
        }

        /** Returns the master that these nodes are together, over their own links and in their own stores. */
        static Factory keptBy(ViewGroup group) {
            return new Factory() {
                @Override
                public ViewMaster create(Place place) {
                    throw new IllegalStateException(
                            "the nodes of the group decide: nothing is made for " + place.node());
                }

                @Override
                public ViewGroup group() {
                    return group;
                }
            };
        }

        /**
         * Returns the master of a node without others: the only member of every view, under a lease that never ends. For
         * tests and for development. It refuses a node that listens, because a second one would have a map of its own.
         */
        static Factory alone() {
            return LoneViewMaster::new;
        }
    }

    /**
     * The node that is served.
     *
     * @param node its name
     * @param settings of its replicated maps
     * @param host the address it listens on; null if it does not listen
     * @param port the port that was asked for, 0 for any
     * @param dataDir its data directory; null if it has none
     */
    record Place(
            NodeId node,
            FunnelSettings settings,
            @Nullable String host,
            int port,
            @Nullable Path dataDir) {}
}
