package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an operator can do with replicated maps: bring the view back when the master has lost what it had decided. */
final class MapOperations {
    private MapOperations() {}

    /** {@code plan} tells what {@code restore} would do. */
    static Map<String, Object> change(
            GeoRepNode node, @Nullable ReplicatedMaps maps, String name, @Nullable String action) {
        boolean isPlan = "plan".equals(action);
        if (!name.equals("view") || !(isPlan || "restore".equals(action))) {
            throw EndpointRefusal.badRequest("action is '" + action + "' of '" + name
                    + "', allowed are plan and restore of maps/view: plan tells what restore would do");
        }
        if (maps == null) {
            throw EndpointRefusal.notFound("this node has no replicated maps");
        }
        if (node.identity().limited()) {
            throw EndpointRefusal.forbidden("node " + node.identity().id() + " may not decide over other nodes, because"
                    + " its certificate is a limited one: send this request to a node with a full certificate");
        }
        ViewMaster.Restoration told = NodeAnswers.of(maps.restoreView(isPlan));
        if (told.refusal() != null) {
            throw EndpointRefusal.badRequest(told.refusal() + ". Nodes that ask, and the newest view each has complete: "
                    + told.stores());
        }
        Map<String, Object> done = new TreeMap<>();
        done.put("done", isPlan ? "plan" : "restore");
        done.put("stores", told.stores().toString());
        if (told.view() != null) {
            done.put("view", told.view().number());
            done.put("members", told.view().members().stream().map(NodeId::value).toList());
        }
        return done;
    }
}
