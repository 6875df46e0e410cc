package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogRecord;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.contact.ForwardedReads;
import io.georep.geopaxos.core.contact.LeasedReads;
import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.GroupState;
import io.georep.geopaxos.core.execution.InFlight;
import io.georep.geopaxos.core.execution.Pending;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.ClockComparison;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What reads that wait leave behind. */
class LeasedReadsTest extends LeasedReadsFixture {
    private static final NodeId OTHER = NodeId.of("n2");
    private static final Map<String, byte[]> KEYS = Map.of("written", new byte[] {5}, "other", new byte[] {7});

    /** This node has the lease, and something is ahead that is not executed, for want of a group that is dead. */
    private final Rules rules = new Rules() {
        @Override
        public boolean hasLease(ReplicatedLog log, long now) {
            return true;
        }

        @Override
        public Pending ahead(GroupState groupState, Footprint footprint, Uses uses, Predicate<Pending> concerned) {
            return stuck;
        }
    };

    /** What other threads read: a leaf in which no key has a value. */
    private static final CallerReads.Part LEAF = new CallerReads.Part() {
        @Override
        public long number() {
            return LeafService.FIRST_LEAF;
        }

        @Override
        public byte[] value(byte[] begin, byte[] rest) {
            return null;
        }
    };

    private final Deque<Runnable> whileItLooks = new ArrayDeque<>();
    private final LeafService service = new LeafService() {
        @Override
        public CallerReads.Part part(byte[] begin, byte[] rest) {
            if (!whileItLooks.isEmpty()) {
                whileItLooks.remove().run();
            }
            return LEAF;
        }

        @Override
        public long hash(byte[] begin, byte[] rest) {
            return rest[0];
        }
    };
    private final Executor executor = new Executor(1, 1, service, rules, (operation, timestamp, outcome, result) -> {});
    private final CallerReads callers = new CallerReads();
    private final GroupLog log =
            new GroupLog(0, new Seat(SELF, 7), groups, LogRecord.empty(List.of(SELF)), new Random(1), host, outlet, 0);
    private final LeasedReads reads = reads(List.of(log), rules);
    private Pending stuck = pending();

    private LeasedReads reads(List<GroupLog> logs, Rules by) {
        return reads(executor, logs, by);
    }

    private static Pending pending() {
        Slice body = LeafService.use(1, List.of(), List.of(5));
        Operation operation = new Operation(new OpId(SELF, 1, 1), 1, Operation.SERVICE, 9, 1, 0, 1, body);
        return new Pending(operation, new LeafService().footprint(body), 1);
    }

    @Test
    void aReadThatHasWaitedForLongIsOrderedAndLeavesNothing() {
        for (int i = 0; i < 100; i++) {
            reads.read(read(i), i);
        }
        assertThat(reads.behind()).isEqualTo(100);

        reads.retry(PATIENCE, PATIENCE + 49);

        assertThat(ordered).hasSize(50);
        assertThat(reads.behind()).as("those that wait on").isEqualTo(50);
        OpId id = stuck.operation.id();
        stuck = null;
        reads.over(id);
        reads.retry(PATIENCE, PATIENCE + 50);
        assertThat(answered).hasSize(50).first().isEqualTo(50L);
        assertThat(reads.behind()).isZero();
        reads.retry(PATIENCE, 10 * PATIENCE);
        assertThat(ordered).hasSize(50);
    }

    /** Returns what a thread beside the driver finds at a time. */
    private CallerReads.Part look(long at) {
        return callers.part(new byte[0], KEYS.get("written"), () -> at, () -> 0);
    }

    private void opens(InFlight proposed, long processed) {
        CallerReads.Opening[] openings = {new CallerReads.Opening(100, proposed, processed, null)};
        callers.permit(new CallerReads.Permit(executor, new Rules(), clocks(), openings));
    }

    private static ClockComparison clocks() {
        ClockComparison clocks = new ClockComparison();
        clocks.compareFrom(0, 0, 1000, 1000);
        return clocks;
    }

    /** A thread beside the driver looks, and the driver executes something meanwhile. */
    @Test
    void whatAThreadSawWhileSomethingWasExecutedCountsForNothing() {
        opens(new InFlight(), 0);
        for (long slot = 1; slot <= 3; slot++) {
            long next = slot;
            whileItLooks.add(() -> decided(executor, 0, next, new GroupEntry.Set(write(next, 1, List.of((int) next)))));
        }

        assertThat(look(1)).isNull();
        assertThat(look(1)).isSameAs(LEAF);
    }

    /** What it writes. Another group may be without a leader for long, and nothing else waits for that. */
    @Test
    void nobodyReadsBesideTheDriverWhileADecidedWriteWaits() {
        LeasedReads own = reads(List.of(leading()), new Rules());
        Predicate<String> isRead = key -> callers.part(new byte[0], KEYS.get(key), () -> now, () -> 0) != null;
        own.open(callers, clocks(), now);
        assertThat(isRead).accepts("written", "other");

        executor.groupState(0).ripe.add(pending());
        own.open(callers, clocks(), now);
        assertThat(isRead).accepts("other").rejects("written");

        executor.groupState(0).ripe.add(waiting(write(9, 0b11, List.of(1)), service.split(1, 5)));
        own.open(callers, clocks(), now);
        assertThat(isRead).as("of a leaf that is divided").rejects("written", "other");
    }

