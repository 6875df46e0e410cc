package io.georep.bench.history;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * One thing that happened. Times are microseconds since the run began, by the monotonic clock that all processes of a
 * machine share. Texts are empty where there is nothing to say.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Event.Run.class, name = "run"),
    @JsonSubTypes.Type(value = Event.Sent.class, name = "sent"),
    @JsonSubTypes.Type(value = Event.Answered.class, name = "answered"),
    @JsonSubTypes.Type(value = Event.Forwarded.class, name = "forwarded"),
    @JsonSubTypes.Type(value = Event.Started.class, name = "started"),
    @JsonSubTypes.Type(value = Event.Ended.class, name = "ended"),
    @JsonSubTypes.Type(value = Event.Judged.class, name = "judged"),
    @JsonSubTypes.Type(value = Event.Accident.class, name = "accident"),
    @JsonSubTypes.Type(value = Event.Began.class, name = "began"),
    @JsonSubTypes.Type(value = Event.Over.class, name = "over"),
    @JsonSubTypes.Type(value = Event.Met.class, name = "met"),
    @JsonSubTypes.Type(value = Event.Counted.class, name = "counted"),
    @JsonSubTypes.Type(value = Event.Used.class, name = "used"),
    @JsonSubTypes.Type(value = Event.Failed.class, name = "failed")
})
public sealed interface Event {
    /** When it happened. */
    long at();

    /**
     * The run; the first event.
     *
     * @param command what repeats the run
     * @param suspectMicros T_s of the nodes
     * @param terminateMicros T_x of the nodes
     */
    record Run(long at, int seed, int nodes, int f, long suspectMicros, long terminateMicros, String command)
            implements Event {}

    /** A producer asks a node to keep an entry. Attempts are numbered from 0. */
    record Sent(long at, long attempt, String node) implements Event {}

    /** What a producer was told. */
    enum Answer {
        ACKNOWLEDGED,
        REJECTED,
        INDETERMINATE
    }

    /**
     * A producer gets its answer.
     *
     * @param id id of the entry if it was acknowledged
     * @param reason why not, otherwise
     */
    record Answered(long at, long attempt, Answer answer, String id, String reason) implements Event {}

    /**
     * The consumer takes an entry.
     *
     * @param attempt which one its payload names; -1 if the payload is damaged
     * @param node who forwarded it
     * @param process process id of that node
     * @param offered when the node called its handler
     * @param adoptedFrom from whom the node had taken the entry over
     * @param possiblySent whether the node announced that it may have been forwarded before
     */
    record Forwarded(
            long at,
            long attempt,
            String id,
            String node,
            long process,
            long offered,
            String adoptedFrom,
            boolean possiblySent)
            implements Event {}

    /** A process says that it runs. */
    record Started(long at, String node, long process) implements Event {}

    /** A process is about to be killed. */
    record Ended(long at, String node, long process) implements Event {}

    /** A node sees a peer in another state, named as {@code PeerState}. */
    record Judged(long at, String node, String peer, String state) implements Event {}

    /** The next accident, which may consist of several faults. Accidents are numbered from 1. */
    record Accident(long at, int number, String kind) implements Event {}

    /**
     * A fault begins.
     *
     * @param node who suffers it, or who speaks on the way concerned; empty if all are concerned
     * @param peer who is spoken to on the way concerned
     */
    record Began(long at, Fault fault, String node, String peer) implements Event {}

    /** A fault is over. */
    record Over(long at, Fault fault, String node, String peer) implements Event {}

    /** From now on all nodes see each other, or not. */
    record Met(long at, boolean all) implements Event {}

    /** When everybody was counted. */
    enum Phase {
        /** After the last accident, with the consumer halted. */
        QUIET,
        /** In the end. */
        END
    }

    /**
     * What a node has.
     *
     * @param held entries it has to forward
     * @param copies entries it keeps for others
     * @param untold entries that it has finished or is giving up, which somebody has not confirmed
     */
    record Holding(String node, long held, long copies, long untold) {
        /**
         * Returns whether these nodes hold at least so many entries, with f copies of each. An entry that was adopted while its
         * old holder's handler works on it is held by both until the handler returns. The adopter makes the copies, and the old
         * holder counts it among the untold.
         */
        public static boolean haveAll(List<Holding> nodes, long entries, int f) {
            long held = nodes.stream().mapToLong(Holding::held).sum();
            long copies = nodes.stream().mapToLong(Holding::copies).sum();
            long untold = nodes.stream().mapToLong(Holding::untold).sum();
            long heldTwice = Math.min(untold, held - entries);
            return held >= entries && copies >= f * (held - heldTwice);
        }
    }

    /** All nodes say what they have. */
    record Counted(long at, Phase phase, List<Holding> holdings) implements Event {}

    /**
     * What a process uses, about once a second; known on Linux only.
     *
     * @param process process id
     * @param residentBytes memory it has in use, on and off the heap
     * @param descriptors files and sockets it has open
     * @param logLines lines that processes of this node have written to their log since the run began
     */
    record Used(long at, String node, long process, long residentBytes, int descriptors, long logLines)
            implements Event {}

    /** The run was given up, for example because nothing went on. */
    record Failed(long at, String text) implements Event {}
}
