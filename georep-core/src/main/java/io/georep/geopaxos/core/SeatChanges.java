package io.georep.geopaxos.core;

import io.georep.consensus.Ballot;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes vote, and which hold everything. What an operator wants stands in the log of the first group. So all
 * nodes know it, and no single one has to carry it out: the leader of each group changes the seats of its group, one
 * node at a time, as soon as the new node has caught up. A node that is in no group and not wanted any more gets no
 * more entries. Until an operator wants something, the settings say who takes part.
 */
final class SeatChanges {
    /** A change that an operator has asked this node for, and when the first group last had a leader since. */
    private record Asked(long token, OrderedMapsLayout layout, long ledAt) {}

    /** For how many leases a change waits for a leader of the first group before the operator is told that there is none. */
    private static final int PATIENCE = 8;

    private final GeoGroups groups;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final GeoOutlet outlet;
    private final BiConsumer<NodeId, GeoMessage> sender;
    private OrderedMapsLayout layout = Layouts.NONE;
    private @Nullable Asked asked;

    /** The seats of each group when it was last found out who gets the logs. */
    private final Seats[] seen = new Seats[GeoGroups.MAX];

    private @Nullable OrderedMapsLayout seenLayout;

    /** The nodes that took part then. */
    private Set<NodeId> present = Set.of();

    private boolean isOnTheWay;

    /** The slot of a change that this node has proposed as the leader of the first group, and the ballot under which it led. */
    private long proposed;

    private @Nullable Ballot proposedUnder;

    SeatChanges(
            GeoGroups groups,
            List<GroupLog> logs,
            Rules rules,
            BiConsumer<NodeId, GeoMessage> sender,
            GeoOutlet outlet) {
        this.groups = groups;
        this.logs = logs;
        this.rules = rules;
        this.sender = sender;
        this.outlet = outlet;
    }

    /** Returns who is to take part. */
    OrderedMapsLayout layout() {
        if (layout.version() > 0) {
            return layout;
        }
        List<List<NodeId>> voters = logs.stream().map(log -> names(log.log())).toList();
        List<NodeId> replicas = groups.nodes().stream()
                .filter(node -> voters.stream().noneMatch(group -> group.contains(node)))
                .toList();
        return new OrderedMapsLayout(0, voters, replicas);
    }

    /** Returns who votes in a group, whoever is to. */
    static List<NodeId> names(ReplicatedLog log) {
        return names(log.seats());
    }

    static List<NodeId> names(Seats seats) {
        return seats.list().stream().map(Seat::node).toList();
    }

    /**
     * Returns whether a group has the seats that are wanted. A group that has gone on from one copy has one seat, so
     * it is not complete before somebody has ordered more.
     */
    boolean isSettled(int group) {
        return group >= layout.groups().size()
                ? !logs.get(group).log().allegiance().hasOrigins()
                : layout.groups().get(group).equals(names(logs.get(group).log()));
    }

    /**
     * Returns whether each other acceptor has counted this process as present. An acceptor that had met a later
     * process of this node would not have done so, so nothing was decided with a later one. This proves nothing if the
     * process went back to a snapshot of its memory, so it counts only against the word of a node that may be lying.
     */
    boolean isCounted(Peers peers) {
        NodeId self = peers.self().id();
        List<NodeId> others = layout().groups().stream()
                .filter(each -> each.contains(self))
                .flatMap(List::stream)
                .filter(each -> !each.equals(self))
                .toList();
        return !others.isEmpty() && others.stream().map(peers::find).allMatch(SeatChanges::hasHeard);
    }

    private static boolean hasHeard(@Nullable Peer acceptor) {
        return acceptor != null && acceptor.heardSentNanos() != Long.MIN_VALUE;
    }

    /** Refuses somebody who is to take part and is not there: the name may be a mistake. */
    static GeoEvent.@Nullable Refused unknown(GeoCommand command, Peers peers) {
        for (NodeId added : Layouts.namedBy(command)) {
            Peer peer = peers.find(added);
            boolean isKnown = peer != null && peer.version(GeoPaxosProtocol.CHANNEL) > 0;
            if (!isKnown && !added.equals(peers.self().id())) {
                return OpenRequests.refused(
                        command,
                        GeoEvent.Reason.INVALID,
                        "node " + added + " is not known here, or has no ordered maps: start it first");
            } else if (peer != null && peer.limited()) {
                return OpenRequests.refused(
                        command,
                        GeoEvent.Reason.INVALID,
                        "the certificate of node " + added + " is a limited one: nobody would take its word");
            }
        }
        return null;
    }

    /**
     * Returns the answer to a change that is not ordered, because it cannot be made or is a dry run; null if it is to
     * be ordered.
     */
    @Nullable
    GeoEvent atOnce(GeoCommand command) {
        if (!(command instanceof GeoCommand.Change change)) {
            return null;
        }
        String why = refusal(change);
        if (why != null) {
            return OpenRequests.refused(change, GeoEvent.Reason.INVALID, why);
        } else if (asked != null && !change.isDry()) {
            return OpenRequests.refused(change, GeoEvent.Reason.OPEN, "another change is not answered yet");
        }
        return change.isDry() ? new GeoEvent.Layout(change.token(), change.of(layout())) : null;
    }

