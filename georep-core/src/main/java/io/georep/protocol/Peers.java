package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What protocols see of the membership. */
public interface Peers {
    /**
     * Returns who this node is in this boot. The incarnation rises when {@link HostedProtocol#onStaleStore} is
     * called.
     */
    NodeIdentity self();

    /** Returns how the previous run of this node ended. It becomes {@link BootKind#STALE} when peers know better. */
    BootKind bootKind();

    /** Returns whether an operator drains this node: it accepts nothing new and hands over what it holds. */
    boolean selfDrained();

    /** Returns whether this node knows that an operator removed it: other nodes take over what it shares with them. */
    default boolean selfRemoved() {
        return false;
    }

    /** Returns whether this node has begun to leave, or was removed by an operator: it accepts nothing new. */
    boolean leaving();

    /** Returns the peer of this name; null for this node, and for a name that it does not know. */
    @Nullable
    Peer find(NodeId id);

    /** Returns all known peers in the order of their names. */
    Collection<? extends Peer> all();

    /** Returns the peers that frames can leave for now; see {@link Peer#linked}. */
    Collection<? extends Peer> linked();

    /**
     * Returns processes that were met and are not known to belong to this cluster. They are no peers; operators see
     * them.
     */
    default Collection<? extends Peer> strangers() {
        return List.of();
    }

    /** Returns how many decisions over other nodes came from peers that may not decide. For operators. */
    default long decisionsIgnored() {
        return 0;
    }

    /** Returns the cluster of this node. For operators. */
    default Cluster cluster() {
        return new Cluster("", false, "");
    }

    /**
     * The cluster to which a node belongs.
     *
     * @param id in hexadecimal digits
     * @param settled whether the node keeps to this cluster
     * @param waitsFor what is missing until the cluster is settled; empty if nothing is
     */
    record Cluster(String id, boolean settled, String waitsFor) {}
}
