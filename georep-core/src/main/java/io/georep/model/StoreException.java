package io.georep.model;

/** The store cannot be opened or cannot go on. The message names the directory, the cause and the remedy. */
public final class StoreException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Kind {
        /** Bytes on disk do not match their checksums or their format. */
        CORRUPT,
        /** Written by a newer version of this library. */
        NEWER_VERSION,
        /** The directory belongs to another node id or cluster. */
        FOREIGN,
        /** Another process has the directory open. */
        LOCKED,
        /** The directory cannot be created or written. */
        NOT_WRITABLE,
        /** No space left. */
        FULL,
        /** It answers nothing any more. */
        STALLED,
        /** Any other input/output failure. */
        IO
    }

    private final Kind kind;

    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public StoreException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What is wrong. */
    public Kind kind() {
        return kind;
    }
}
