package io.georep.flagons.core;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.simulation.Machines;
import io.georep.simulation.SimulatedDisk;
import io.georep.simulation.SimulatedNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges a {@link FleetWing}. At any moment: a process delivers what somebody asked for, in growing places (D1 to D3); a get
 * returns what the operation at its version has written; as many members as were asked for have told who asked what it tells the client, and a
 * change that was answered is on the disks of as many; what was asked ends in time. In the end: all members of
 * a group have what all operations together give, and of those that were answered none is missing, unless all disks that had it were
 * lost (D8, D10).
 */
final class WingJudge {
    private final Machines machines;
    /** What a process was told of a request, and its own word if it is one of the members. */
    private record Voices(SimulatedNode node, int boot, RequestId request) {}

    private final Map<RequestId, FleetOperation> asked = new HashMap<>();

    /** Of those that more than one member is to answer, how many. */
    private final Map<RequestId, Integer> quorums = new HashMap<>();

    /** Who has said what, of requests in {@link #quorums}. */
    private final Map<Voices, Map<NodeId, Set<Outcome>>> heard = new HashMap<>();

    private boolean isDiskLost;
    private long ofTwo;
    private final Map<RequestId, Outcome> answers = new HashMap<>();

    /** All that a node has heard of. */
    private final Map<OrderKey, Event> events = new LinkedHashMap<>();

    /** Places of changes that were answered. */
    private final Set<OrderKey> done = new LinkedHashSet<>();

    private final Set<OrderKey> lost = new HashSet<>();
    private int most;
    private long successes;
    private long unsure;

    WingJudge(Machines machines) {
        this.machines = machines;
    }

    /** What one process delivers. */
    final class Delivered {
        private final SimulatedNode node;
        private OrderKey last = OrderKey.FIRST;

        Delivered(SimulatedNode node) {
            this.node = node;
        }

        void next(Event event) {
            if (event.key().compareTo(last) <= 0) {
                throw new AssertionError("D2 D3: " + node + " delivers " + event.key() + " after " + last);
            }
            checkMade(event);
            // What a node makes by a wrong clock while it hears nobody is in no order with what it takes when the clock
            // is right.
            if (FleetClock.millisOf(event.key().time()) <= node.clock().rightMillis()) {
                last = event.key();
            }
        }
    }

    Delivered boots(SimulatedNode node) {
        return new Delivered(node);
    }

    void asked(FleetOperation operation, int quorum) {
        asked.put(operation.request(), operation);
        if (quorum > 1) {
            quorums.put(operation.request(), quorum);
        }
    }

    /** A member has answered a process that brings a request of a client. */
    void heard(SimulatedNode by, NodeId member, FleetMessage.Answer answer) {
        if (quorums.containsKey(answer.request())) {
            heard.computeIfAbsent(new Voices(by, by.boots(), answer.request()), any -> new HashMap<>())
                    .computeIfAbsent(member, any -> new HashSet<>())
                    .add(answer.outcome());
        }
    }

    boolean isAnswered(RequestId request) {
        return answers.containsKey(request);
    }

    long successes() {
        return successes;
    }

    private void checkMade(Event event) {
        if (!event.operation().equals(asked.get(event.operation().request()))) {
            throw new AssertionError("D1: nobody asked for " + event);
        }
    }

    void passed(Event event) {
        checkMade(event);
        Event other = events.put(event.key(), event);
        if (other != null && !other.operation().equals(event.operation())) {
            throw new AssertionError("D1: two events in one place: " + event + " and " + other);
        }
    }

    void answered(SimulatedNode by, FleetOperation operation, Outcome outcome) {
        if (outcome.status() == Outcome.Status.UNSURE) {
            unsure++;
            return;
        }
        successes++;
        answers.put(operation.request(), outcome);
        checkQuorum(by, operation, outcome);
        if (outcome.isDone()) {
            done.add(outcome.place());
            if (lost.isEmpty() && machines.nodes().stream().noneMatch(node -> hasOnDisk(node, outcome.place()))) {
                throw new AssertionError(by + " is told " + outcome + " of " + operation + ", which is on no disk");
            }
        } else {
            Event found = events.get(outcome.version());
            if (found != null && !Objects.equals(found.operation().value(), outcome.value())) {
                throw new AssertionError(
                        "a get of " + operation.key() + " finds " + outcome + ", not that of " + found);
            }
        }
    }

    private void checkQuorum(SimulatedNode by, FleetOperation operation, Outcome outcome) {
        int quorum = quorums.getOrDefault(operation.request(), 1);
        if (quorum == 1) {
            return;
        }
        ofTwo++;
        Map<NodeId, Set<Outcome>> all = heard.getOrDefault(new Voices(by, by.boots(), operation.request()), Map.of());
        Set<NodeId> alike = new HashSet<>();
        all.forEach((member, outcomes) -> {
            if (outcomes.contains(outcome)) {
                alike.add(member);
            }
        });
        // What it says itself is sent to nobody.
        FleetNode its = FleetWing.node(by);
        if (its != null && its.group().range().has(operation.position())) {
            alike.add(by.id());
        }
        if (alike.size() < quorum) {
            throw new AssertionError(by + " tells " + outcome + " of " + operation + ", which " + quorum
                    + " members are to say and these do: " + alike + " of " + all);
        }
        if (outcome.isDone() && !isDiskLost) {
            long disks = machines.nodes().stream()
                    .filter(node -> hasOnDisk(node, outcome.place()))
                    .count();
            if (disks < quorum) {
                throw new AssertionError(by + " is told " + outcome + " of " + operation + " by " + alike
                        + ", which is on the disks of " + disks);
            }
        }
    }