    private @Nullable String refusal(GeoCommand.Change change) {
        NodeId removed = change.removed();
        for (int group = groups.count(); removed != null && group < logs.size(); group++) {
            Seats seats = logs.get(group).log().seats();
            if (seats.slot() == 0 && names(seats).contains(removed)) {
                return "group " + group + " has not begun, for which all of " + names(seats) + " must be up: start "
                        + removed + " first, with an empty directory if it lost its own";
            }
        }
        return change.group().isEmpty()
                ? Layouts.refusal(layout(), removed, change.added())
                : Layouts.refusal(layout(), change.group());
    }

    /** Returns whether an operator has asked this node for a change that is not answered. */
    boolean isAsked() {
        return asked != null;
    }

    /** An operator asks this node for the next layout, to be answered when it is ordered. */
    void ask(long token, OrderedMapsLayout next, long now) {
        asked = new Asked(token, next, now);
        answer(); // it may come too late
        repeat(now);
    }

    /** Asks the leader of the first group again, until it is known what became of the change. */
    void repeat(long now) {
        Asked wanted = asked;
        if (wanted == null) {
            return;
        }
        NodeId leader = logs.get(0).log().leader(now);
        if (leader != null) {
            asked = new Asked(wanted.token, wanted.layout, now);
            sender.accept(leader, new GeoMessage.Change(wanted.layout));
        } else if (now - wanted.ledAt > PATIENCE * groups.timing().lease()) {
            asked = null;
            outlet.refused(wanted.token, GeoEvent.Reason.UNDECIDED);
        }
    }

    /**
     * This node is asked as the leader of the first group. What it proposed under an earlier ballot may be lost, and of two changes
     * that are decided the first one counts.
     */
    void onChange(OrderedMapsLayout next, long slot, long now) {
        ReplicatedLog log = logs.get(0).log();
        boolean isUnderWay = proposed > slot && Objects.equals(log.following(now), proposedUnder);
        if (log.leads() && rules.isNext(next, layout) && !isUnderWay) {
            proposed = log.propose(new GroupEntry.Change(next).encode());
            proposedUnder = log.following(now);
        }
    }

    /** Takes a layout that was decided. Of two changes of the same version the first one counts. */
    void decided(OrderedMapsLayout next) {
        if (rules.isNext(next, layout)) {
            layout = next;
        }
        answer();
    }

    /**
     * Answers the change that an operator asked for, if it is decided. Of the changes that came with a state only the last one
     * is known.
     */
    private void answer() {
        Asked wanted = asked;
        if (wanted == null || layout.version() < wanted.layout.version()) {
            return;
        }
        asked = null;
        if (wanted.layout.equals(layout)) {
            outlet.answered(wanted.token, null);
        } else {
            boolean isKnown = wanted.layout.version() == layout.version();
            outlet.refused(wanted.token, isKnown ? GeoEvent.Reason.OUTDATED : GeoEvent.Reason.UNDECIDED);
        }
    }

    /** Returns who takes part, or still votes somewhere. */
    Set<NodeId> present() {
        return present;
    }

    /** Returns whether a node holds everything, or is to. */
    boolean takesPart(NodeId node) {
        return present.isEmpty() ? layout().nodes().contains(node) : present.contains(node);
    }

    /** Takes a step towards the seats that are wanted, where this node leads, and finds out who gets the logs. */
    @SuppressWarnings("ReferenceEquality") // equal ones that came later cost one more look
    void endOfTurn() {
        boolean isNew = seenLayout != layout;
        seenLayout = layout;
        for (int group = 0; group < logs.size(); group++) {
            Seats seats = logs.get(group).log().seats();
            isNew |= seen[group] != seats;
            seen[group] = seats;
        }
        if (isNew) {
            isOnTheWay = !IntStream.range(0, logs.size()).allMatch(this::isSettled);
            TreeSet<NodeId> nodes = new TreeSet<>(layout.version() > 0 ? layout.nodes() : groups.nodes());
            logs.forEach(log -> nodes.addAll(names(log.log())));
            logs.forEach(log -> log.log().learners(nodes));
            present = nodes;
        }
        for (int group = 0; isOnTheWay && group < layout.groups().size(); group++) {
            ReplicatedLog log = logs.get(group).log();
            if (log.leads() && !log.isChangingSeats()) {
                step(log, Layouts.steps(layout.groups().get(group), names(log)));
            }
        }
    }

    /** Takes the first step that can be taken now. */
    private static void step(ReplicatedLog log, List<List<NodeId>> steps) {
        for (List<NodeId> next : steps) {
            if (log.reseat(next) > 0) {
                return;
            }
        }
    }

    /** Returns what was ordered last; {@link Layouts#NONE} for nothing. */
    OrderedMapsLayout ordered() {
        return layout;
    }

    /** Takes what stands in a snapshot. */
    void restore(OrderedMapsLayout stored) {
        layout = stored;
        answer();
    }
}
