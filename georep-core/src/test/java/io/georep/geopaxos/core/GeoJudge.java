package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Placement;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays the run by the instants at which operations are executed first anywhere: each result must be the one that a single machine would
 * have given at that instant. As that is between the call and the answer, the run is strictly serializable. The invariants J1 to J12
 * have their numbers from the notes on the protocol.
 */
final class GeoJudge<S extends Service> {
    /** Whether the entry of a slot is durable at a node. */
    interface Holders {
        boolean holds(NodeId node, int group, long slot);
    }

    private record Done(Operation operation, long timestamp, Footprint footprint) {}

    private record Place(int group, long slot) {}

    private record Executed(long client, long sequence) {}

    private static final int LOOKS_BACK = 60;

    /** By group: who votes from the slot after this one on. */
    private final List<TreeMap<Long, List<NodeId>>> voters = new ArrayList<>();

    private final S single;
    private final @Nullable Holders holders;
    private final List<OpenRead> open = new ArrayList<>();
    final Placement placement;
    private final CallOrder calls = new CallOrder();
    private final Map<Executed, Slice> results = new HashMap<>();
    private final Map<OpId, Slice> attempts = new HashMap<>();
    private final Map<OpId, Boolean> verdicts = new HashMap<>();
    private final Map<OpId, Long> timestamps = new HashMap<>();
    private final Map<NodeId, List<Done>> lives = new HashMap<>();
    private final Map<NodeId, Set<OpId>> executedBy = new HashMap<>();
    private final Map<Place, LogEntry> logs = new HashMap<>();
    private final Map<OpId, TreeMap<Integer, Long>> slots = new HashMap<>();
    private final Map<String, Long> incarnations = new HashMap<>();
    private final long[] first = new long[GeoGroups.MAX];
    private final long[] clocks = new long[GeoGroups.MAX];
    private final long[] decided = new long[GeoGroups.MAX];
    private OrderedMapsLayout layout = Layouts.NONE;
    /** Is told what was executed first anywhere, with its result. */
    BiConsumer<Slice, Slice> onFirst = (body, result) -> {};

    long leased;
    long uncovered;
    long repeated;
    long forgotten;
    long moved;
    int places = 1;
    long passed;
    long restored;

    /**
     * For groups with these founders.
     *
     * @param single the single machine, which has executed nothing
     * @param holders null if nobody looks at what is durable
     */
    GeoJudge(List<List<NodeId>> founders, S single, @Nullable Holders holders) {
        founders.forEach(each -> voters.add(new TreeMap<>(Map.of(0L, each))));
        this.single = single;
        this.holders = holders;
        placement = new Placement(1);
    }

    S single() {
        return single;
    }

    /** A node begins anew, with what its snapshot says. */
    private void boots(NodeId node) {
        lives.put(node, new ArrayList<>());
        executedBy.put(node, new HashSet<>());
    }

    /** Watches a node from a boot on. */
    Executor.Listener watching(NodeId node) {
        boots(node);
        return new Executor.Listener() {
            @Override
            public void done(Operation operation, long timestamp, Outcome outcome, Slice result) {
                GeoJudge.this.done(node, operation, timestamp, outcome, result);
            }

            @Override
            public void processes(int group, long slot, LogEntry entry) {
                GeoJudge.this.decided(node, group, slot, entry);
            }

            @Override
            public void restored() {
                restored++;
                boots(node);
            }
        };
    }

    /** J1 and S1: all nodes have the same logs. */
    private void decided(NodeId node, int group, long slot, LogEntry entry) {
        LogEntry before = logs.putIfAbsent(new Place(group, slot), entry);
        if (before != null) {
            assertThat(entry)
                    .as("J1: slot %d of group %d at %s", slot, group, node)
                    .isEqualTo(before);
            return;
        }
        decided[group] = slot;
        if (entry.kind() == LogEntry.SEATS) {
            List<Seat> seats = Seats.read(entry.body());
            voters.get(group).put(slot, seats.stream().map(Seat::node).toList());
        }
        if (entry.kind() == LogEntry.COMMAND) {
            GroupEntry read = GroupEntry.read(entry.body());
            if (read instanceof GroupEntry.Sync sync) {
                clocks[group] = Math.max(clocks[group], sync.clock());
            } else if (read instanceof GroupEntry.Change change) {
                changes(change.layout());
            } else if (read instanceof GroupEntry.Gone gone) {
                gone.contacts()
                        .forEach(contact -> first[group] =
                                Math.max(first[group], 1 + incarnations.getOrDefault(group + "/" + contact, -1L)));
                gone.contacts().forEach(contact -> incarnations.remove(group + "/" + contact));
            } else if (read instanceof GroupEntry.Set set
                    && isInTime(group, set.operation().id())
                    && slots.computeIfAbsent(set.operation().id(), id -> new TreeMap<>())
                                    .putIfAbsent(group, slot)
                            == null) {
                clocks[group]++;
            }
        }
    }

