package io.georep.netty.internal.wire;

/** Why a handshake is answered REFUSE. Codes are part of the wire format and are never reused. */
public enum RefusalCode {
    /** A code this version does not know; never sent. */
    OTHER(0),
    /** The two nodes belong to different clusters. */
    WRONG_CLUSTER(1),
    /** There is no wire version both can speak. */
    NO_COMMON_VERSION(2),
    /** The node that answers is not the one the dialer wanted. */
    WRONG_PEER(3),
    /** The dialer reached itself. */
    SELF(4),
    /** The dialer has the acceptor's id, but is another process. */
    ID_IN_USE(5),
    /** The acceptor's protocol refused this boot of the dialer; the reason is the protocol's. */
    REFUSED(6),
    /** The acceptor takes links with a shared secret only. */
    SECRET(7),
    /** What the dialer has proved about itself does not allow its name. */
    DISTRUSTED(8);

    private final int wire;

    RefusalCode(int wire) {
        this.wire = wire;
    }

    int wire() {
        return wire;
    }

    static RefusalCode of(int wire) {
        for (RefusalCode code : values()) {
            if (code.wire == wire) {
                return code;
            }
        }
        return OTHER;
    }
}
