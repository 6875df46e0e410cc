package io.georep.geopaxos.core.messages;

import io.georep.consensus.Ballot;
import io.georep.consensus.Departure;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seats;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** Where a member leaves its effects. What is stored in one turn becomes durable together. */
public interface GeoOutlet {
    /** Sends a message to another node. Messages to one node arrive in order or not at all. */
    void send(NodeId to, GeoMessage message);

    /** Does this in a later turn, once what was stored until now is durable; never if this boot ends before. */
    void whenDurable(Runnable action);

    /** See {@link io.georep.consensus.LogOutlet#storePromise}. */
    void storePromise(int group, Ballot promised);

    /** See {@link io.georep.consensus.LogOutlet#storeProposal}. */
    void storeProposal(int group, long slot, Proposal proposal);

    /** See {@link io.georep.consensus.LogOutlet#dropProposals}. */
    void dropProposals(int group, long after);

    /** See {@link io.georep.consensus.LogOutlet#storeDeparture}. */
    void storeDeparture(int group, Departure departure);

    /** See {@link io.georep.consensus.LogOutlet#storeDecided}. */
    void storeDecided(int group, long slot);

    /** See {@link io.georep.consensus.LogOutlet#storeBase}. A state that has processed that slot was stored in this turn or before. */
    void storeBase(int group, long slot, Seats seats);

    /** Stores a piece of the state, or removes it if null. It counts with the {@link #storeHead head} stored in the same turn. */
    void storePiece(StatePiece.Name name, @Nullable Slice content);

    /** Stores what belongs to the pieces. */
    void storeHead(Slice head);

    /** Stores a piece of another state, which counts for nothing yet. */
    void stage(StatePiece piece);

    /** What was staged takes the place of all pieces stored. The head is stored in the same turn. */
    void takeStaged();

    /** Removes what was staged. */
    void dropStaged();

    /**
     * A call has ended: it took effect, once.
     *
     * @param token of the call
     * @param result of the operation; null if it took effect long ago and its client had acknowledged that
     */
    void answered(long token, @Nullable Slice result);

    /** The service has something to tell. */
    void news(Object news);

    /** See {@link io.georep.consensus.LogOutlet#onStoresLost}. Told once of the same stores. */
    void storesLost(GeoEvent.StoresLost lost);

    /** A node has a log of a group that has nothing to do with that of this node. */
    void otherLog(int group, NodeId node);

    /** A group has gone on without this node. Told again and again. */
    void leftBehind(GeoEvent.LeftBehind told);

    /** Tells operators something. Called again and again. */
    void notice(GeoEvent told);

    /** See {@link io.georep.consensus.LogOutlet#isBelieved}. */
    boolean isBelieved(NodeId node);

    /** A call has ended without effect. */
    default void refused(long token, GeoEvent.Reason reason) {
        refused(token, reason, reason.text);
    }

    /**
     * A call has ended without effect.
     *
     * @param why for people
     */
    void refused(long token, GeoEvent.Reason reason, String why);
}
