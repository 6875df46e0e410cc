package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.LogTiming;
import io.georep.geopaxos.core.contact.Submissions;
import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** An operation is answered with its own result, whatever its node's clock and store have been through. */
class SubmissionsTest {
    private static final NodeId SELF = NodeId.of("n1");
    private static final GeoGroups GROUPS =
            new GeoGroups(List.of(SELF), List.of(List.of(SELF)), 1, node -> 0, new LogTiming(1, 10, 1, 30));

    private final List<Object> answered = new ArrayList<>();
    private final GeoOutlet outlet = (GeoOutlet) Proxy.newProxyInstance(
            GeoOutlet.class.getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("answered")) {
                    answered.add(arguments[1] == null ? "lost " + arguments[0] : arguments[0]);
                }
                return null;
            });
    private final Rules rules = new Rules();
    private final Executor executor =
            new Executor(1, 1, new LeafService(), rules, (operation, timestamp, outcome, result) -> {});
    private final List<Operation> sent = new ArrayList<>();

    private Submissions submissions(long incarnation, int seed) {
        return new Submissions(
                SELF, incarnation, set -> 0, set -> false, rules, executor, new Random(seed), sent::add, outlet);
    }

    private static Call call(long sequence) {
        Slice body = LeafService.use(sequence, List.of(), List.of((int) sequence));
        return new Call(sequence, Operation.SERVICE, 9, sequence, 0, 0, body);
    }

    /** The clock was years ahead in an earlier boot. Nobody knows what the second one has ordered when the third one begins. */
    @Test
    void aBootTakesNoIncarnationOfAnEarlierOne() {
        long ahead = OpId.incarnation(1L << 42, 0);
        OpId id = new OpId(SELF, ahead, 1);
        Operation early = new Operation(id, 1, Operation.SERVICE, 9, 1, 0, 1, call(1).body());
        executor.decided(0, 1, new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(early).encode()));

        submissions(5, 1).submit(call(2), 0);
        submissions(7, 2).submit(call(3), 0);

        assertThat(sent).hasSize(2).allMatch(each -> each.id().incarnation() > ahead);
        assertThat(sent.get(0).id()).isNotEqualTo(sent.get(1).id());
    }

    @Test
    void whatAnotherOperationLedToIsNoAnswer() {
        submissions(5, 1).submit(call(2), 0);
        Submissions later = submissions(5, 1);
        later.submit(call(3), 0);
        assertThat(sent.get(0).id()).isEqualTo(sent.get(1).id());

        later.done(sent.get(0), Outcome.EXECUTED, Slice.utf8("of the other"), 0);

        assertThat(answered).isEmpty();
        assertThat(sent).as("asked again").hasSize(3);
        assertThat(sent.get(2).id().incarnation()).isGreaterThan(5);
        later.done(sent.get(2), Outcome.EXECUTED, Slice.utf8("its own"), 0);
        assertThat(answered).containsExactly(3L);
    }

    /** Groups remember each number above that of the oldest open attempt. */
    @Test
    void anAttemptThatDoesNotEndPinsABoundedNumberOfLaterOnes() {
        rules.pinnedMax = 10;
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1), 0);
        for (int sequence = 2; sequence <= 11; sequence++) {
            submissions.submit(call(sequence), 0);
            submissions.done(sent.get(sent.size() - 1), Outcome.EXECUTED, Slice.EMPTY, 0);
        }
        assertThat(sent).hasSize(11).allMatch(each -> each.id().incarnation() == 5);

        submissions.submit(call(12), 0);
        assertThat(sent).as("the one that is open goes on under its name").hasSize(12);
        Operation later = sent.get(11);
        assertThat(later.id().incarnation()).isGreaterThan(5);
        assertThat(later.low()).isEqualTo(later.id().number());
        submissions.resend(1, 0, 0);
        assertThat(sent).hasSize(14).element(12).isEqualTo(sent.get(0));
        submissions.done(sent.get(0), Outcome.EXECUTED, Slice.EMPTY, 0);
        assertThat(answered).hasSize(11).endsWith(1L);
    }

    /** It stood in one group, and came too late in the other one. */
    @Test
    void anAttemptThatIsGivenUpIsAskedForAgain() {
        rules.pinnedMax = 0;
        Executor both = new Executor(2, 1, new LeafService(), rules, (operation, time, outcome, result) -> {});
        Submissions submissions = submissions(both, set -> false);
        Call first = call(1);
        submissions.submit(new Call(1, first.kind(), 9, 1, 0, 0b11, first.body()), 0);
        both.decided(0, 1, set(sent.get(0)));
        submissions.submit(call(2), 0);
        assertThat(sent).as("the one that stands in a log goes on").hasSize(2);
        assertThat(sent.get(1).id().incarnation()).isGreaterThan(5);
        assertThat(sent.get(1).low()).isEqualTo(2);
        submissions.resend(0b11, 10, 10);
        assertThat(sent).hasSize(4).element(2).isEqualTo(sent.get(0));

        OpId later = new OpId(SELF, sent.get(1).id().incarnation(), 9);
        both.decided(1, 1, set(new Operation(later, 0b10, Operation.SERVICE, 9, 3, 0, 2, call(3).body())));
        assertThat(both.pending()).isEmpty();
        submissions.resend(0b11, 20, 20);
        Operation again = sent.get(sent.size() - 2);
        assertThat(again.sequence()).isEqualTo(1);
        assertThat(again.id().incarnation()).isEqualTo(later.incarnation());
        submissions.done(again, Outcome.EXECUTED, Slice.EMPTY, 20);
        assertThat(answered).containsExactly(1L);
    }

    /** It may be on its way to a group: another attempt could make it take effect twice. */
    @Test
    void aWriteWithoutANumberIsAskedAgainOnlyIfItComesTooLate() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(new Call(1, Operation.SERVICE, 0, 0, 0, 0, call(1).body()), 0);
        OpId later = new OpId(SELF, 7, 1);
        submissions.renew(0);
        submissions.resend(1, 0, 0);
        assertThat(sent).hasSize(2).containsOnly(sent.get(0));

        executor.decided(0, 1, set(new Operation(later, 1, Operation.SERVICE, 0, 0, 0, 1, call(2).body())));
        submissions.renew(10);
        assertThat(sent).hasSize(3);
        assertThat(sent.get(2).id().incarnation()).isGreaterThan(7);
        submissions.resend(1, 10, 10);
        assertThat(sent).hasSize(4);
        assertThat(sent.get(3)).isEqualTo(sent.get(2));
        assertThat(answered).isEmpty();
    }

    /** The state of another node has it: whether it was executed, that does not say. */
    @Test
    void aWriteWithoutANumberThatWasSkippedHasNoAnswer() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(new Call(1, Operation.SERVICE, 0, 0, 0, 0, call(1).body()), 0);
        submissions.submit(new Call(2, Operation.READ, 0, 0, 0, 0, call(2).body()), 0);
        submissions.submit(call(3), 0);
        for (int slot = 1; slot <= 3; slot++) {
            executor.decided(0, slot, set(sent.get(slot - 1)));
        }
        submissions.skipped(0);
        assertThat(answered).containsExactly("lost 1", 3L);
        assertThat(sent).as("a read may be asked again").hasSize(4);
    }

    /** The group has said that nothing of the client comes any more up to there. */
    @Test
    void whatItsClientHasAcknowledgedIsNotAskedForEver() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1), 0);
        GroupEntry.Acked acked = new GroupEntry.Acked(List.of(new GroupEntry.Mark(9, 1)));
        executor.decided(0, 1, new LogEntry(LogEntry.COMMAND, acked.encode()));
        executor.decided(0, 2, set(sent.get(0)));
        submissions.resend(1, 10, 10);
        assertThat(sent).hasSize(1);
        assertThat(answered).containsExactly("lost 1");
    }

    /** Leased reads of its keys wait for all its groups. */
    @Test
    void onlyWhatNamesItsKeysTakesOneRoundAndOnlyWhileAllItsGroupsHaveLeaders() {
        int[] led = {0b11};
        Executor two = new Executor(3, 0b11, new LeafService(), rules, (operation, time, outcome, result) -> {});
        Submissions asked = submissions(two, set -> (set & ~led[0]) == 0);
        Slice body = call(1).body();
        IntFunction<Operation> last = groups -> {
            asked.submit(new Call(1, Operation.SERVICE, 0, 0, 0, groups, body), 0);
            return sent.get(sent.size() - 1);
        };
        assertThat(last.apply(0).isAtOnce()).isTrue();
        assertThat(last.apply(0b100).isAtOnce())
                .as("without a leader of the third")
                .isFalse();
        led[0] = 0b10;
        assertThat(last.apply(0).isAtOnce()).isFalse();
        led[0] = 0b111;
        assertThat(last.apply(0b100).isAtOnce()).isTrue();
        asked.submit(Call.of(new Move(new long[] {LeafService.FIRST_LEAF}, 0b11, 0b100), 1), 0);
        assertThat(sent).last().matches(each -> !each.isAtOnce(), "a move");
        asked.submit(new Call(1, Operation.SERVICE, 0, 0, 0, 0, LeafService.chase(1, 1)), 0);
        assertThat(sent).last().matches(each -> !each.isAtOnce(), "what finds its keys while it runs");
        two.placement().put(LeafService.FIRST_LEAF, 0b10);
        assertThat(last.apply(0).isAtOnce()).as("in one group").isFalse();
    }

    /** So no group has given as much when it orders it, unless very much comes between. */
    @Test
    void aContactWantsATimestampThatIsLaterThanAllThatItKnowsAndThanItHasWanted() {
        Executor two = new Executor(2, 0b11, new LeafService(), rules, (operation, time, outcome, result) -> {});
        Submissions asked = submissions(two, set -> true);
        Call call = new Call(1, Operation.SERVICE, 0, 0, 0, 0, call(1).body());
        asked.submit(call, 0);
        asked.submit(call, 0);
        assertThat(sent).extracting(Operation::clock).containsExactly(1L << 16, (1L << 16) + 1);
        two.decided(
                1,
                1,
                new LogEntry(LogEntry.COMMAND, new GroupEntry.Sync(sent.get(0).id(), 300_000).encode()));
        asked.submit(call, 0);
        assertThat(sent).last().extracting(Operation::clock).isEqualTo(300_000L + (1 << 16));
    }

    /** There are so many timestamps only. */
    @Test
    void aContactWantsATimestampThatIsNotMuchLaterThanThoseOfTheGroups() {
        Executor four = new Executor(4, 0b11, new LeafService(), rules, (operation, time, outcome, result) -> {});
        Submissions asked = submissions(four, set -> true);
        Slice body = call(1).body();
        GroupEntry far = new GroupEntry.Sync(new OpId(SELF, 1, 1), 1L << 30);
        four.decided(0, 1, new LogEntry(LogEntry.COMMAND, far.encode()));
        asked.submit(new Call(1, Operation.SERVICE, 0, 0, 0, 0, body), 0);
        four.placement().put(LeafService.FIRST_LEAF, 0b1100);
        asked.submit(new Call(2, Operation.SERVICE, 0, 0, 0, 0, body), 0);

        assertThat(sent).extracting(Operation::clock).containsExactly((1L << 30) + (1 << 16), (1L << 17) + 1);
    }

    private Submissions submissions(Executor of, IntPredicate haveLeaders) {
        return new Submissions(SELF, 5, set -> 0, haveLeaders, rules, of, new Random(1), sent::add, outlet);
    }

    private static Call call(long sequence, int key) {
        return new Call(
                sequence, Operation.SERVICE, 9, sequence, 0, 0, LeafService.use(sequence, List.of(), List.of(key)));
    }

    /** What does not meet it goes at once, and so do another client's. */
    @Test
    void anOperationIsAskedForWhenAnEarlierOneOfItsClientThatItMeetsWasExecuted() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);
        submissions.submit(call(3, 7), 0);
        submissions.submit(call(4, 8), 0);
        submissions.submit(new Call(9, Operation.SERVICE, 8, 5, 0, 0, call(5, 7).body()), 0);
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 4L, 5L);
        assertThat(submissions.open()).isEqualTo(5);

        submissions.done(sent.get(0), Outcome.UNCOVERED, Slice.EMPTY, 0);
        assertThat(sent).extracting(Operation::sequence).as("asked again").endsWith(5L, 1L);
        submissions.done(sent.get(3), Outcome.EXECUTED, Slice.EMPTY, 0);
        assertThat(sent).extracting(Operation::sequence).endsWith(1L, 2L);
        submissions.done(sent.get(4), Outcome.EXECUTED, Slice.EMPTY, 0);
        assertThat(sent).extracting(Operation::sequence).endsWith(2L, 3L);
        submissions.done(sent.get(5), Outcome.EXECUTED, Slice.EMPTY, 0);
        assertThat(submissions.open()).as("those of others").isEqualTo(2);
    }

    /** This node hears nothing more of it: it takes part no more. */
    @Test
    void whatIsAbandonedIsNotAskedAgainAndHoldsNothingBack() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);
        submissions.abandon();
        assertThat(submissions.open()).isZero();
        submissions.resend(1, 10, 10);
        assertThat(sent).hasSize(1);

        submissions.submit(call(3, 7), 10);
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 3L);
    }

    /** Its client repeats the first one, which must not wait for what waits for it. */
    @Test
    void whatIsRepeatedWaitsForNothingThatCameLater() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 1L);

        submissions.done(sent.get(0), Outcome.EXECUTED, Slice.EMPTY, 0);
        submissions.done(sent.get(1), Outcome.REPEATED, Slice.EMPTY, 0);
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 1L, 2L, 2L);
    }

    /** A client that acknowledges an operation gives it up. */
    @Test
    void whatIsGivenUpHoldsNothingBack() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);
        GroupEntry.Acked acked = new GroupEntry.Acked(List.of(new GroupEntry.Mark(9, 1)));
        executor.decided(0, 1, new LogEntry(LogEntry.COMMAND, acked.encode()));
        assertThat(sent).hasSize(1);

        submissions.resend(1, 10, 10);

        assertThat(answered).containsExactly("lost 1");
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 2L);
    }

    @Test
    void whatIsRefusedHoldsNothingBack() {
        Submissions submissions = submissions(5, 1);
        submissions.submit(call(1, 7), 0);
        submissions.submit(call(2, 7), 0);

        submissions.done(sent.get(0), Outcome.REFUSED, Slice.EMPTY, 0);

        assertThat(answered).isEmpty();
        assertThat(sent).extracting(Operation::sequence).containsExactly(1L, 2L);
    }

    @Test
    void ofAClientWithVeryManyOperationsABoundedNumberIsLookedAt() {
        Submissions submissions = submissions(5, 1);
        for (int sequence = 1; sequence <= 1000; sequence++) {
            submissions.submit(call(sequence, sequence % 20), 0);
        }
        int under = sent.size();
        submissions.submit(call(1001, 31), 0);
        assertThat(sent).as("it waits for the first one, whatever that uses").hasSize(under);
        submissions.done(sent.get(0), Outcome.EXECUTED, Slice.EMPTY, 0);
        assertThat(sent).extracting(Operation::sequence).contains(1001L);
    }

    private static LogEntry set(Operation operation) {
        return new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(operation).encode());
    }
}
