package io.georep.geopaxos.core;

import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What other nodes can do, as they said when they were met last. A node that has said nothing since this boot is left
 * out: it may be gone for long. A procedure that one of them lacks is not ordered, because that node would stop; and a
 * node that forgets at a restart is given no vote.
 */
final class Offers {
    private final Map<NodeId, Set<String>> said = new HashMap<>();
    private final Set<NodeId> forgetful = new HashSet<>();

    /** Returns what a node says when it meets another one. */
    static GeoMessage of(GeoPaxos self, boolean forgets) {
        return new GeoMessage.Offer(forgets, self.executor().service().procedures());
    }

    void heard(NodeId node, GeoMessage.Offer offer) {
        said.put(node, Set.copyOf(offer.procedures()));
        forgets(node, offer.forgets());
    }

    /** The store of a node forgets at a restart, or not. */
    void forgets(NodeId node, boolean forgets) {
        if (forgets) {
            forgetful.add(node);
        } else {
            forgetful.remove(node);
        }
    }

    /** Returns why a change of the nodes is not taken; null if it makes nobody a voter that forgets. */
    private GeoEvent.@Nullable Refused refusal(GeoCommand change, OrderedMapsLayout next) {
        for (NodeId node : forgetful) {
            if (Layouts.votes(next, node)) {
                String why =
                        "node " + node + " would vote, and its durability is MEMORY: what it decides must survive a"
                                + " restart. Start it with a data directory and the durability OS or FSYNC first";
                return OpenRequests.refused(change, Reason.INVALID, why);
            }
        }
        return null;
    }

    /** Returns why a request is not taken; null if all nodes can do it, and for one that was executed before. */
    GeoEvent.@Nullable Refused refusal(GeoCommand command, GeoPaxos self) {
        if (command instanceof GeoCommand.Change change) {
            return refusal(change, change.of(self.membership().layout()));
        } else if (command instanceof GeoCommand.Restore restore) {
            return refusal(restore, new OrderedMapsLayout(0, List.of(restore.voters()), List.of()));
        }
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
