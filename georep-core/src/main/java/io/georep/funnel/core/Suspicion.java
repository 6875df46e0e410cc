package io.georep.funnel.core;

import io.georep.funnel.View;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which members this node has had no link to for longer than the suspicion time, for the master to know. */
final class Suspicion {
    private final FunnelContext context;
    private final Map<NodeId, Long> unlinkedSince = new TreeMap<>();

    Suspicion(FunnelContext context) {
        this.context = context;
    }

    /** Only the members of this view count from now on. */
    void view(View view) {
        unlinkedSince.keySet().retainAll(view.members());
    }

    /** Looks who has no link now. */
    void look(long now) {
        for (NodeId member : context.members()) {
            Peer peer = context.peers.find(member);
            boolean isHere = member.equals(context.self())
                    || (peer != null && peer.linked() && peer.state() == PeerState.ACTIVE);
            if (isHere) {
                unlinkedSince.remove(member);
            } else {
                unlinkedSince.putIfAbsent(member, now);
            }
        }
    }

    /** Those to tell of, in the order of the view; none if this node is no member. */
    List<NodeId> unreachable(long now) {
        List<NodeId> unreachable = new ArrayList<>();
        if (context.rank >= 0) {
            for (NodeId member : context.members()) {
                Long since = unlinkedSince.get(member);
                if (since != null
                        && now - since >= context.settings.suspectAfter().toNanos()) {
                    unreachable.add(member);
                }
            }
        }
        return unreachable;
    }
}
