package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What nodes of a fleet tell each other. Messages never change. */
public sealed interface FleetMessage
        permits Ball,
                FleetMessage.Shuffle,
                FleetMessage.Members,
                FleetMessage.Join,
                FleetMessage.Answer,
                FleetMessage.Errand,
                FleetMessage.Digest,
                FleetMessage.Keys,
                FleetMessage.Pull,
                FleetMessage.Data,
                FleetMessage.Same,
                FleetMessage.Ask,
                FleetMessage.Overturned,
                FleetMessage.Hint,
                FleetMessage.Want {
    /**
     * Some contacts of the sender, in exchange for others.
     *
     * @param wallMillis of the sender, for nodes to notice that their clocks differ
     */
    record Shuffle(Contact sender, List<Aged> entries, boolean isReply, long wallMillis) implements FleetMessage {}

    /** The members of a group, or who is near a position. */
    record Members(List<Aged> entries) implements FleetMessage {}

    /** Asks who is near the sender. */
    record Join(Contact sender) implements FleetMessage {}

    /** What an operation has done, or found. */
    record Answer(RequestId request, Outcome outcome) implements FleetMessage {}

    /**
     * An operation that goes to its group without waiting for the order.
     *
     * @param event with its place; a get has one for its origin only
     * @param after the answer must not be older than this
     * @param latest whether the answer may be ahead of the order
     * @param isCopy whether another member has passed it on
     */
    record Errand(Event event, OrderKey after, boolean latest, boolean isCopy, int hops) implements FleetMessage {}

    /** Hashes of what the sender has in a range from one place to another, by slices. */
    record Digest(Contact sender, Range range, OrderKey from, OrderKey bound, List<Long> hashes)
            implements FleetMessage {}

    /**
     * Places that the sender has in the slices that differ.
     *
     * @param slices bit by bit
     * @param isCut whether the list ends before the bound
     */
    record Keys(
            Contact sender, Range range, OrderKey from, OrderKey bound, long slices, List<OrderKey> keys, boolean isCut)
            implements FleetMessage {}

    /** Asks for events. */
    record Pull(Contact sender, List<OrderKey> keys) implements FleetMessage {}

    /** Events that the receiver lacks. */
    record Data(List<Event> events) implements FleetMessage {}

    /**
     * Says that both have the same.
     *
     * @param isComplete whether the sender has everything in this range
     */
    record Same(Range range, OrderKey bound, boolean isComplete) implements FleetMessage {}

    /**
     * A request of a process that is no node of the fleet. The receiver gives it a place; the group answers its origin.
     *
     * @param origin with an id of this request only, so that no two requests get the same place
     * @param after it comes behind this place, and an answer is not older
     */
    record Ask(Contact origin, FleetOperation operation, FleetConsistency consistency, OrderKey after)
            implements FleetMessage {}

    /** Tells the origin of a request that it has another outcome than was answered. */
    record Overturned(RequestId request, Outcome outcome) implements FleetMessage {}

    /** Says which events the sender has heard of. They are named by the hashes of their places. */
    record Hint(String sender, List<Long> events) implements FleetMessage {}

    /** Asks for events of a hint. */
    record Want(String sender, List<Long> events) implements FleetMessage {}

    /** Returns the address of who has sent a message, where that matters for the answer; null where it does not say so. */
    static @Nullable String sender(FleetMessage message) {
        if (message instanceof Hint hint) {
            return hint.sender();
        } else if (message instanceof Want want) {
            return want.sender();
        }
        Contact contact = contact(message);
        return contact == null ? null : contact.address();
    }

    private static @Nullable Contact contact(FleetMessage message) {
        if (message instanceof Shuffle shuffle) {
            return shuffle.sender();
        } else if (message instanceof Join join) {
            return join.sender();
        } else if (message instanceof Digest digest) {
            return digest.sender();
        } else if (message instanceof Keys keys) {
            return keys.sender();
        } else if (message instanceof Pull pull) {
            return pull.sender();
        } else if (message instanceof Ask ask) {
            return ask.origin();
        }
        return null;
    }
}
