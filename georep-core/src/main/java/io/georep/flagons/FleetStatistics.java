package io.georep.flagons;

import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import java.util.Map;

/**
 * What a node of a fleet knows of itself and the fleet.
 *
 * @param group bits of the positions that belong to its group of nodes, for example {@code 011}; empty if all do
 * @param members how many other nodes this group has
 * @param known how many nodes it passes operations on to; for a mere client, how many of those that it may ask are not known to be away
 * @param complete whether it has all operations on the keys of its group, so that it answers for them
 * @param client whether this process is no node of the fleet
 * @param operations how many operations it keeps
 * @param holes how many operations came too late for their place, since the node started
 * @param refused how many operations and messages were refused since then
 * @param repaired how many operations came only by comparison with others
 * @param nodes about how many nodes the fleet has; 0 if not known
 * @param cutOff whether it has lost sight of most of the fleet, or of most of what happens in it, so that requests are unsure and it answers nobody
 * @param clockOff whether its clock differs from those of the others by more than a second or so: until it is set right this node takes no
 *     operations and answers nobody
 * @param holeRate the share of the operations of late that came too late or only by comparison
 * @param stableMillis how old operations of late were when they took effect here
 */
public record FleetStatistics(
        String group,
        int members,
        int known,
        boolean complete,
        boolean client,
        int operations,
        long holes,
        long refused,
        long repaired,
        int nodes,
        boolean cutOff,
        boolean clockOff,
        double holeRate,
        long stableMillis)
        implements ProtocolStatistics {
    @Override
    public void measure(Measures to) {
        to.gauge("fleet.members", "nodes", "Other nodes of this node's group", members);
        to.gauge("fleet.known", "nodes", "Nodes that this node passes operations on to", known);
        to.gauge("fleet.complete", "nodes", "Whether this node answers for the keys of its group", complete ? 1 : 0);
        to.gauge("fleet.operations", "operations", "Operations that this node keeps", operations);
        to.counter("fleet.holes", "operations", "Operations that came too late for their place", holes);
        to.counter("fleet.refused", "operations", "Operations and messages that were refused", refused);
        to.counter("fleet.repaired", "operations", "Operations that came only by comparison", repaired);
        to.gauge("fleet.nodes", "nodes", "About how many nodes the fleet has", nodes);
        to.gauge(
                "fleet.cut.off",
                "nodes",
                "Whether this node has lost sight of most of the fleet, or misses too much of it",
                cutOff ? 1 : 0);
        to.gauge(
                "fleet.clock.off",
                "nodes",
                "Whether the clock of this node differs from those of the others",
                clockOff ? 1 : 0);
        to.gauge(
                "fleet.hole.rate",
                "operations",
                "Of a million operations of late, those that came too late or only by comparison",
                Math.round(holeRate * 1e6));
        to.gauge("fleet.stable", "milliseconds", "Age of operations of late when they took effect here", stableMillis);
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("group", group, "members", members, "known", known, "complete", complete, "nodes", nodes);
    }
}
