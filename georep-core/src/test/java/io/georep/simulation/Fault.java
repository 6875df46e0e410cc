package io.georep.simulation;

import java.util.EnumSet;
import java.util.Set;

/** Kinds of trouble a run may contain. */
public enum Fault {
    /** A process dies and comes back with its store. */
    CRASH,
    /** A process dies right after the consumer accepted an entry. */
    CRASH_AFTER_ACCEPT,
    /** All processes die at once and come back with their stores. */
    POWER_CUT,
    /** A process comes back with an empty store. */
    WIPE,
    /** A process comes back with an older image of its store. */
    OLD_IMAGE,
    /** A process never comes back. */
    DEATH,
    /** No space on a disk for a while. */
    DISK_FULL,
    /** The network falls into blocks. */
    PARTITION,
    /** Some ways are cut in one direction. */
    ONE_WAY,
    /** Connections break and are made anew. */
    BREAK,
    /** A way holds everything back for a while. */
    CLOG,
    /** A process stands still for a while. */
    PAUSE,
    /** A wall clock is set forward or back. */
    CLOCK_STEP,
    /** A process says GOODBYE and comes back early, punctually or late. */
    LEAVE,
    /** An operator drains a node. */
    DRAIN,
    /** An operator removes a node for ever. */
    REMOVE,
    /** A consumer is slow on one node. */
    SLOW_CONSUMER,
    /** An application does not let its node adopt. */
    REFUSE_ADOPTION,
    /** A disk answers nothing for a while: no writes, no reads, or neither. */
    DISK_HANG,
    /** Each write to a disk takes long. */
    DISK_SLOW,
    /** A disk reports an error it cannot go on after; the node ends and comes back with what it had made durable. */
    DISK_ERROR,
    /** A process dies while it asks, restores, hands over or owes others an answer. */
    CRASH_ON_DUTY,
    /** A process comes back with its store under another address. */
    MOVE,
    /** Several operators drain a node and end the drain at once. */
    ORDERS,
    /** A process ends in an orderly way without a word, and comes back. */
    STOP,
    /** A machine is suspended: its monotonic clock stands still, and its wall clock goes on. */
    SUSPEND,
    /** A way takes so long for each byte that what is sent has to wait. */
    NARROW,
    /** A way is cut and open again, several times. */
    FLAP,
    /** A process is started with the store of another node, which it refuses. */
    WRONG_IMAGE,
    /** A machine is gone for good, an operator removes its node, and another one comes in its place under a new name. */
    REPLACE,
    /** A process says GOODBYE, and then that it will be away for longer or shorter: in the same moment, or when it is back early. */
    LEAVE_AGAIN,
    /** The consumer takes nothing for minutes: attempts fail, and are repeated or given up. */
    CONSUMER_DOWN,
    /** An operator looks after the dead letters of a node, and replays or discards them. */
    DEAD_LETTERS,
    /** An operator removes a node whose process lives on with its clients, at first perhaps out of reach, and is started anew much later. */
    LIVE_ON,
    /** The threads that read and write for a process stand still for a while; its turns go on. */
    DEAF;

    /** What is drawn for runs of all wings only, so that other seeds keep their meaning. */
    static final Set<Fault> DRAWN_WITH_ALL_WINGS = EnumSet.of(REPLACE, LEAVE_AGAIN, CONSUMER_DOWN, DEAD_LETTERS);

    /** What is drawn for these apart, so that also seeds of all wings keep their meaning. */
    static final Set<Fault> DRAWN_APART = EnumSet.of(LIVE_ON, DEAF);

    /** What only applications of the outbox suffer. */
    static final Set<Fault> OF_APPLICATIONS =
            EnumSet.of(CRASH_AFTER_ACCEPT, SLOW_CONSUMER, REFUSE_ADOPTION, CRASH_ON_DUTY, CONSUMER_DOWN, DEAD_LETTERS);
}