    /** A request has no answer yet; those whose deadline was before this time have ended. */
    void waits(SimulatedNode by, OwnRequests.Waiting request, long since) {
        if (request.deadline() < since) {
            throw new AssertionError(by + " waits for " + request + " although its time is over");
        }
    }

    private static boolean hasOnDisk(SimulatedNode node, OrderKey place) {
        byte[] key = FleetDisk.key(place);
        return node.disk().surviving(key, key).findAny().isPresent();
    }

    /** A disk is emptied, or replaced by an older one: what no other one has is lost. */
    void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        isDiskLost = true;
        for (OrderKey place : done) {
            boolean isLeft = (image != null && image.has(FleetDisk.key(place)))
                    || machines.nodes().stream()
                            .anyMatch(other -> other != node && !machines.isDead(other) && hasOnDisk(other, place));
            if (!isLeft) {
                lost.add(place);
            }
        }
    }

    /** Returns why not all is as it must be in the end; null if it is. */
    @Nullable
    String unsettled() {
        List<SimulatedNode> running = machines.running();
        most = Math.max(most, running.size());
        List<FleetNode> nodes = new ArrayList<>();
        for (SimulatedNode machine : running) {
            FleetNode node = machine.isListening() ? FleetWing.node(machine) : null;
            if (node == null || !node.coverage().covers(node.group().range())) {
                return machine + " does not have all that its group has"
                        + (node == null
                                ? ""
                                : ": it lacks " + node.coverage().next() + " and knows "
                                        + node.peers().entries().size() + " and "
                                        + node.group().members().size() + " of its group");
            }
            if (node.refusal(OrderKey.FIRST, machine.clock().wallMillis()) != null) {
                return machine + " makes no events: "
                        + node.refusal(OrderKey.FIRST, machine.clock().wallMillis());
            }
            if (node.isCutOff()) {
                return machine + " believes that it is cut off";
            }
            if (node.epidemic().waiting() > 0) {
                return machine + " has events that wait";
            }
            nodes.add(node);
        }
        return differing(running, nodes);
    }

    private @Nullable String differing(List<SimulatedNode> running, List<FleetNode> nodes) {
        Oracle oracle = oracle(nodes);
        Set<Slice> keys = new LinkedHashSet<>();
        asked.values().forEach(each -> keys.add(each.key()));
        keys.removeAll(ofTheFuture());
        for (Slice key : keys) {
            Event right = oracle.writer(key, OrderKey.LAST, event -> true);
            long position = FleetOperation.positionOf(key);
            boolean isThere = false;
            for (int i = 0; i < nodes.size(); i++) {
                if (nodes.get(i).group().range().has(position)) {
                    isThere = true;
                    KeyHistory.State has = nodes.get(i).store().look(key, OrderKey.LAST);
                    boolean isGone = has.value() == null && Oracle.value(right) == null;
                    if (!isGone && !has.version().equals(Oracle.version(right))) {
                        return "D8: " + running.get(i) + " has " + key + " of " + has + ", not of " + right;
                    }
                }
            }
            if (!isThere) {
                return "no group has " + key;
            }
        }
        return null;
    }

    /** Keys that were changed by a node with a wrong clock that had heard nobody: others take the change when its time has come. */
    private Set<Slice> ofTheFuture() {
        long bound = FleetSettings.hardened(1).clockBoundMillis();
        long now = machines.running().get(0).clock().wallMillis();
        Set<Slice> keys = new HashSet<>();
        for (Event event : events.values()) {
            if (FleetClock.millisOf(event.key().time()) > now + bound) {
                keys.add(event.operation().key());
            }
        }
        return keys;
    }

    /** Of what some node has, and of what was answered and not lost. */
    private Oracle oracle(List<FleetNode> nodes) {
        List<Event> counting = new ArrayList<>();
        for (Event event : events.values()) {
            boolean isAnswered = done.contains(event.key()) && !lost.contains(event.key());
            if (isAnswered || nodes.stream().anyMatch(node -> node.store().has(event.key()))) {
                counting.add(event);
            }
        }
        return new Oracle(counting);
    }

    /** D9: gets that were asked when nothing was wrong. */
    void judgeGets(List<FleetOperation> operations) {
        List<FleetNode> nodes = new ArrayList<>();
        machines.running().forEach(machine -> nodes.add(FleetWing.node(machine)));
        Oracle oracle = oracle(nodes);
        Set<Slice> future = ofTheFuture();
        for (FleetOperation operation : operations) {
            Outcome outcome = answers.get(operation.request());
            Event right = oracle.writer(operation.key(), outcome.place(), event -> true);
            if (outcome.status() == Outcome.Status.FOUND
                    && !future.contains(operation.key())
                    && !Objects.equals(Oracle.value(right), outcome.value())) {
                throw new AssertionError("D9: " + operation + " finds " + outcome + ", not " + right);
            }
        }
    }

    @Override
    public String toString() {
        return successes + " answered, " + ofTwo + " by two, " + unsure + " unsure, " + events.size() + " changes, "
                + lost.size() + " lost";
    }
}