    private void changes(OrderedMapsLayout next) {
        layout = new Rules().isNext(next, layout) ? next : layout;
        for (int group = voters.size(); group < layout.groups().size(); group++) {
            voters.add(new TreeMap<>(Map.of(0L, layout.groups().get(group))));
        }
    }

    /** Returns who votes in a group, and who did before. */
    List<List<NodeId>> seats(int group) {
        return voters.get(group).descendingMap().values().stream().limit(2).toList();
    }

    /** Returns the last decided slots of all groups. */
    long[] decided() {
        return decided.clone();
    }

    /** Returns how many groups there are. */
    int groups() {
        return voters.size();
    }

    /** What an earlier incarnation of a contact asked comes too late. */
    private boolean isInTime(int group, OpId id) {
        String name = group + "/" + id.contact();
        boolean isKnown = incarnations.containsKey(name);
        return (isKnown || id.incarnation() >= first[group])
                && incarnations.merge(name, id.incarnation(), Math::max) == id.incarnation();
    }

    private void done(NodeId node, Operation operation, long timestamp, Outcome outcome, Slice result) {
        OpId id = operation.id();
        assertThat(executedBy.get(node).add(id))
                .as("J7: %s again at %s", id, node)
                .isTrue();
        Long before = timestamps.putIfAbsent(id, timestamp);
        assertThat(before == null || before == timestamp)
                .as("J2: %s has timestamp %d at %s, and %s elsewhere", id, timestamp, node, before)
                .isTrue();
        inOrder(node, operation, timestamp, outcome);
        if (before == null) {
            clocksPassed(operation, timestamp);
        }
        if (holders != null && id.contact().equals(node)) {
            isSafe(operation);
        }
        if (operation.kind() == Operation.MOVE) {
            if (before == null) {
                move(Move.read(operation.body()));
            }
            return;
        }
        boolean isExecuted = outcome == Outcome.EXECUTED;
        assertThat(verdicts.merge(id, isExecuted, (known, present) -> known))
                .as("J7: whether %s is executed: %s at %s", id, outcome, node)
                .isEqualTo(isExecuted);
        uncovered += outcome == Outcome.UNCOVERED ? 1 : 0;
        repeated += outcome == Outcome.REPEATED ? 1 : 0;
        forgotten += outcome == Outcome.FORGOTTEN ? 1 : 0;
        if (operation.isForService() && outcome == Outcome.EXECUTED) {
            executed(node, operation, result);
        } else if (outcome == Outcome.REPEATED) {
            assertThat(result)
                    .as("J7: the result of %s at %s", operation, node)
                    .isEqualTo(results.get(new Executed(operation.client(), operation.sequence())));
        }
    }

    private void executed(NodeId node, Operation operation, Slice result) {
        Uses uses = Uses.of(operation.body(), single);
        Executed name = new Executed(operation.client(), operation.sequence());
        Slice known = operation.isNumbered() ? results.get(name) : attempts.get(operation.id());
        if (known != null) {
            assertThat(result).as("J7: the result of %s at %s", operation, node).isEqualTo(known);
            return;
        }
        uses.objects()
                .forEach((object, write) -> assertThat(
                                new Rules().covers(operation.groups(), placement.of(object), write))
                        .as("J9: %s uses %d of %d", operation, object, placement.of(object))
                        .isTrue());
        calls.executed(node, operation, single);
        Slice expected = single.execute(operation.body(), placement);
        onFirst.accept(operation.body(), expected);
        open.forEach(OpenRead::look);
        assertThat(result)
                .as("M1: what %s gives, executed first at %s", operation, node)
                .isEqualTo(expected);
        if (operation.isNumbered()) {
            results.put(name, result);
        } else {
            assertThat(uses.writes() && operation.kind() == Operation.READ).isFalse();
            attempts.put(operation.id(), result);
        }
    }

    private void move(Move move) {
        for (long object : move.objects()) {
            if (single.has(object) && placement.of(object) == move.from()) {
                placement.put(object, move.to());
                places |= move.to();
                moved++;
            }
        }
    }

    /** J5: whoever is ordered after the first execution gets a later timestamp. */
    private void clocksPassed(Operation operation, long timestamp) {
        for (int group = 0; group < clocks.length; group++) {
            assertThat(!operation.isOrderedBy(group) || clocks[group] >= timestamp)
                    .as("J5: %s is executed at %d, group %d is at %d", operation, timestamp, group, clocks[group])
                    .isTrue();
        }
    }

