package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.execution.ExecutedTable;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Nothing grows with the number of restarts, or with what clients acknowledge; what comes too late is executed by nobody. */
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
        return new Operation(id, groups, Operation.SERVICE, 0, 0, 0, number, body);
    }

    /** Of client 9, which has acknowledged everything before. */
    private Operation numbered(long sequence, int groups) {
        OpId id = new OpId(NodeId.of("n"), 1, ++numbers);
        Slice body = LeafService.use(sequence, List.of(), List.of((int) sequence % 4));
        return new Operation(id, groups, Operation.SERVICE, 9, sequence, sequence - 1, 0, body);
    }

    private void acked(int group, long number) {
        decided(group, new GroupEntry.Acked(List.of(new GroupEntry.Mark(9, number))));
    }

    private void acked(long number) {
        for (int group = 0; group < 3; group++) {
            acked(group, number);
        }
    }

    private long runs() {
        return executor.table().keptBytes() / ExecutedTable.RUN_BYTES;
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

    private int groupStateBytes() {
        BinWriter out = new BinWriter();
        GeoAudit.writeGroupStates(executor, out);
        return out.size();
    }

    private List<StatePiece.Name> clients() {
        List<StatePiece.Name> names = new ArrayList<>();
        executor.pieces().forEachRemaining(each -> names.add(each.name()));
        names.removeIf(name -> name.kind() == StatePiece.OBJECT || name.kind() == StatePiece.WAITING);
        return names;
    }

    @Test
    void nothingGrowsWithTheNumberOfRestarts() {
        inBoth(operation(1, BOTH, 1));
        int before = groupStateBytes();
        for (int boot = 2; boot < 500; boot++) {
            inBoth(operation(boot, BOTH, 1));
            ordered(boot % 2, operation(boot, BOTH, 2)); // and its contact crashes
        }
        inBoth(operation(1000, BOTH, 3));

        assertThat(executor.pending()).isEmpty();
        assertThat(groupStateBytes()).isLessThan(before + 50);
        assertThat(clients()).isEmpty();
    }

    private static Operation asked(String contact, long incarnation, long number, int groups) {
        OpId id = new OpId(NodeId.of(contact), incarnation, number);
        return new Operation(id, groups, Operation.SERVICE, 0, 0, 0, 0, LeafService.use(1, List.of(), List.of(1)));
    }

    /** Each was replaced by the next one. What they asked last may still be on its way. */
    @Test
    void nothingGrowsWithTheNumberOfNodesThatAreGone() {
        int before = 0;
        for (int node = 1; node <= 50; node++) {
            String name = "n" + (100 + node);
            ordered(0, asked(name, node, 1, FIRST));
            ordered(1, asked(name, node, 2, 0b10));
            ordered(0, asked(name, node, 3, BOTH));
            GroupEntry gone = new GroupEntry.Gone(List.of(NodeId.of(name)));
            decided(0, gone);
            assertThat(executor.pending()).as("the other group may order it").hasSize(1);
            decided(1, gone);
            assertThat(executor.pending()).isEmpty();
            before = node == 1 ? groupStateBytes() : before;
        }
        assertThat(clients()).isEmpty();
        assertThat(groupStateBytes()).isLessThan(before + 10);

        int executed = done.size();
        ordered(0, asked("n107", 7, 1, FIRST));
        ordered(0, asked("n150", 50, 9, FIRST));
        ordered(1, asked("n107", 7, 3, BOTH));
        assertThat(done).as("what comes too late").hasSize(executed);
        Operation back = asked("n107", 60, 1, FIRST);
        ordered(0, back);
        assertThat(done).as("it is there again").containsEntry(back.id(), Outcome.EXECUTED);
    }

    @Test
    void ofWhatIsAcknowledgedOnlyTheNumbersAreKept() {
        TreeMap<StatePiece.Name, Slice> stored = new TreeMap<>();
        for (int number = 1; number <= 100; number++) {
            if (number != 50) {
                ordered(0, numbered(number, FIRST));
            }
            if (number % 10 == 0) {
                store(stored);
            }
        }
        assertThat(clients()).as("a client, a result, and the numbers after 49").hasSize(3);
        assertThat(stored.keySet()).containsAll(clients());
        Operation again = numbered(70, FIRST);
        Operation last = numbered(100, FIRST);
        ordered(0, again);
        ordered(0, last);
        assertThat(done).containsEntry(again.id(), Outcome.FORGOTTEN).containsEntry(last.id(), Outcome.REPEATED);

        Operation between = numbered(50, FIRST);
        ordered(0, between);
        assertThat(done).containsEntry(between.id(), Outcome.EXECUTED);
        assertThat(clients()).hasSize(2);
        store(stored);
        stored.keySet().removeIf(name -> name.kind() == StatePiece.OBJECT);
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(clients());
    }

    /** Each group says so in its own log, whenever it likes. */
    @Test
    void whatAClientHasLeftOutIsForgottenWhenNoGroupOrdersItAnyMore() {
        for (int number = 2; number <= 20; number += 2) {
            ordered(0, numbered(number, FIRST));
        }
        assertThat(runs()).isEqualTo(9);
        acked(0, 19);
        acked(2, 19);
        assertThat(runs()).as("the second group may still order it").isEqualTo(9);
        Slice move = new Move(new long[] {LeafService.FIRST_LEAF}, FIRST, 0b10).encode();
        inBoth(new Operation(new OpId(NodeId.of("n"), 1, ++numbers), BOTH, Operation.MOVE, 0, 0, 0, 0, move));
        Operation still = numbered(5, 0b10);
        ordered(1, still);
        assertThat(done).containsEntry(still.id(), Outcome.EXECUTED);
        Operation late = numbered(7, FIRST);
        ordered(0, late);
        assertThat(done).doesNotContainKey(late.id());

        acked(1, 13);
        assertThat(runs()).as("of 16 and 18").isEqualTo(2);
        acked(1, 19);
        assertThat(clients()).hasSize(2);
    }

    /** Some nodes have processed the log of the other group before, some after. */
    @Test
    void whatStandsInOneGroupAndIsAcknowledgedInAnotherIsExecutedByNobody() {
        Operation late = numbered(5, BOTH);
        ordered(0, late);
        acked(1, 5);
        assertThat(executor.pending()).isEmpty();
        Operation other = numbered(4, BOTH);
        ordered(0, other);
        ordered(1, other);
        ordered(1, late);
        assertThat(executor.pending()).isEmpty();
        assertThat(done).isEmpty();
    }

    /** It stood in all its groups before these had anything to say. */
    @Test
    void whatStandsInTheLogsIsExecutedThoughItsClientHasAcknowledgedIt() {
        ordered(0, numbered(1, FIRST));
        ordered(0, numbered(9, FIRST));
        Operation early = numbered(5, BOTH);
        ordered(0, early);
        ordered(1, early);
        acked(8);
        decided(0, new GroupEntry.Sync(early.id(), 100));
        decided(1, new GroupEntry.Sync(early.id(), 100));
        assertThat(done).containsEntry(early.id(), Outcome.EXECUTED);
        ordered(2, numbered(10, 0b100));
        assertThat(runs()).as("all up to 8 is closed now, and 9 touches it").isZero();
    }

    @Test
    void inAGroupThatIsAddedNothingComesThatCameNoMoreInTheFirst() {
        ordered(0, numbered(9, FIRST));
        acked(8);
        acked(0, 6);
        executor.begins(4);
        Operation late = numbered(8, 0b1000);
        executor.decided(3, 1, new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(late).encode()));
        assertThat(done).doesNotContainKey(late.id());
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
        assertThat(executor.groupState(0).clock).isEqualTo(1);
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
