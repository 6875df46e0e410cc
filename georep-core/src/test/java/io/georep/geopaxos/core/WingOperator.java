package io.georep.geopaxos.core;

import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import io.georep.simulation.Machines;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.World;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Replaces nodes of a {@link GeoWing} for good, the dead first, and adds and removes replicas. */
final class WingOperator {
    /** So that a founder with its store is left: without one the founders would begin anew. */
    private static final int REPLACED_MAX = 2;

    private static final int GROUPS_MAX = 5;
    private static final long EVERY = 8 * World.SECONDS;

    private final GeoWing wing;
    private final Machines machines;
    private final RandomGenerator random;
    private final List<NodeId> replaced = new ArrayList<>();
    private long changes;
    private boolean rests;

    WingOperator(GeoWing wing, Machines machines) {
        this.wing = wing;
        this.machines = machines;
        random = machines.world().random("operator");
    }

    void begin() {
        machines.world().after(1 + random.nextLong(EVERY), () -> {
            if (!rests) {
                SimulatedNode contact = wing.any(random);
                if (wing.serves(contact)) {
                    act(contact);
                }
                begin();
            }
        });
    }

    void rest() {
        rests = true;
    }

    private Stream<GeoPaxos> cores() {
        return wing.hosting().stream()
                .filter(SimulatedNode::isListening)
                .map(GeoWing::protocol)
                .map(GeoPaxosProtocol::node);
    }

    /** Those where a group has begun. */
    private Stream<GeoPaxos> cores(int group) {
        return cores().filter(core -> group < core.groups());
    }

    /** Returns the layout that was ordered last, as far as somebody knows who runs. */
    @Nullable
    OrderedMapsLayout layout() {
        return cores().map(core -> core.membership().layout())
                .max(Comparator.comparingLong(OrderedMapsLayout::version))
                .orElse(null);
    }

    /** Returns the last seats of a group that somebody knows who runs. */
    @Nullable
    Seats seats(int group) {
        return cores(group)
                .map(core -> core.log(group).seats())
                .max(Comparator.comparingLong(Seats::slot))
                .orElse(null);
    }

    /** Whether the seats of a group are as they are wanted, and enough of them know it. */
    boolean isSettled(int group) {
        return changes == 0
                || cores(group)
                        .anyMatch(core -> core.log(group).leads()
                                && !core.log(group).isChangingSeats()
                                && core.membership().isSettled(group)
                                && core.membership().layout().equals(layout()));
    }

    private void act(SimulatedNode contact) {
        OrderedMapsLayout layout = layout();
        if (layout == null || random.nextInt(3) == 0) {
            return;
        }
        if (random.nextInt(4) == 0) {
            addGroup(contact, layout);
            return;
        }
        List<NodeId> voters =
                layout.nodes().stream().filter(id -> Layouts.votes(layout, id)).toList();
        NodeId removed = voters.stream()
                .filter(id -> machines.isDead(machines.node(id)))
                .findFirst()
                .orElse(voters.get(random.nextInt(voters.size())));
        List<NodeId> spare = wing.hosting().stream()
                .filter(wing::serves)
                .map(SimulatedNode::id)
                .filter(id -> !voters.contains(id) && !replaced.contains(id))
                .toList();
        if (!layout.replicas().isEmpty() && random.nextInt(3) == 0) {
            change(
                    contact,
                    layout.replicas().get(random.nextInt(layout.replicas().size())),
                    null);
        } else if (!spare.isEmpty()) {
            NodeId added = spare.get(random.nextInt(spare.size()));
            if (random.nextInt(3) == 0) {
                change(contact, null, added);
            } else if (replaced.size() < REPLACED_MAX) {
                replaced.add(removed);
                change(contact, removed, added);
            }
        }
    }

    /** Of nodes that are up: it begins when all of them have heard of it. */
    private void addGroup(SimulatedNode contact, OrderedMapsLayout layout) {
        List<NodeId> voters = new ArrayList<>(wing.hosting().stream()
                .filter(wing::serves)
                .map(SimulatedNode::id)
                .filter(id -> !replaced.contains(id))
                .toList());
        Collections.shuffle(voters, new Random(random.nextLong()));
        voters = voters.subList(0, Math.min(3, voters.size()));
        if (layout.groups().size() < GROUPS_MAX && Layouts.refusal(layout, voters) == null) {
            changes++;
            wing.command(contact, new GeoCommand.Change(this, null, null, voters, random.nextInt(8) == 0));
        }
    }

    private void change(SimulatedNode contact, @Nullable NodeId removed, @Nullable NodeId added) {
        changes++;
        wing.command(contact, new GeoCommand.Change(this, removed, added, random.nextInt(8) == 0));
    }

    @Override
    public String toString() {
        OrderedMapsLayout layout = layout();
        return changes + " changes asked, " + (layout == null ? 0 : layout.version()) + " made";
    }
}
