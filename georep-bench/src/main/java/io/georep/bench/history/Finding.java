package io.georep.bench.history;

/**
 * Something that must not be.
 *
 * @param kind what
 * @param text which entry, node or time, and why
 */
public record Finding(Kind kind, String text) {
    /** What must not be. */
    public enum Kind {
        /** An acknowledged entry was not forwarded. */
        LOST,
        /** Something was forwarded that nobody sent, that was refused, or under another id. */
        UNEXPECTED,
        /** An entry was forwarded again, and nothing that is recorded explains it. */
        UNEXPLAINED,
        /** An entry was forwarded again without a warning that is due. */
        UNANNOUNCED,
        /** After quiet, entries have too few copies. */
        MISSING_COPIES,
        /** In the end, something is still kept. */
        LEFT_OVER,
        /** A node was given up although nothing cut it off. */
        FALSE_SUSPICION,
        /** A refusal does not say by its type what may be done. */
        UNTYPED,
        /** After an overload, the throughput did not come back within 10 s. */
        SLOW_AFTERWARDS,
        /** A process took more memory, more descriptors or more lines of log than any accident explains. */
        EXCESS,
        /** The history does not tell the whole run. */
        INCOMPLETE
    }

    @Override
    public String toString() {
        return kind + ": " + text;
    }
}
