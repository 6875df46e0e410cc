package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Placement;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.map.ModelOfMap;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.map.Procedures;
import io.georep.geopaxos.core.map.RandomOperations;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ordered map under the execution of the protocol, without its messages: the logs of three groups grow in random ways, and each
 * replica processes them as it likes, while leaves are divided, joined and moved. Whatever is executed first anywhere must have the
 * result of a simple map (M1), and the same one everywhere; in the end all replicas are equal to the byte.
 */
class OrderedMapExecutionTest {
    private static final int GROUPS = 3;
    private static final int REPLICAS = 3;
    private static final int KEYS = 700;

    private final List<Replica> replicas = new ArrayList<>();
    private final List<List<LogEntry>> logs = new ArrayList<>();
    private final long[] clocks = new long[GROUPS];

    /** What was proposed and is not in the log yet. */
    private final List<Runnable> proposed = new ArrayList<>();

    private final ModelOfMap model = new ModelOfMap();
    private final Map<Long, Slice> results = new HashMap<>();
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private RandomOperations operations = new RandomOperations(0, KEYS);
    private long attempts;
    private long sequence;
    private int divided;
    private int joined;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void replicasStayEqualWhileLeavesAreDividedJoinedAndMoved(int seed) {
        operations = new RandomOperations(seed, KEYS);
        for (int group = 0; group < GROUPS; group++) {
            logs.add(new ArrayList<>());
        }
        Service filled = filled();
        for (int replica = 0; replica < REPLICAS; replica++) {
            replicas.add(new Replica(replica, filled));
        }

        for (int step = 0; step < 30_000; step++) {
            int kind = operations.random.nextInt(12);
            if (kind == 0 && proposed.size() < 30) {
                replicas.get(operations.random.nextInt(REPLICAS)).propose(step / 5_000 % 2 == 0);
            } else if (kind <= 3 && !proposed.isEmpty()) {
                proposed.remove(operations.random.nextInt(proposed.size())).run();
            } else {
                replicas.get(operations.random.nextInt(REPLICAS)).process(operations.random.nextInt(GROUPS));
            }
        }
        drain();

        assertThat(replicas).allSatisfy(replica -> {
            assertThat(replica.executor.pending()).isEmpty();
            assertThat(GeoAudit.state(replica.executor)).isEqualTo(GeoAudit.state(replicas.get(0).executor));
        });
        assertThat(outcomes).containsKeys(Outcome.EXECUTED, Outcome.UNCOVERED);
        assertThat(outcomes.get(Outcome.EXECUTED)).isGreaterThan(2_000);
        assertThat(divided).isPositive();
        assertThat(joined).isPositive();
        assertThat(replicas.get(0).placed()).isNotEmpty().allMatch(replicas.get(0).service::has);
    }

    /** What all begin with. */
    private Service filled() {
        OrderedMapService service = new OrderedMapService(Procedures.ALL);
        Placement unused = new Placement(1);
        for (int turn = 0; turn < 2 * KEYS; turn++) {
            MapOperation operation = operations.next(0);
            service.execute(MapOperation.encode(operation), unused);
            model.run(operation);
            service.upkeep(10, unused).forEach(wanted -> service.execute(wanted, unused));
        }
        return service;
    }

    private void drain() {
        boolean busy = true;
        while (busy) {
            busy = false;
            while (!proposed.isEmpty()) {
                busy = true;
                proposed.remove(0).run();
            }
            for (Replica replica : replicas) {
                for (int group = 0; group < GROUPS; group++) {
                    while (replica.process(group)) {
                        busy = true;
                    }
                }
            }
        }
    }

    /** Has an operation ordered by each of its groups, at some time, and its final timestamp by each. */
    private void order(Operation operation) {
        long[] highest = {0};
        int[] missing = {operation.groups()};
        for (int group = 0; group < GROUPS; group++) {
            int of = group;
            if (operation.isOrderedBy(group)) {
                proposed.add(() -> {
                    append(of, new GroupEntry.Set(operation));
                    clocks[of] = Math.max(clocks[of] + 1, operation.clock());
                    highest[0] = Math.max(highest[0], clocks[of]);
                    missing[0] &= ~(1 << of);
                    if (missing[0] == 0 && !operation.isSingle()) {
                        sync(operation, highest[0]);
                    }
                });
            }
        }
    }

    private void sync(Operation operation, long timestamp) {
        for (int group = 0; group < GROUPS; group++) {
            int of = group;
            if (operation.isOrderedBy(group)) {
                proposed.add(() -> {
                    append(of, new GroupEntry.Sync(operation.id(), timestamp));
                    clocks[of] = Math.max(clocks[of], timestamp);
                });
            }
        }
    }

    private void append(int group, GroupEntry entry) {
        logs.get(group).add(new LogEntry(LogEntry.COMMAND, entry.encode()));
    }

    private final class Replica implements Executor.Listener {
        private final int number;
        private final OrderedMapService service = new OrderedMapService(Procedures.ALL);
        private final Executor executor;
        private final int[] slots = new int[GROUPS];

