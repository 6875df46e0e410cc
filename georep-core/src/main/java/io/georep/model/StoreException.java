package io.georep.model;

/** Thrown because the store cannot be opened or cannot go on. The message names the directory, the cause and the remedy. */
public final class StoreException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with a store. */
    public enum Kind {
        /** Bytes on disk do not match their checksums or their format. */
        CORRUPT,
        /** A newer version of this library wrote it. */
        NEWER_VERSION,
        /** The directory belongs to another node id or cluster. */
        FOREIGN,
        /** Another process has the directory open. */
        LOCKED,
        /** The directory cannot be created or written. */
        NOT_WRITABLE,
        /** Records are encrypted with a key that is not given. */
        KEY_MISSING,
        /** There is no space left. */
        FULL,
        /** The store no longer answers. */
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

    /** Returns what is wrong. */
    public Kind kind() {
        return kind;
    }
}