    private static Pending waiting(Operation operation, Slice like) {
        return new Pending(operation, new LeafService().footprint(like), 2);
    }

    /** Not even one whose clock is behind that of the driver's turn, for which no end is over. */
    @Test
    void nobodyReadsBesideTheDriverWhatBelongsToAGroupThatThisNodeDoesNotLead() {
        GroupLog other = new GroupLog(
                1, new Seat(SELF, 7), groups, LogRecord.empty(List.of(SELF)), new Random(1), host, outlet, 0);
        LeasedReads own = reads(List.of(leading(), other), new Rules());

        own.open(callers, clocks(), now);
        assertThat(look(now - 5)).isSameAs(LEAF);
        executor.placement().put(LeafService.FIRST_LEAF, 0b10);
        assertThat(look(now - 5)).isNull();

        executor.placement().put(LeafService.FIRST_LEAF, 0b11);
        executor.groupState(0).ripe.add(pending());
        own.open(callers, clocks(), now);
        assertThat(look(now - 5))
                .as("the first group has a write of the key that waits")
                .isNull();
    }

    private void proposes(GroupLog by, long slot, int key) {
        Operation write = write(slot, 0b1, List.of(key));
        by.inFlight().proposed(slot, write, executor.footprint(write.kind(), write.body()));
    }

    /** Others may have executed it, if they need not wait for this leader. */
    @Test
    void aReadWaitsForAWriteInFlightThatOthersMayKnowToBeDecided() {
        stuck = null;
        GroupLog own = leading();
        LeasedReads asked = reads(List.of(own), new Rules());
        proposes(own, 9, 5);
        asked.read(read(1), now);
        assertThat(answered).as("this node knows first").containsExactly(1L);

        shares(own, 10, 6);
        asked.read(read(2), now);
        asked.read(new Call(3, Operation.READ, 0, 0, 0, 0, LeafService.use(3, List.of(7), List.of())), now);
        assertThat(answered).as("of another key").containsExactly(1L, 3L);

        assertThat(answered(asked, 9)).containsExactly(1L, 3L, 2L);
        assertThat(asked.behind()).isZero();
        assertThat(ordered).isEmpty();
    }

    private void shares(GroupLog by, long slot, int key) {
        proposes(by, slot, key);
        by.inFlight().shared(slot);
    }

    private List<Long> answered(LeasedReads by, long processed) {
        executor.groupState(0).slot = processed;
        by.retry(PATIENCE, now);
        return answered;
    }

    /** Others go on writing the key all the time. What is in flight under another leadership was not when it came. */
    @Test
    void aReadOfAKeyWaitsForWhatWasInFlightWhenItCame() {
        stuck = null;
        List<GroupLog> led = new ArrayList<>(List.of(leading()));
        LeasedReads asked = reads(led, new Rules());
        shares(led.get(0), 9, 5);
        asked.read(read(1), now);
        shares(led.get(0), 10, 5);
        asked.read(read(2), now);
        assertThat(answered(asked, 8)).isEmpty();
        assertThat(answered(asked, 9)).containsExactly(1L);
        led.set(0, leading());
        shares(led.get(0), 11, 5);
        assertThat(answered(asked, 10)).containsExactly(1L);
    }

    /** What writes it stands in both, so it need not wait for one after the other. */
    @Test
    void aReadOfAKeyOfTwoGroupsWaitsInOneOfThem() {
        stuck = null;
        List<GroupLog> led = List.of(leading(), leading(1));
        LeasedReads asked = reads(led, new Rules());
        executor.placement().put(LeafService.FIRST_LEAF, 0b11);
        shares(led.get(0), 9, 5);
        shares(led.get(1), 7, 5);
        asked.read(read(1), now);
        shares(led.get(0), 10, 5);
        assertThat(answered).isEmpty();
        assertThat(answered(asked, 9)).containsExactly(1L);
    }

    /** Otherwise it could see a write of the one, and miss one of the other that others have executed before. */
    @Test
    void aReadOfTwoKeysWaitsForWhatIsInFlightWhenItLooks() {
        stuck = null;
        GroupLog own = leading();
        LeasedReads asked = reads(List.of(own), new Rules());
        shares(own, 9, 5);
        asked.read(new Call(1, Operation.READ, 0, 0, 0, 0, LeafService.use(1, List.of(5, 6), List.of())), now);
        shares(own, 10, 6);
        assertThat(answered(asked, 9)).isEmpty();
        assertThat(answered(asked, 10)).containsExactly(1L);
    }

