package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.GroupState;
import io.georep.geopaxos.core.execution.Pending;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Where one group orders everything, operations cost little, and what clients have acknowledged is forgotten at once. */
class OneGroupTest {
    private final List<Outcome> outcomes = new ArrayList<>();
    private int looks;
    private long slots;

    private final Executor executor = new Executor(
            1,
            1,
            new LeafService(),
            new Rules() {
                @Override
                public boolean hasPassed(Pending pending, GroupState[] groupStates) {
                    looks++;
                    return super.hasPassed(pending, groupStates);
                }
            },
            (operation, timestamp, outcome, result) -> outcomes.add(outcome));

    private void ordered(long sequence, long acked) {
        slots++;
        Operation operation = new Operation(
                new OpId(NodeId.of("n"), 1, slots),
                1,
                Operation.SERVICE,
                7,
                sequence,
                acked,
                slots,
                LeafService.use(sequence, List.of(), List.of(1)));
        executor.decided(0, slots, new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(operation).encode()));
    }

    @Test
    void acknowledgedResultsAreForgottenAtOnce() {
        for (int sequence = 1; sequence <= 100; sequence++) {
            ordered(sequence, Math.max(0, sequence - 3));
        }

        assertThat(executor.table().size()).isEqualTo(3);
        outcomes.clear();
        ordered(100, 97);
        ordered(97, 0);
        assertThat(outcomes).containsExactly(Outcome.REPEATED, Outcome.FORGOTTEN);
    }

    @Test
    void resultsThatComeAndGoBetweenTwoSnapshotsAreNotStored() {
        Map<Name, Boolean> stored = new TreeMap<>();
        for (int sequence = 1; sequence <= 10; sequence++) {
            ordered(sequence, sequence - 1);
        }
        executor.changes((name, content) -> stored.put(name, content != null));
        assertThat(results(stored)).containsExactly(entry(10L, true));

        stored.clear();
        for (int sequence = 11; sequence <= 20; sequence++) {
            ordered(sequence, sequence - 1);
        }
        executor.changes((name, content) -> stored.put(name, content != null));
        assertThat(results(stored)).containsExactly(entry(10L, false), entry(20L, true));
    }

    private static Map<Long, Boolean> results(Map<Name, Boolean> stored) {
        Map<Long, Boolean> results = new TreeMap<>();
        stored.forEach((name, isThere) -> {
            if (name.kind() == StatePiece.RESULT) {
                results.put(name.second(), isThere);
            }
        });
        return results;
    }

    @Test
    void whatNothingIsInTheWayOfIsExecutedWithoutALookAtWhatWaits() {
        ordered(1, 0);

        assertThat(outcomes).containsExactly(Outcome.EXECUTED);
        assertThat(looks).isZero();
    }
}
