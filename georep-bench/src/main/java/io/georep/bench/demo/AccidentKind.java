package io.georep.bench.demo;

/** What can happen to the nodes; {@code docs/how-it-works/testing.md} says more about each. */
enum AccidentKind {
    /** SIGKILL of one, several or all nodes; each starts again on its directory. */
    KILL,
    /** SIGSTOP of one, several or all nodes, for less or more than it takes until they are given up. */
    FREEZE,
    /** Nodes are killed and one of them finds its directory empty. */
    EMPTY,
    /** Nodes are killed and one of them finds an older image of its directory. */
    OLD,
    /** A store is lost, and who restores it is killed or cut off, or its owner is killed again, in the middle. */
    RESTORING,
    /** Disks are full for a while. */
    FULL,
    /** The network falls apart into two sides. */
    CUT,
    /** What some nodes say does not reach some others. */
    ONE_WAY,
    /** Connections break. */
    BREAK,
    /** What some nodes say takes longer. */
    DELAY,
    /** Bytes on the way are damaged. */
    DAMAGE,
    /** Some nodes read slowly what others say. */
    SLOW,
    /** A disk answers nothing for a while. */
    HANG,
    /** Wall clocks jump. */
    CLOCK,
    /** The consumer takes nothing for a while. */
    CONSUMER,
    /** Producers send ten times as fast, and the consumer takes nothing. */
    FLOOD;

    /** Returns whether copies are destroyed. */
    boolean destroys() {
        return this == EMPTY || this == OLD || this == RESTORING;
    }

    /** Returns whether it happens in the network. */
    boolean ofNetwork() {
        return switch (this) {
            case CUT, ONE_WAY, BREAK, DELAY, DAMAGE, SLOW -> true;
            default -> false;
        };
    }
}
