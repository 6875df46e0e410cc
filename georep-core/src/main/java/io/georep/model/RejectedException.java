package io.georep.model;

/**
 * Thrown because the node refused an entry. Nothing was stored anywhere. The caller may try again here later, or at another
 * node now.
 */
public final class RejectedException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** Why an entry was refused. */
    public enum Reason {
        /** Fewer than f peers can take a copy now. */
        TOO_FEW_PEERS,
        /** A bound on pending work is reached. Send more slowly. */
        QUEUE_FULL,
        /** The payload is larger than the configured maximum. */
        PAYLOAD_TOO_LARGE,
        /** The disk is full or below its reserve. */
        STORE_FULL,
        /** The store does not answer in time: the disk hangs or is too slow, or was so until just now. */
        STORE_STALLED,
        /** The node is drained or leaving. */
        LEAVING
    }

    private final Reason reason;

    public RejectedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns why the entry was refused. */
    public Reason reason() {
        return reason;
    }
}
