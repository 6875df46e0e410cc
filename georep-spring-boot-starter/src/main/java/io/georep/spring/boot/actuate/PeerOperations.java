package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an operator can do with nodes. The cluster is told by gossip, so an answer means that it was begun. */
final class PeerOperations {
    private static final Set<String> ACTIONS = Set.of("drain", "undrain", "remove", "join");

    private final GeoRepNode node;

    PeerOperations(GeoRepNode node) {
        this.node = node;
    }

    Map<String, Object> change(String name, @Nullable String action) {
        if (action == null || !ACTIONS.contains(action)) {
            throw EndpointRefusal.badRequest("action is '" + action + "', allowed are drain, undrain, remove and join");
        }
        NodeId id = known(name);
        if (node.identity().limited() && !isSelf(id)) {
            throw EndpointRefusal.forbidden("node " + node.identity().id() + " may not decide over other nodes, because"
                    + " its certificate is a limited one: send this request to a node with a full certificate");
        }
        switch (action) {
            case "drain" -> node.drain(id);
            case "undrain" -> node.undrain(id);
            case "join" -> join(id);
            default -> remove(id);
        }
        return Done.of("node", id.value(), "done", action);
    }

    private void remove(NodeId id) {
        if (isSelf(id)) {
            throw EndpointRefusal.badRequest("node " + id + " cannot remove itself: stop its application for good, then"
                    + " send this request to another node");
        }
        node.remove(id);
    }

    private void join(NodeId id) {
        boolean foreign =
                NodeAnswers.of(node::peers).stream().anyMatch(peer -> peer.id().equals(id) && peer.foreign());
        if (!foreign) {
            throw EndpointRefusal.badRequest("node " + id + " does not belong to another cluster: only that of a peer"
                    + " that is foreign can be joined");
        }
        node.joinClusterOf(id);
    }

    private NodeId known(String name) {
        NodeId id;
        try {
            id = NodeId.of(name);
        } catch (ConfigurationException e) {
            throw EndpointRefusal.badRequest(String.valueOf(e.getMessage()));
        }
        List<NodeId> peers =
                NodeAnswers.of(node::peers).stream().map(PeerStatus::id).toList();
        if (!isSelf(id) && !peers.contains(id)) {
            throw EndpointRefusal.badRequest("node '" + id + "' is not known here: known are "
                    + node.identity().id() + " (this node) and " + peers);
        }
        return id;
    }

    private boolean isSelf(NodeId id) {
        return id.equals(node.identity().id());
    }
}
