package io.georep.geopaxos.core;

import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Warnings about voters, each given once. They come late, because sites and certificates are known only after nodes
 * have met.
 */
final class VoterNotices {
    private final Peers peers;
    private final Set<NodeId> sameSite = new TreeSet<>();
    private final Set<NodeId> limited = new TreeSet<>();
    private final Set<NodeId> forgetful = new TreeSet<>();
    private final Set<GeoEvent> logs = new HashSet<>();

    VoterNotices(Peers peers) {
        this.peers = peers;
    }

    /** This node boots. */
    void boots(OrderedMapsLayout layout, Turn turn) {
        if (!layout.nodes().contains(peers.self().id())) {
            turn.notify(new GeoEvent.Unnamed());
        }
        tellIfLimited(peers.self().id(), peers.self().limited(), layout, turn);
    }

    /** A node is in reach. */
    void meets(Peer peer, OrderedMapsLayout layout, Turn turn) {
        tellIfLimited(peer.id(), peer.limited(), layout, turn);
        for (List<NodeId> voters : layout.groups()) {
            for (NodeId voter : voters.contains(peer.id()) ? voters : List.<NodeId>of()) {
                boolean isSame = !voter.equals(peer.id())
                        && !peer.site().isEmpty()
                        && peer.site().equals(site(voter));
                if (isSame && sameSite.add(peer.id())) {
                    turn.notify(new GeoEvent.SameSite(peer.id(), voter, peer.site()));
                }
            }
        }
    }

    /** A node says whether its store forgets at a restart. */
    void forgets(NodeId node, boolean forgets, OrderedMapsLayout layout, Turn turn) {
        if (forgets && Layouts.votes(layout, node) && forgetful.add(node)) {
            turn.notify(new GeoEvent.ForgetfulVoter(node));
        }
    }

    /** A node has another log of a group, or the group has gone on without this node. */
    void ofLogs(GeoEvent told, Turn turn) {
        if (logs.add(told)) {
            turn.notify(told);
        }
    }

    private String site(NodeId node) {
        Peer peer = peers.find(node);
        return node.equals(peers.self().id()) ? peers.self().site() : peer == null ? "" : peer.site();
    }

    private void tellIfLimited(NodeId node, boolean isLimited, OrderedMapsLayout layout, Turn turn) {
        if (isLimited && Layouts.votes(layout, node) && limited.add(node)) {
            turn.notify(new GeoEvent.LimitedVoter(node));
        }
    }
}
