package io.georep.model;

/** What one node believes about another (paper, Fig. 4). Private to the observing node; no two need agree. */
public enum PeerState {
    /** Known by name, not heard yet in this boot: greeted with HELLO. */
    PROSPECT(0),
    /** Heard lately: the only state in which a peer gets new entries. */
    ACTIVE(1),
    /** Silent for T_s: perhaps dead, perhaps not; gets no new entries. */
    SCHRODINGER(2),
    /** Given up, after a further T_x of silence or after its announced return: its entries may be adopted. */
    TERMINATED(3),
    /** Left with GOODBYE and announced its return: it will be back, nobody adopts before its deadline. */
    ARNOLD(4);

    private final int code;

    PeerState(int code) {
        this.code = code;
    }

    /** Stable number used on the wire and in metrics. */
    public int code() {
        return code;
    }
}
