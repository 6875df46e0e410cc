package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What hosted protocols see of the membership. */
public interface Peers {
    /** This node in this boot. Its incarnation rises when {@link HostedProtocol#onStaleStore} is called. */
    NodeIdentity self();

    /** How the previous run of this node ended; becomes {@link BootKind#STALE} when peers know better. */
    BootKind bootKind();

    /** Whether an operator drains this node: it accepts nothing new and hands over what it holds. */
    boolean selfDrained();

    /** Whether an operator removed this node, and it knows: others take over what it shares with them (M23). */
    default boolean selfRemoved() {
        return false;
    }

    /** Whether this node has begun to leave (GOODBYE) or was removed by an operator: it accepts nothing new. */
    boolean leaving();

    /** A known peer; null for this node and for strangers. */
    @Nullable
    Peer find(NodeId id);

    /** All known peers in the order of their names. */
    Collection<? extends Peer> all();

    /** Those of them that frames can leave for now: {@link Peer#linked}. */
    Collection<? extends Peer> linked();

    /** Processes that were met and are not known to belong to this cluster: for operators, no peers (M29). */
    default Collection<? extends Peer> strangers() {
        return List.of();
    }

    /** Decisions over other nodes that this node heard from peers that may not decide, for operators (M33). */
    default long decisionsIgnored() {
        return 0;
    }

    /** The cluster of this node, for operators (M28). */
    default Cluster cluster() {
        return new Cluster("", false, "");
    }

    /**
     * Which cluster a node belongs to.
     *
     * @param id in hexadecimal digits
     * @param settled whether it keeps to that
     * @param waitsFor what is missing before, empty when nothing is
     */
    record Cluster(String id, boolean settled, String waitsFor) {}
}
