package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.GroupState;
import io.georep.geopaxos.core.execution.Pending;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an entry costs does not depend on how many operations wait that have nothing to do with it. */
class ExecutionCostTest {
    private static final int MANY = 2_000;
    private static final int BOTH = 0b011;
    private static final int FIRST = 0b001;

    private long looks;
    private int executed;
    private final long[] slots = new long[2];
    private long numbers;

    private final Executor executor = new Executor(
            2,
            FIRST,
            new OrderedMapService(List.of()),
            new Rules() {
                @Override
                public boolean hasPassed(Pending pending, GroupState[] groupStates) {
                    looks++;
                    return super.hasPassed(pending, groupStates);
                }

                @Override
                public boolean waits(Pending each, Pending earlier) {
                    looks++;
                    return super.waits(each, earlier);
                }

                @Override
                public boolean covers(int groups, int ofObject, boolean write) {
                    looks++;
                    return super.covers(groups, ofObject, write);
                }
            },
            (operation, timestamp, outcome, result) -> executed++);

    private static Slice put(String key) {
        Slice bytes = Slice.of(key.getBytes(StandardCharsets.UTF_8));
        return MapOperation.encode(new MapOperation.Put(new MapEntry(bytes, Slice.EMPTY, 0), Guard.NONE));
    }

    private Operation operation(int groups, Slice body) {
        OpId id = new OpId(NodeId.of("n"), 1, ++numbers);
        return new Operation(id, groups, Operation.SERVICE, 7, numbers, 0, 0, body);
    }

    private void decided(int group, GroupEntry entry) {
        executor.decided(group, ++slots[group], new LogEntry(LogEntry.COMMAND, entry.encode()));
    }

    private Operation inBoth(String key) {
        Operation operation = operation(BOTH, put(key));
        decided(0, new GroupEntry.Set(operation));
        decided(1, new GroupEntry.Set(operation));
        return operation;
    }

    private void sync(Operation operation) {
        decided(0, new GroupEntry.Sync(operation.id(), 2 * MANY));
        decided(1, new GroupEntry.Sync(operation.id(), 2 * MANY));
    }

    @Test
    void anEntryLooksAtNothingThatDoesNotConcernIt() {
        for (int i = 0; i < MANY; i++) {
            inBoth("k" + i);
        }
        assertThat(executed).isZero();
        looks = 0;
        decided(0, new GroupEntry.Set(operation(FIRST, put("other"))));
        assertThat(executed).isOne();
        assertThat(looks).isLessThan(10);
    }

    @Test
    void whatWaitsForTheSameIsLookedAtWhenItsTurnHasCome() {
        Operation first = inBoth("hot");
        for (int i = 0; i < MANY; i++) {
            decided(0, new GroupEntry.Set(operation(FIRST, put("hot"))));
        }
        assertThat(executed).isZero();
        assertThat(looks).isLessThan(10 * MANY);
        looks = 0;
        sync(first);
        assertThat(executed).isEqualTo(MANY + 1);
        assertThat(looks).isLessThan(10 * MANY);
    }

    /** They wait for the clock of a group, not for each other. */
    @Test
    void aClockThatPassesManyLooksAtEachOfThemOnce() {
        Operation last = inBoth("last");
        for (int i = 0; i < MANY; i++) {
            Operation operation = inBoth("k" + i);
            decided(0, new GroupEntry.Sync(operation.id(), 0));
            decided(1, new GroupEntry.Sync(operation.id(), 0));
        }
        assertThat(executed).isEqualTo(MANY);
        assertThat(looks).isLessThan(20 * MANY);
        sync(last);
        assertThat(executed).isEqualTo(MANY + 1);
        assertThat(executor.pending()).isEmpty();
    }

    /** So what a snapshot stores does not depend on how many keys there are. */
    @Test
    void aSnapshotHasOnlyWhatChanged() {
        for (int i = 0; i < MANY; i++) {
            decided(0, new GroupEntry.Set(operation(FIRST, put("k" + i))));
            for (Slice wanted : ((OrderedMapService) executor.service()).upkeep(10, executor.placement())) {
                decided(0, new GroupEntry.Set(operation(FIRST, wanted)));
            }
        }
        Operation waits = inBoth("k7");
        assertThat(changes()).as("all at first").hasSizeGreaterThan(MANY + MANY / 64);
        assertThat(changes()).isEmpty();

        decided(0, new GroupEntry.Set(operation(FIRST, put("k8"))));
        decided(0, new GroupEntry.Set(operation(FIRST, put("k9"))));
        List<StatePiece.Name> changed = changes();
        assertThat(changed).hasSizeLessThanOrEqualTo(4);
        assertThat(changed.stream().map(StatePiece.Name::kind)).contains(StatePiece.OBJECT, StatePiece.RESULT);
        sync(waits);
        assertThat(changes().stream().map(StatePiece.Name::kind)).contains(StatePiece.WAITING);
    }

    private List<StatePiece.Name> changes() {
        List<StatePiece.Name> names = new ArrayList<>();
        executor.changes((name, content) -> names.add(name));
        return names;
    }
}
