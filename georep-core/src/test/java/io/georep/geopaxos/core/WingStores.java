package io.georep.geopaxos.core;

import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.model.NodeId;
import io.georep.simulation.Machines;
import io.georep.simulation.SimulatedNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Which stores of a {@link GeoWing} may be lost. A group outlives the loss of one store at a time, if the others are more than half of
 * its seats and all know whose seats they are; the dead keep theirs.
 */
final class WingStores {
    private final GeoWing wing;
    private final Machines machines;

    /** When all groups of a node had their seats, as was found by looking: processes may end in that moment. */
    private long lookedAt = -1;

    private SimulatedNode lookedFor;

    WingStores(GeoWing wing, Machines machines) {
        this.wing = wing;
        this.machines = machines;
    }

    /** Whether the store of a node may be lost now. */
    boolean mayLose(SimulatedNode node) {
        if (lookedFor == node && lookedAt == wing.world().now()) {
            return true;
        }
        for (int group = 0; group < wing.founders().size(); group++) {
            List<NodeId> founding = wing.founders().get(group);
            if (founding.contains(node.id())
                    && !(isWhole(group) && 2 * (living(group).size() - 1) > founding.size())) {
                return false;
            }
        }
        lookedAt = wing.world().now();
        lookedFor = node;
        return true;
    }

    /** A store is lost. */
    void lost() {
        lookedFor = null;
    }

    private List<SimulatedNode> living(int group) {
        List<SimulatedNode> living = new ArrayList<>();
        for (NodeId each : wing.founders().get(group)) {
            if (!machines.isDead(machines.node(each))) {
                living.add(machines.node(each));
            }
        }
        return living;
    }

    /** Whether the stores of all who live have the seats, and all know it. */
    private boolean isWhole(int group) {
        List<SimulatedNode> living = living(group);
        return living.stream().allMatch(SimulatedNode::isListening)
                && living.stream().anyMatch(leader -> leads(leader, group, living));
    }

    private static boolean leads(SimulatedNode leader, int group, List<SimulatedNode> living) {
        ReplicatedLog log = GeoWing.protocol(leader).node().log(group);
        List<Seat> seats = log.seats().list();
        return log.hasLease(leader.clock().nanos())
                && log.seats().slot() > 0
                && !log.isChangingSeats()
                && living.stream()
                        .map(GeoWing::protocol)
                        .allMatch(each -> seats.contains(each.seat())
                                && each.node().log(group).seats().equals(log.seats()));
    }
}
