package io.georep.model;

/** The life of an entry on one node. */
public enum EntryState {
    /** The origin accepted the entry from its producer; f other nodes do not have it yet. */
    RECEIVED(0),
    /** This node is the holder. It may hand the entry to the application. */
    HELD(1),
    /** This node keeps a copy for another node, until the entry is deleted or this node must adopt it. */
    COPY(2),
    /** The application forwarded the entry, and the other owners are being told. */
    FORWARDED(3),
    /** The payload is gone. At most a tombstone is left. */
    REMOVED(4);

    private final int code;

    EntryState(int code) {
        this.code = code;
    }

    /**
     * Returns the state with this code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static EntryState ofCode(int code) {
        for (EntryState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("no entry state has the code " + code);
    }

    /** Returns the stable number of this state, used in stored records. */
    public int code() {
        return code;
    }
}