    /** J4: among operations that meet and have a group in common, by timestamp and id. */
    private void inOrder(NodeId node, Operation operation, long timestamp, Outcome outcome) {
        List<Done> life = lives.get(node);
        Footprint footprint = operation.isForService()
                ? single.footprint(operation.body())
                : Footprint.objects(Move.read(operation.body()).objects());
        Done now = new Done(operation, timestamp, footprint);
        for (Done earlier : life.subList(Math.max(0, life.size() - LOOKS_BACK), life.size())) {
            boolean common = (earlier.operation.groups() & operation.groups()) != 0;
            boolean isLater = timestamp > earlier.timestamp
                    || (timestamp == earlier.timestamp && operation.id().compareTo(earlier.operation.id()) > 0);
            if (common && !isLater) {
                passed++;
                assertThat(footprint.meets(earlier.footprint))
                        .as("J4: at %s %s %s after %s", node, outcome, now, earlier)
                        .isFalse();
            }
        }
        life.add(now);
    }

    /** A client gets an answer to what may write. */
    void answered(NodeId node, Slice body, long client, long sequence, Slice result) {
        Slice known = results.get(new Executed(client, sequence));
        if (known != null || !single.footprint(body).hasObjects()) {
            assertThat(result)
                    .as("the answer to %d of client %d at %s", sequence, client, node)
                    .isEqualTo(known);
        }
    }

    /** A read is asked. */
    OpenRead asks(Slice body) {
        OpenRead asked = new OpenRead(body);
        asked.look();
        open.add(asked);
        return asked;
    }

    /** What a read may return: what is there at one moment between the call and the answer. */
    final class OpenRead {
        private final Slice body;
        private final Set<Slice> allowed = new HashSet<>();

        private OpenRead(Slice body) {
            this.body = body;
        }

        private void look() {
            allowed.add(single.execute(body, (object, from) -> {}));
        }

        /** It will get no answer, or got one. */
        void ends() {
            open.remove(this);
        }

        void answered(NodeId node, Slice result) {
            ends();
            assertThat(allowed)
                    .as("what a read of %s at %s may return", body, node)
                    .contains(result);
        }
    }

    /** J12: what is answered is held by most of the acceptors of each group, whatever crashes now. */
    private void isSafe(Operation operation) {
        TreeMap<Integer, Long> places = slots.getOrDefault(operation.id(), new TreeMap<>());
        for (int group = 0; group < clocks.length; group++) {
            if (!operation.isOrderedBy(group)) {
                continue;
            }
            int at = group;
            Long slot = places.get(group);
            assertThat(slot).as("J12: %s in group %d", operation, group).isNotNull();
            List<NodeId> acceptors = voters.get(group).lowerEntry(slot).getValue();
            long holding = acceptors.stream()
                    .filter(name -> holders.holds(name, at, slot))
                    .count();
            assertThat(holding)
                    .as("J12: holders of %s in group %d", operation, group)
                    .isGreaterThan(acceptors.size() / 2);
        }
    }

    /** In the end all nodes hold the same, and that is what the single machine holds. */
    void compareStates(Map<NodeId, GeoPaxos> nodes) {
        Slice[] all = {null};
        nodes.forEach((name, node) -> {
            Executor executor = node.executor();
            assertThat(executor.pending()).as("what waits at %s", name).isEmpty();
            assertThat(GeoAudit.state(executor.service()))
                    .as("state of %s", name)
                    .isEqualTo(GeoAudit.state(single));
            assertThat(executor.placement().toString())
                    .as("J8: placement at %s", name)
                    .isEqualTo(placement.toString());
            all[0] = all[0] == null ? GeoAudit.state(executor) : all[0];
            assertThat(GeoAudit.state(executor))
                    .as("state of %s with all that belongs to it", name)
                    .isEqualTo(all[0]);
        });
    }

    @Override
    public String toString() {
        return uncovered + " uncovered, " + repeated + " repeated, " + moved + " moved, " + passed + " passed, "
                + restored + " states taken over";
    }

    /** For people. */
    String log(int group) {
        StringBuilder text = new StringBuilder();
        for (long slot = 1; slot <= decided[group]; slot++) {
            LogEntry entry = logs.get(new Place(group, slot));
            text.append("\n  ").append(slot).append(' ');
            text.append(entry.kind() == LogEntry.COMMAND ? GroupEntry.read(entry.body()) : "seats");
        }
        return text.toString();
    }
}
