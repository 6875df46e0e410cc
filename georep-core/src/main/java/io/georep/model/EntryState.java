package io.georep.model;

/** Life of an entry on one node (paper, Figs. 5 and 6). */
public enum EntryState {
    /** Accepted from the producer at the origin, not yet on f other nodes. */
    RECEIVED(0),
    /** This node is the holder: it may hand the entry to the application. */
    STORED(1),
    /** A copy kept for somebody else, waiting for DELETE or for its turn to adopt. */
    INACTIVE(2),
    /** The application forwarded it; the other owners are being told. */
    FORWARDED(3),
    /** Payload gone; at most a tombstone is left. */
    REMOVED(4);

    private final int code;

    EntryState(int code) {
        this.code = code;
    }

    /** The state with this number. */
    public static EntryState ofCode(int code) {
        for (EntryState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("no entry state has the code " + code);
    }

    /** Stable number used in stored records. */
    public int code() {
        return code;
    }
}
