package io.georep.protocol.membership;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/** What the driver needs of the membership beyond a hosted protocol: it sees links and every frame first. */
public interface MembershipProtocol extends HostedProtocol<MembershipCommand>, Peers {
    /** Channel of the membership messages. */
    int CHANNEL = 1;

    /** What a node announces of it. */
    ProtocolId ID = new ProtocolId(CHANNEL, "membership", 2);

    @Override
    default ProtocolId id() {
        return ID;
    }

    /**
     * A frame arrived. It is a life sign, whatever is in it.
     *
     * @return the peer whose messages may be handled, or null when the frame must be dropped (older incarnation,
     *     removed or refused identity)
     */
    @Nullable
    Peer frameArrived(NodeIdentity from, FrameHeader header, MembershipTurn turn);

    /** Part of a large frame arrived. */
    void lifeSign(NodeIdentity from, MembershipTurn turn);

    /**
     * Whether this node reads what peers send. While it does not, their silence is its own doing. Called in every turn,
     * before timers.
     */
    void reading(boolean on, MembershipTurn turn);

    /** The outgoing link is ready. */
    void linkUp(NodeIdentity peer, MembershipTurn turn);

    /** The outgoing link is gone. */
    void linkDown(NodeId peer, String reason, MembershipTurn turn);

    /** Back-pressure of a lane of the outgoing link changed. */
    void writable(NodeId peer, int lane, boolean writable, MembershipTurn turn);

    /** The other side refused this node. */
    void refused(String address, String reason, MembershipTurn turn);

    /** All nodes that stand behind a seed were reached, this one not counted. */
    default void seedReached(String seed) {}

    /**
     * The address peers should use, known once the transport listens (the port was 0 before). Called between boot and the
     * first turn, if at all.
     */
    void bound(String address);

    /**
     * This node may not decide over others, so it is not to spread decisions either (M33). Called between boot and the first
     * turn, if at all.
     */
    default void limited() {}

    /** Returns whether frames may leave this node; if not, they are dropped at the end of the turn. */
    boolean maySend();

    /** Returns the peer of this name, learnt now if unknown; see {@link Turn#ensurePeer(NodeId, NodeId)}. */
    @Nullable
    Peer ensure(NodeId id, @Nullable NodeId teller, MembershipTurn turn);

    /** Returns the header of the next frame to this peer, which is sent now (so no heartbeat is due for a while). */
    FrameHeader nextHeader(Peer to, long nowNanos);
}
