package io.georep.model;

/** What one node believes about another one. Each node judges for itself, and no two nodes need to agree. */
public enum PeerState {
    /** The peer is known by name, but was not heard yet. This node greets it. */
    PROSPECT,
    /** The peer was heard lately. Only active peers get copies of new entries. */
    ACTIVE,
    /** The peer is silent for {@code suspectAfter}: it may be dead or not. It gets no new entries. */
    SCHRODINGER,
    /**
     * The peer is given up: it was silent for a further {@code terminateAfter}, or did not return when it had announced. Its
     * entries may be adopted.
     */
    TERMINATED,
    /** The peer said goodbye and announced its return. It will be back, and nobody adopts its entries before. */
    ARNOLD;
}
