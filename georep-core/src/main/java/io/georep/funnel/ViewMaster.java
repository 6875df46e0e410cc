package io.georep.funnel;

import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is a member of the replicated maps. It is asked by every node several times per lease, and it is not on the way of
 * reads and writes. Its decisions must survive its own failures, so a real one rests on consensus. One object serves one node;
 * all objects of a cluster lead to the same decisions.
 *
 * <p>What an implementation must hold to (the rules of {@code docs/replicated-maps.md}, section views):
 *
 * <ul>
 *   <li>View numbers rise by one, and everybody gets the same members for one number.
 *   <li>A grant counts from the moment the node asked. A view without a member that is not its next state begins only after every
 *       grant ever given to that member has ended, with the clock-rate error allowed for.
 *   <li>A member that comes back with another {@link Renewal#incarnation} makes a new view necessary, with it or without it.
 *   <li>A node becomes a member only when it asked with {@link Renewal#ready} in a state that is not older than the last one known
 *       of it.
 * </ul>
 */
public interface ViewMaster extends AutoCloseable {
    /**
     * Asks for the view, and for a lease in it. Called from one thread; never blocks.
     *
     * @return fails, or never completes, when the master cannot be reached; the caller asks again
     */
    CompletionStage<Grant> renew(Renewal renewal);

    /** Releases what it holds. */
    @Override
    void close();

    /**
     * What a node says of itself.
     *
     * @param node its name
     * @param incarnation its boot number; a new one means that it lost what was only in its memory
     * @param activeView the newest view in which its store is known to be complete, 0 for an empty store
     * @param readyView the view whose tail it has caught up with as a learner, 0 when it is no learner or has not caught up
     * @param unreachable members of the view it has had no link to for longer than the suspicion time, in view order
     */
    record Renewal(NodeId node, long incarnation, long activeView, long readyView, List<NodeId> unreachable) {
        /** Copies the list. */
        public Renewal {
            unreachable = List.copyOf(unreachable);
        }

        /** Whether it asks to become a member of the next view. */
        public boolean ready() {
            return readyView > 0;
        }
    }

    /**
     * The answer.
     *
     * @param view the newest view; null while there is none
     * @param lease how long the node may serve in this view, counted from the moment it asked; zero for one that is no member
     *     under this incarnation, or that is about to be taken out
     */
    record Grant(@Nullable View view, Duration lease) {}
}