        Replica(int number, Service filled) {
            this.number = number;
            GeoAudit.copy(filled, service);
            executor = new Executor(GROUPS, 0b001, service, new Rules(), this);
        }

        private int nearest(int set) {
            int group = number;
            while ((set >> group & 1) == 0) {
                group = (group + 1) % GROUPS;
            }
            return group;
        }

        /** Proposes an operation, or the move of a leaf, by what is known here. */
        void propose(boolean grows) {
            int kind = operations.random.nextInt(100);
            if (kind < 16) {
                move();
                return;
            } else if (kind == 16 || (!grows && kind < 20)) {
                burst(grows);
                return;
            }
            List<Slice> wanted =
                    kind < 30 ? service.upkeep(2, (born, from) -> {}) : kind < 40 ? service.expired(500, 2) : List.of();
            Slice body = !wanted.isEmpty()
                    ? wanted.get(operations.random.nextInt(wanted.size()))
                    : MapOperation.encode(
                            kind < 50 ? operations.structural(service) : operations.next(grows ? 0 : KEYS));
            attempt(body, ++sequence, 0);
        }

        /** Fills a leaf, or empties one. */
        private void burst(boolean grows) {
            Slice from = operations.key();
            if (grows) {
                for (int i = 0; i < 50; i++) {
                    byte[] key = Arrays.copyOf(from.toArray(), from.length() + 1);
                    key[from.length()] = (byte) i;
                    MapEntry entry = new MapEntry(Slice.of(key), Slice.EMPTY, 0);
                    attempt(MapOperation.encode(new MapOperation.Put(entry, Guard.NONE)), ++sequence, 0);
                }
                return;
            }
            MapOperation next = new MapOperation.Scan(from, null, 60, false);
            MapResult.Page page =
                    (MapResult.Page) MapResult.decode(service.execute(MapOperation.encode(next), executor.placement()));
            for (MapEntry entry : page.entries()) {
                attempt(MapOperation.encode(new MapOperation.Remove(entry.key(), Guard.NONE)), ++sequence, 0);
            }
        }

        private void move() {
            Uses uses = Uses.of(MapOperation.encode(new MapOperation.Get(operations.key())), service);
            long leaf = uses.objects().keySet().iterator().next();
            // Two that were decided by the same state: the second one must have no effect, even when the leaf is gone.
            move(leaf);
            move(leaf);
        }

        private void move(long leaf) {
            int from = executor.placement().of(leaf);
            int to = operations.random.nextInt(1, 1 << GROUPS);
            Slice body = new Move(new long[] {leaf}, from, to).encode();
            order(new Operation(id(), from | to, Operation.MOVE, number, ++sequence, 0, 0, body));
        }

        private List<Long> placed() {
            return Pattern.compile("-?[0-9]+(?==)")
                    .matcher(executor.placement().toString())
                    .results()
                    .map(match -> Long.valueOf(match.group()))
                    .toList();
        }

        private OpId id() {
            return new OpId(new NodeId("n" + number), 1, ++attempts);
        }

        private void attempt(Slice body, long sequenceOfClient, int tried) {
            int groups = tried | Uses.of(body, service).needed(executor.placement(), this::nearest);
            long clock = attempts % 2 == 0 ? 0 : 1 + 2L * attempts; // too low now and then
            order(new Operation(id(), groups, Operation.SERVICE, number, sequenceOfClient, 0, 0, clock, body));
        }

        boolean process(int group) {
            if (slots[group] == logs.get(group).size()) {
                return false;
            }
            int slot = slots[group]++;
            executor.decided(group, slot + 1, logs.get(group).get(slot));
            return true;
        }

        @Override
        public void done(Operation operation, long timestamp, Outcome outcome, Slice result) {
            outcomes.merge(outcome, 1, Integer::sum);
            boolean isContact = operation.id().contact().equals(new NodeId("n" + number));
            if (operation.kind() != Operation.SERVICE) {
                return;
            }
            if (outcome == Outcome.UNCOVERED) {
                if (isContact) {
                    attempt(operation.body(), operation.sequence(), operation.groups());
                }
                return;
            }
            if (outcome != Outcome.EXECUTED) {
                return;
            }
            Slice first = results.putIfAbsent(operation.sequence(), result);
            MapOperation decoded = MapOperation.decode(operation.body());
            if (first != null) {
                assertThat(result).as("%s at %s", decoded, number).isEqualTo(first);
            } else if (decoded instanceof MapOperation.Split) {
                divided += hasEffect(result);
                move(service.footprint(operation.body()).objects()[1]);
            } else if (decoded instanceof MapOperation.Merge) {
                joined += hasEffect(result);
            } else {
                assertThat(MapResult.decode(result)).as("%s", decoded).isEqualTo(model.run(decoded));
            }
        }

        private int hasEffect(Slice result) {
            return MapResult.decode(result).equals(new MapResult.Counted(0)) ? 0 : 1;
        }
    }
}
