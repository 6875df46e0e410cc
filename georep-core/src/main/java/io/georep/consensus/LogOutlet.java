package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a log leaves its effects. What it stores goes into one batch with all that the turn stores. Messages to the node itself
 * come back to {@link ReplicatedLog#onMessage} in a later turn, like those to others.
 */
public interface LogOutlet {
    /** Sends a message at the end of the turn. Messages to one node arrive in order or not at all. */
    void send(NodeId to, LogMessage message);

    /** Does this in a later turn, once what was stored until now is durable; never if this boot ends before. */
    void whenDurable(Runnable action);

    /** Stores the highest ballot that this member has promised to wait for. */
    void storePromise(Ballot promised);

    /** Stores a proposal, in the place of an earlier one of that slot. */
    void storeProposal(long slot, Proposal proposal);

    /**
     * Stores up to which slot the log is known to be decided, as durably as the rest of the turn: the count of members that
     * know of new seats relies on it.
     */
    void storeDecided(long slot);

    /** Forgets the proposals up to a slot, and stores it with the seats that were decided by then. */
    void storeBase(long slot, Seats seats);

    /** Forgets the proposals after a slot: they are of a log that has ended there. Only if {@link LogRestoration#goOn} is ever called. */
    default void dropProposals(long after) {
        throw new IllegalStateException("a log that goes on from another one");
    }

    /** Stores that this member has left its log. Only if {@link LogRestoration#goOn} is ever called. */
    default void storeDeparture(Departure departure) {
        throw new IllegalStateException("a log that goes on from another one");
    }

    /** A slot is decided. Called in order, once for each slot in a boot. */
    void onDecided(long slot, LogEntry entry);

    /**
     * A member needs slots that are forgotten here. Send it the state of the application as of a slot from {@link
     * ReplicatedLog#base} on; there, {@link ReplicatedLog#install} is called with it. Called again with each heartbeat.
     */
    void onBehind(NodeId member);

    /**
     * Nobody can lead any more, because so many voters have lost their stores. Called again while that is so.
     *
     * @param voters those
     * @param elder a node that has the log of before, if all founders have empty stores; null otherwise
     */
    void onStoresLost(List<NodeId> voters, @Nullable NodeId elder);

    /**
     * A member has another log of this group, as it was founded at another time: it takes nothing of this one. Called for each message.
     */
    void onOtherLog(NodeId member);

    /**
     * Returns whether what a node says counts. A group is founded only once each such node that would get its log has
     * answered.
     */
    default boolean isBelieved(NodeId node) {
        return true;
    }
}
