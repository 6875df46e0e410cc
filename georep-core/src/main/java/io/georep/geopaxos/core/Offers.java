package io.georep.geopaxos.core;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which procedures other nodes have, as they said when they were met last. What one of them lacks is not ordered, because that node would
 * stop. One that has said nothing in this boot counts for nothing: it may be gone for long.
 */
final class Offers {
    private final Map<NodeId, Set<String>> said = new HashMap<>();

    /** Returns what a node says when it meets another one. */
    static GeoMessage of(GeoPaxos self) {
        return new GeoMessage.Offer(self.executor().service().procedures());
    }

    void heard(NodeId node, List<String> procedures) {
        said.put(node, Set.copyOf(procedures));
    }

    /** Returns why a request is not taken; null if no node lacks what it needs, and for one that was executed before. */
    GeoEvent.@Nullable Refused refusal(GeoCommand command, GeoPaxos self) {
        Executor executor = self.executor();
        String needed = command instanceof GeoCommand.Submit submit
                        && !executor.table().isKnown(submit.client(), submit.sequence())
                ? executor.service().procedure(submit.operation())
                : null;
        if (needed == null) {
            return null;
        }
        for (NodeId node : self.membership().layout().nodes()) {
            Set<String> procedures = said.get(node);
            if (procedures != null && !procedures.contains(needed)) {
                String why = "node " + node + " does not have " + needed + ": give it to all nodes first";
                return OpenRequests.refused(command, Reason.LACKING, why);
            }
        }
        return null;
    }
}