    /** Nobody knows whether the leader hears of it. */
    @Test
    void aReadThatHasWaitedForAWriteInFlightForLongIsOrdered() {
        stuck = null;
        GroupLog own = leading();
        LeasedReads asked = reads(List.of(own), new Rules());
        shares(own, 9, 5);
        asked.read(read(1), now);
        assertThat(asked.behind()).isEqualTo(1);

        asked.retry(PATIENCE, now + PATIENCE);
        assertThat(ordered).extracting(Call::token).containsExactly(1L);
        assertThat(asked.behind()).isZero();
    }

    /** What may write any key does so for all, as long as the log was not processed up to there. */
    @Test
    void nobodyReadsBesideTheDriverWhatIsInFlight() {
        Predicate<String> isRead = key -> callers.part(new byte[0], KEYS.get(key), () -> 1, () -> 0) != null;
        InFlight proposed = new InFlight();
        opens(proposed, 8);
        Operation write = write(9, 0b1, List.of(5));
        proposed.proposed(9, write, service.footprint(write.body()));
        assertThat(isRead).as("this node knows first").accepts("written", "other");
        proposed.shared(9);
        assertThat(isRead).accepts("other").rejects("written");

        proposed.proposed(10, write, service.footprint(service.split(1, 5)));
        proposed.shared(10);
        assertThat(isRead).rejects("other", "written");
        opens(proposed, 10);
        assertThat(isRead).accepts("other", "written");
    }

    private void asks(LeasedReads by, long number) {
        by.onRead(OTHER, new GeoMessage.Read(number, read(number).body()), now);
    }

    @Test
    void othersAreAnsweredUnderTheLeaseOnly() {
        stuck = null;
        LeasedReads own = reads(List.of(leading()), new Rules());
        asks(own, 1);
        assertThat(told)
                .singleElement()
                .satisfies(found -> assertThat(found.result()).isNotNull());
        now += 16;
        asks(own, 2);
        assertThat(told).last().isEqualTo(new GeoMessage.Found(2, null));
        assertThat(ordered).as("that is up to who asked").isEmpty();
    }

    @Test
    void othersAreToldNothingThatBelongsToAnotherGroupOrIsAWrite() {
        stuck = null;
        LeasedReads own = reads(List.of(leading()), new Rules());
        own.onRead(OTHER, new GeoMessage.Read(1, LeafService.use(1, List.of(), List.of(5))), now);
        assertThat(told).containsExactly(new GeoMessage.Found(1, null));

        executor.placement().put(LeafService.FIRST_LEAF, 0b10);
        asks(own, 2);
        assertThat(told).last().isEqualTo(new GeoMessage.Found(2, null));
    }

    @Test
    void whatOthersAskWaitsInBoundedNumber() {
        for (int number = 1; number <= ForwardedReads.OPEN_MAX; number++) {
            asks(reads, number);
        }
        assertThat(told).isEmpty();
        asks(reads, 0);
        assertThat(told).containsExactly(new GeoMessage.Found(0, null));

        reads.retry(PATIENCE, now + PATIENCE);
        assertThat(told).hasSize(1 + ForwardedReads.OPEN_MAX).allMatch(found -> found.result() == null);
        assertThat(reads.behind()).isZero();
        asks(reads, -1);
        assertThat(told).as("waits again").hasSize(1 + ForwardedReads.OPEN_MAX);
    }

    /** Its node cannot know: it has led for so long without a word of others. */
    @Test
    void aReadIsOrderedWhenTheLeaseIsOver() {
        GroupLog own = leading();
        LeasedReads asked = reads(List.of(own), new Rules());

        stuck = null;
        asked.read(read(1), now);
        assertThat(answered).containsExactly(1L);
        asked.read(read(2), now + 16);

        assertThat(ordered).extracting(Call::token).containsExactly(2L);
        assertThat(answered).hasSize(1);
    }

    /** It waits for an earlier one, of which this node knows less than others. */
    @Test
    void aReadWaitsForAWriteOfItsGroupThatOthersMayHaveExecuted() {
        Executor two = new Executor(2, 1, new LeafService(), new Rules(), (operation, time, outcome, result) -> {});
        Operation earlier = write(1, 0b11, List.of(5));
        Operation behind = write(2, 0b01, List.of(5, 6));
        decided(two, 0, 1, new GroupEntry.Set(earlier));
        decided(two, 1, 1, new GroupEntry.Set(earlier));
        decided(two, 0, 2, new GroupEntry.Sync(earlier.id(), 1));
        decided(two, 0, 3, new GroupEntry.Set(behind));
        assertThat(two.pending()).hasSize(2);

        Slice body = LeafService.use(3, List.of(6), List.of());
        Pending ahead = two.ahead(0, two.service().footprint(body), Uses.of(body, two.service()), Long.MAX_VALUE);

        assertThat(ahead).isNotNull();
        assertThat(ahead.operation).isEqualTo(behind);
    }

    private static Operation write(long number, int in, List<Integer> keys) {
        Slice body = LeafService.use(number, List.of(), keys);
        return new Operation(new OpId(SELF, 1, number), in, Operation.SERVICE, 9, number, 0, number, body);
    }
}
