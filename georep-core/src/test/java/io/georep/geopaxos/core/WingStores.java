package io.georep.geopaxos.core;

import io.georep.consensus.Seats;
import io.georep.protocol.Peer;
import io.georep.simulation.Machines;
import io.georep.simulation.SimulatedDisk;
import io.georep.simulation.SimulatedNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which stores of a {@link GeoWing} may be lost. A group outlives the loss of a store if more than half of its seats are held by other
 * nodes that run and know whose seats they are. An older image counts as lost, if all nodes know that it is one: that of the last
 * process looks right.
 */
final class WingStores {
    private final GeoWing wing;
    private final Machines machines;
    private final Map<SimulatedNode, Long> bootedAt = new HashMap<>();

    /** When a store might be lost, as was found by looking: processes may end in that moment. */
    private long lookedAt = -1;

    private @Nullable SimulatedNode lookedFor;

    WingStores(GeoWing wing, Machines machines) {
        this.wing = wing;
        this.machines = machines;
    }

    void booting(SimulatedNode node) {
        bootedAt.put(node, wing.world().now());
    }

    /** Whether the store of a node may be lost now. */
    boolean mayLose(SimulatedNode node) {
        if (lookedFor == node && lookedAt == wing.world().now()) {
            return true;
        }
        for (int group = 0; group < wing.groups(); group++) {
            Seats seats = wing.operator().seats(group);
            boolean isFounder =
                    group < wing.founders().size() && wing.founders().get(group).contains(node.id());
            boolean votes = seats == null || SeatChanges.names(seats).contains(node.id());
            // Founders that were replaced would begin anew if all of them were empty.
            if ((votes || isFounder) && !(seats != null && votes && outlives(group, seats, node))) {
                return false;
            }
        }
        lookedAt = wing.world().now();
        lookedFor = node;
        return true;
    }

    /** Whether the store of a running node may become an image that is not of its present process. */
    boolean mayRollBack(SimulatedNode node, SimulatedDisk.Image image) {
        return bootedAt.getOrDefault(node, -1L) > image.takenAtNanos()
                && machines.nodes().stream()
                        .filter(each -> each != node && !machines.isDead(each))
                        .allMatch(each -> hasMet(each, node));
    }

    private static boolean hasMet(SimulatedNode node, SimulatedNode other) {
        Peer peer = node.isListening() ? node.protocols().membership().find(other.id()) : null;
        return peer != null
                && other.isRunning()
                && peer.incarnation() == other.protocols().membership().self().incarnation();
    }

    /** A store is lost. */
    void lost() {
        lookedFor = null;
    }

    private boolean outlives(int group, Seats seats, SimulatedNode lost) {
        List<GeoPaxosProtocol> others = SeatChanges.names(seats).stream()
                .map(machines::node)
                .filter(each -> each != lost && each.isListening())
                .map(GeoWing::protocol)
                .toList();
        return wing.operator().isSettled(group)
                && seats.slot() > 0
                && 2
                                * others.stream()
                                        .filter(each -> seats.list().contains(each.seat()))
                                        .filter(each -> group < each.node().groups())
                                        .filter(each ->
                                                each.node().log(group).seats().slot() == seats.slot())
                                        .count()
                        > seats.list().size();
    }
}
