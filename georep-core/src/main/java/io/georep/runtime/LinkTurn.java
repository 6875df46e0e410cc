package io.georep.runtime;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.protocol.membership.MembershipTurn;
import java.util.Collection;
import java.util.Map;

/** The turn of a {@link NodeLoop} as the membership sees it. */
final class LinkTurn extends ProtocolTurn implements MembershipTurn {
    private final MembershipProtocol membership;

    LinkTurn(NodeLoop loop, MembershipProtocol membership) {
        super(loop, membership);
        this.membership = membership;
    }

    /** Tells the membership what happened to its links. */
    void take(Input.OfMembers input) {
        if (input instanceof Input.LinkUp up) {
            membership.linkUp(up.peer(), this);
        } else if (input instanceof Input.LinkDown down) {
            membership.linkDown(down.peer(), down.reason(), this);
        } else if (input instanceof Input.LifeSign sign) {
            membership.lifeSign(sign.from(), this);
        } else if (input instanceof Input.Writable writable) {
            membership.writable(writable.peer(), writable.lane(), writable.writable(), this);
        } else if (input instanceof Input.SeedReached reached) {
            membership.seedReached(reached.seed());
        } else if (input instanceof Input.Refused refused) {
            membership.refused(refused.address(), refused.reason(), this);
        }
    }

    @Override
    public Channels hosted() {
        return loop.hosted();
    }

    @Override
    public void peerChanged(Peer peer, PeerState before) {
        loop.peerChanged(peer, before);
    }

    @Override
    public void peerReachable(Peer peer) {
        loop.peerReachable(peer);
    }

    @Override
    public boolean isNeeded(NodeId id) {
        return loop.isNeeded(id);
    }

    @Override
    public void peerForgotten(NodeId id) {
        loop.peerForgotten(id);
    }

    @Override
    public void staleStore(boolean isCertain) {
        loop.staleStore(isCertain);
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        loop.linkChanges().targets(peers, seeds);
    }

    @Override
    public void renewLink(Peer peer, String reason) {
        loop.linkChanges().renew(peer.id(), reason);
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        loop.linkChanges().refuse(peer, reason);
    }
}
