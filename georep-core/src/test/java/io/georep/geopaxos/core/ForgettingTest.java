package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Nothing grows with the number of restarts, and what is forgotten is executed by nobody any more. */
class ForgettingTest {
    private static final int FIRST = 0b01;
    private static final int BOTH = 0b11;

    private final long[] slots = new long[3];
    private final TreeMap<OpId, Outcome> done = new TreeMap<>();
    private final Executor executor = new Executor(
            3,
            FIRST,
            new LeafService(),
            new Rules(),
            (operation, timestamp, outcome, result) -> done.put(operation.id(), outcome));
    private long numbers;

    private Operation operation(long incarnation, int groups, int key) {
        return operation(incarnation, ++numbers, groups, key);
    }

    private static Operation operation(long incarnation, long number, int groups, int key) {
        OpId id = new OpId(NodeId.of("n"), incarnation, number);
        Slice body = LeafService.use(number, List.of(), List.of(key));
        return new Operation(id, groups, Operation.SERVICE, 100 + incarnation, number, 0, number, body);
    }

    private void decided(int group, GroupEntry entry) {
        executor.decided(group, ++slots[group], new LogEntry(LogEntry.COMMAND, entry.encode()));
    }

    private void ordered(int group, Operation operation) {
        decided(group, new GroupEntry.Set(operation));
    }

    private void inBoth(Operation operation) {
        ordered(0, operation);
        ordered(1, operation);
        decided(0, new GroupEntry.Sync(operation.id(), 1L << 40));
        decided(1, new GroupEntry.Sync(operation.id(), 1L << 40));
    }

    private int lanes() {
        BinWriter out = new BinWriter();
        GeoAudit.writeLanes(executor, out);
        return out.size();
    }

    private List<StatePiece.Name> clients() {
        List<StatePiece.Name> names = new ArrayList<>();
        executor.pieces().forEachRemaining(each -> names.add(each.name()));
        names.removeIf(name -> name.kind() != StatePiece.CLIENT && name.kind() != StatePiece.RESULT);
        return names;
    }

    @Test
    void nothingGrowsWithTheNumberOfRestarts() {
        inBoth(operation(1, BOTH, 1));
        int before = lanes();
        for (int boot = 2; boot < 500; boot++) {
            inBoth(operation(boot, BOTH, 1));
            ordered(boot % 2, operation(boot, BOTH, 2)); // and its contact crashes
        }
        inBoth(operation(1000, BOTH, 3));

        assertThat(executor.pending()).isEmpty();
        assertThat(lanes()).isLessThan(before + 50);

        long[] ended = new long[499];
        for (int boot = 1; boot < 500; boot++) {
            ended[boot - 1] = 100 + boot;
        }
        OpId id = new OpId(NodeId.of("n"), 1000, ++numbers);
        inBoth(new Operation(id, BOTH, Operation.PRUNE, 0, 0, 0, 0, Operation.prune(ended)));
        assertThat(done.get(id)).isEqualTo(Outcome.EXECUTED);
        assertThat(clients()).as("of the last incarnation").hasSize(2);
        List<StatePiece.Name> kept = new ArrayList<>();
        executor.changes((name, content) -> {
            if (content != null && name.kind() == StatePiece.CLIENT) {
                kept.add(name);
            }
        });
        assertThat(kept).hasSize(1);
    }

    @Test
    void whatComesTooLateIsExecutedByNobodyAndHoldsUpNothing() {
        Operation late = operation(1, BOTH, 5);
        ordered(0, late);
        Operation behind = operation(2, FIRST, 5);
        ordered(0, behind);
        assertThat(done).isEmpty();

        ordered(1, operation(2, 0b10, 9));
        assertThat(done).containsEntry(behind.id(), Outcome.EXECUTED);
        ordered(1, late);
        assertThat(executor.pending()).isEmpty();
        assertThat(done).doesNotContainKey(late.id());
    }

    /** The same, but the group where it is too late was processed first. */
    @Test
    void whatIsKnownToComeTooLateIsNotKept() {
        ordered(1, operation(2, 0b10, 9));
        Operation late = operation(1, BOTH, 5);
        ordered(1, late);
        ordered(0, late);
        assertThat(executor.pending()).isEmpty();
        Operation next = operation(2, FIRST, 5);
        ordered(0, next);
        assertThat(done).containsEntry(next.id(), Outcome.EXECUTED).doesNotContainKey(late.id());
    }

    /** It stood in the store, and was given up twice since: under other names. */
    @Test
    void whatIsGivenUpIsGivenUpInTheStoreAsWell() {
        Operation late = operation(1, 0b111, 5);
        TreeMap<StatePiece.Name, Slice> stored = new TreeMap<>();
        ordered(0, late);
        store(stored);
        assertThat(stored.keySet()).anyMatch(name -> name.kind() == StatePiece.WAITING);
        ordered(1, operation(2, 0b10, 7));
        ordered(2, late);
        store(stored);
        assertThat(stored.keySet()).noneMatch(name -> name.kind() == StatePiece.WAITING);
    }

    private void store(TreeMap<StatePiece.Name, Slice> stored) {
        executor.changes((name, content) -> {
            if (content == null) {
                stored.remove(name);
            } else {
                stored.put(name, content);
            }
        });
    }

    @Test
    void whatComesTooLateTakesNoNumberOfALaterIncarnation() {
        ordered(0, operation(2, 1, FIRST, 9));
        ordered(0, operation(1, 2, FIRST, 5));
        Operation next = operation(2, 2, FIRST, 5);
        ordered(0, next);
        assertThat(done).hasSize(2).containsEntry(next.id(), Outcome.EXECUTED);
    }

    /** Leaders that follow each other may both have proposed it. */
    @Test
    void aRepeatedAttemptMovesNoClock() {
        Operation twice = operation(1, BOTH, 5);
        ordered(0, twice);
        ordered(0, twice);
        assertThat(executor.lane(0).clock).isEqualTo(1);
        inBoth(twice);
        assertThat(done).containsEntry(twice.id(), Outcome.EXECUTED);
        ordered(0, twice);
        assertThat(executor.pending()).isEmpty();
    }

    /** It has begun in no group yet, as far as this node knows. */
    @Test
    void whatOtherGroupsWillOrderWaitsForThem() {
        ordered(1, operation(1, 0b10, 9));
        Operation early = operation(2, BOTH, 5);
        ordered(0, early);
        assertThat(executor.pending()).hasSize(1);
        inBoth(early);
        assertThat(done).containsEntry(early.id(), Outcome.EXECUTED);
    }
}
