package io.georep.protocol.membership;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.Collection;
import java.util.Map;

/** A turn as the membership sees it: it alone decides about links, and tells the other protocols about peers. */
public interface MembershipTurn extends Turn {
    /** Returns what this node hosts: part of its identity in this boot. */
    Channels hosted();

    /** Tells all hosted protocols that a peer changed its state. */
    void peerChanged(Peer peer, PeerState before);

    /** Tells all hosted protocols that the way to a peer is open (again). */
    void peerReachable(Peer peer);

    /** Returns whether a hosted protocol still owes this node anything, or expects anything of it. */
    boolean isNeeded(NodeId id);

    /** Tells all hosted protocols that a name is forgotten. */
    void peerForgotten(NodeId id);

    /**
     * Tells all hosted protocols that the store is older than what peers know.
     *
     * @param isCertain whether a peer with a full certificate says so; one with a limited certificate may be lying
     */
    void staleStore(boolean isCertain);

    /**
     * Replaces the nodes to keep links to, at the end of the turn: known peers by id and address, and seeds whose id is
     * unknown. Repeating the same targets costs nothing.
     */
    void targets(Map<NodeId, String> peers, Collection<String> seeds);

    /** Closes the link to this peer and opens a new one, at the end of the turn. */
    void renewLink(Peer peer, String reason);

    /** Closes the links with this identity and refuses it by name, at the end of the turn. */
    void refuse(NodeIdentity peer, String reason);

    /** Returns the turn the membership was given, which is always of this type. */
    static MembershipTurn of(Turn given) {
        return (MembershipTurn) given;
    }
}
