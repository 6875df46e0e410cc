package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.Proposal;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Placement;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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

    private record Executed(long client, long sequence) {}

    private static final int LOOKS_BACK = 60;

    private final JudgedLogs logs;

    private S single;
    private final GeoRewind rewind = new GeoRewind();
    private final Map<OpId, Operation> asked = new HashMap<>();
    private final @Nullable Holders holders;
    private final List<OpenRead> open = new ArrayList<>();
    Placement placement = new Placement(1);
    private final CallOrder calls = new CallOrder();
    private final Map<Executed, Slice> results = new HashMap<>();
    private final Map<OpId, Slice> attempts = new HashMap<>();
    private final Map<OpId, Boolean> verdicts = new HashMap<>();
    private final Map<OpId, Long> timestamps = new HashMap<>();

    /** Attempts that a node has given up, because they come too late somewhere. */
    final Set<OpId> dropped = new HashSet<>();

    private final Map<NodeId, List<Done>> lives = new HashMap<>();
    private final Map<NodeId, Set<OpId>> executedBy = new HashMap<>();

    /** Is told what was executed first anywhere, with its result. */
    BiConsumer<Slice, Slice> onFirst = (body, result) -> {};

    /** Is told what is lost of that. */
    Consumer<Slice> onLost = body -> {};

    long leased;
    long uncovered;
    long repeated;
    long forgotten;
    long moved;
    int places = 1;
    long passed;
    long restored;

    /**
     * @param founders of the groups
     * @param single the single machine, which has executed nothing
     * @param holders null if nobody looks at what is durable
     */
    GeoJudge(List<List<NodeId>> founders, S single, @Nullable Holders holders) {
        logs = new JudgedLogs(founders);
        this.single = single;
        this.holders = holders;
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
                logs.decided(node, group, slot, entry);
            }

            @Override
            public void dropped(OpId id) {
                dropped.add(id);
                assertThat(timestamps)
                        .as("J7: %s gives up what was executed", node)
                        .doesNotContainKey(id);
            }

            @Override
            public void restored() {
                restored++;
                boots(node);
            }
        };
    }

    /** Returns who votes in a group, and who did before. */
    List<List<NodeId>> seats(int group) {
        return logs.seats(group);
    }

    /** Returns the last decided slots of all groups. */
    long[] decided() {
        return logs.decided();
    }

    /** Returns how many groups there are. */
    int groups() {
        return logs.groups();
    }

    private void done(NodeId node, Operation operation, long timestamp, Outcome outcome, Slice result) {
        OpId id = operation.id();
        assertThat(executedBy.get(node).add(id))
                .as("J7: %s again at %s", id, node)
                .isTrue();
        assertThat(dropped).as("J7: %s executes what was given up", node).doesNotContain(id);
        asked.put(id, operation);
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
                rewind.executed(operation, result);
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
        rewind.executed(operation, expected);
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
        for (int group = 0; group < groups(); group++) {
            assertThat(!operation.isOrderedBy(group) || logs.clock(group) >= timestamp)
                    .as("J5: %s is executed at %d, group %d is at %d", operation, timestamp, group, logs.clock(group))
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
        for (int group = 0; group < groups(); group++) {
            if (!operation.isOrderedBy(group)) {
                continue;
            }
            int at = group;
            Long slot = logs.slot(operation.id(), group);
            assertThat(slot).as("J12: %s in group %d", operation, group).isNotNull();
            List<NodeId> acceptors = logs.voters(group, slot);
            long holding = acceptors.stream()
                    .filter(name -> holders.holds(name, at, slot))
                    .count();
            assertThat(holding)
                    .as("J12: holders of %s in group %d", operation, group)
                    .isGreaterThan(acceptors.size() / 2);
        }
    }

    /**
     * A group goes on from what this node has of it. What these survivors have executed stays as it is, what nobody of them has executed has never
     * been.
     */
    void goesOn(int group, GeoMember from, List<GeoMember> survivors, S fresh) {
        logs.goesOn(
                group,
                from.id,
                from.node.log(group).decided(),
                slot -> survivors.stream()
                        .map(each -> each.disk.get(group).proposals.get(slot))
                        .filter(Objects::nonNull)
                        .max(Comparator.comparing(Proposal::ballot))
                        .map(Proposal::entry)
                        .orElse(null));
        single = fresh;
        placement = new Placement(1);
        rewind.keep(operation -> isDone(operation, survivors), single, placement, lost -> {
            results.remove(new Executed(lost.client(), lost.sequence()));
            calls.lost(lost);
            onLost.accept(lost.body());
        });
        asked.values().removeIf(operation -> !isDone(operation, survivors));
        attempts.keySet().retainAll(asked.keySet());
        verdicts.keySet().retainAll(asked.keySet());
        timestamps.keySet().retainAll(asked.keySet());
        dropped.clear();
        open.forEach(OpenRead::look);
    }

    /** Returns how many slots somebody had voted for who is left, and nobody knew to be decided. */
    long saved() {
        return logs.saved;
    }

    private static boolean isDone(Operation operation, List<GeoMember> survivors) {
        return survivors.stream().anyMatch(each -> each.node.executor().isDone(operation));
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
        return logs.text(group);
    }
}
