package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.contact.LeasedReads;
import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long reads wait for writes of keys that others write all the time. */
class BusyKeyReadsTest extends LeasedReadsFixture {
    /** Two groups, of which this node leads the first. */
    private final class Two implements Executor.Listener {
        private final Executor executor = new Executor(2, 0b11, new LeafService(), new Rules(), this);
        private final GroupLog first = leading();
        private final LeasedReads asked = reads(executor, List.of(first), new Rules());
        private final long[] slots = new long[2];

        @Override
        public void done(Operation operation, long timestamp, Executor.Outcome outcome, Slice result) {
            asked.over(operation.id());
        }

        @Override
        public void dropped(OpId id) {
            asked.over(id);
        }

        /** At once: the earlier its number, the earlier its timestamp. */
        Operation write(int contact, int number) {
            Slice body = LeafService.use(number, List.of(), List.of(5));
            OpId id = new OpId(SELF, contact, number);
            return new Operation(id, 0b11, Operation.SERVICE, 0, 0, 0, number, 100 * number, body);
        }

        void orders(int group, Operation operation) {
            decided(executor, group, ++slots[group], new GroupEntry.Set(operation));
            asked.retry(PATIENCE, now);
        }
    }

    /** Others go on writing the key all the time, in two groups: something of that waits whenever it looks. */
    @Test
    void aReadOfAKeyWaitsForWhatStoodInTheLogWhenItCame() {
        Two two = new Two();
        two.orders(0, two.write(1, 1));
        two.asked.read(read(1), now);
        two.orders(0, two.write(1, 2));
        assertThat(answered).isEmpty();
        two.asked.read(read(2), now);

        two.orders(1, two.write(1, 1));
        assertThat(two.executor.pending()).as("the second one").hasSize(1);
        assertThat(answered).containsExactly(1L);
        two.orders(1, two.write(1, 2));
        assertThat(answered).containsExactly(1L, 2L);
        assertThat(two.asked.behind()).isZero();
    }

    /** It may be executed elsewhere by then, and the other group's log may come late here. */
    @Test
    void aReadOfAKeyWaitsUntilWhatWasInFlightIsExecuted() {
        Two two = new Two();
        Operation write = two.write(1, 1);
        two.first.inFlight().proposed(1, write, two.executor.footprint(write.kind(), write.body()));
        two.first.inFlight().shared(1);
        two.asked.read(read(1), now);
        two.orders(0, write);
        assertThat(answered).isEmpty();

        two.orders(1, write);
        assertThat(answered).containsExactly(1L);
    }

    /** It must see all that is executed when it looks. */
    @Test
    void aReadOfTwoKeysThatHasWaitedOftenIsOrdered() {
        Two two = new Two();
        two.orders(0, two.write(1, 1));
        two.asked.read(new Call(7, Operation.READ, 0, 0, 0, 0, LeafService.use(7, List.of(5, 6), List.of())), now);
        for (int number = 2; number <= LeasedReads.WAITS_MAX + 1; number++) {
            assertThat(ordered).isEmpty();
            two.orders(0, two.write(1, number));
            two.orders(1, two.write(1, number - 1));
        }
        assertThat(ordered).extracting(Call::token).containsExactly(7L);
        assertThat(answered).isEmpty();
        assertThat(two.asked.behind()).isZero();
    }

    /** A later boot of its contact has ordered something in the other group, where it comes too late now. */
    @Test
    void aReadDoesNotWaitForWhatIsGivenUp() {
        Two two = new Two();
        two.orders(0, two.write(1, 1));
        two.asked.read(read(1), now);
        assertThat(two.asked.behind()).isEqualTo(1);

        Operation later = two.write(2, 1);
        two.orders(1, new Operation(later.id(), 0b10, Operation.SERVICE, 0, 0, 0, 1, later.body()));
        assertThat(answered).containsExactly(1L);
        assertThat(two.asked.behind()).isZero();
    }
}
