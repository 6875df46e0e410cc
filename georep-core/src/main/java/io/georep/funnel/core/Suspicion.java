package io.georep.funnel.core;

import io.georep.funnel.View;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.protocol.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The members to which this node has had no link for longer than the suspicion time. The master is told. A node whose
 * store takes nothing for as long names itself: while it is a member, no write of any node is committed (rule 20.19).
 */
final class Suspicion {
    private final FunnelContext context;
    private final Map<NodeId, Long> uselessSince = new TreeMap<>();

    Suspicion(FunnelContext context) {
        this.context = context;
    }

    /** Only the members of this view count from now on. */
    void view(View view) {
        uselessSince.keySet().retainAll(view.members());
    }

    /** Finds out who is suspected now. */
    void look(long now) {
        for (NodeId member : context.members()) {
            boolean isOfUse = member.equals(context.self()) ? mayStore() : isReachable(member);
            if (isOfUse) {
                uselessSince.remove(member);
            } else {
                uselessSince.putIfAbsent(member, now);
            }
        }
    }

    /** Returns whether another member went away less than this time ago. */
    boolean missesOne(long withinNanos, long now) {
        return uselessSince.entrySet().stream()
                .anyMatch(each -> !each.getKey().equals(context.self()) && now - each.getValue() < withinNanos);
    }

    /** A link alone is not enough: the process behind it may host no maps. */
    private boolean isReachable(NodeId member) {
        Peer peer = context.member(context.rankOf(member));
        return peer != null && peer.state() == PeerState.ACTIVE;
    }

    /** Returns whether the store takes writes. One that is only behind does, though slowly. */
    private boolean mayStore() {
        return context.storeState() != StoreState.FULL && context.storeState() != StoreState.STALLED;
    }

    /**
     * Returns the members to tell of, in the order of the view. A node that is no member tells at once: it may join
     * only when it reaches all members, or it would be taken out again.
     */
    List<NodeId> unreachable(long now) {
        long patience = context.standing.rank() < 0
                ? 0
                : context.settings.suspectAfter().toNanos();
        List<NodeId> unreachable = new ArrayList<>();
        for (NodeId member : context.members()) {
            Long since = uselessSince.get(member);
            if (since != null && now - since >= patience) {
                unreachable.add(member);
            }
        }
        return unreachable;
    }
}
