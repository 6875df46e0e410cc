package io.georep.model;

/** When a node may say "stored" to a producer or to another node. */
public enum Durability {
    /** After a group-committed fdatasync: survives power loss. */
    FSYNC,
    /** After the write to the log in the page cache: survives {@code kill -9}, not power loss. */
    OS,
    /** At once: survives nothing but an orderly stop. For tests and data that may be lost. */
    MEMORY;

    /** Returns whether this survives more than the other. */
    public boolean isStrongerThan(Durability other) {
        return compareTo(other) < 0;
    }
}
