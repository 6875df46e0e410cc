package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules by which the master makes views. */
class ViewLedgerTest {
    private static final long LEASE = 1_000_000;
    private static final double RATE_ERROR = 0.01;
    private static final NodeId A = NodeId.of("a");
    private static final NodeId B = NodeId.of("b");
    private static final NodeId C = NodeId.of("c");
    private static final NodeId D = NodeId.of("d");

    private final ViewPolicy policy = new ViewPolicy(List.of(A, B, C), LEASE);
    private ViewLedger ledger = new ViewLedger();
    private long now = -5 * LEASE;
    private LeaseClock clock = new LeaseClock(RATE_ERROR, LEASE, now);

    private ViewLedger.Answer renew(NodeId node, long incarnation, long active, long ready, NodeId... unreachable) {
        Renewal renewal = new Renewal(node, incarnation << 32, active, ready, List.of(unreachable));
        LedgerEntry.Renew entry = (LedgerEntry.Renew)
                LedgerEntry.decode(new LedgerEntry.Renew(renewal, policy.leaseFor(node, ledger, clock, now)).encode());
        ViewLedger.Answer answer = ledger.apply(entry);
        clock.applied(renewal, answer.granted() ? entry.leaseNanos() : 0, now);
        return answer;
    }

    private ViewLedger.Answer renew(NodeId node) {
        return renew(node, 1, ledger.number(), 0);
    }

    private LedgerEntry.Change next() {
        return policy.next(ledger, clock, now);
    }

    /** Proposes and applies what is to be done next. Returns whether there was anything. */
    private boolean step() {
        LedgerEntry.Change change = next();
        if (change == null) {
            return false;
        }
        assertThat(LedgerEntry.decode(change.encode())).isEqualTo(change);
        assertThat(ledger.apply(change)).isTrue();
        ledger = ViewLedger.decode(ledger.encode());
        return true;
    }

    /** Time passes, in which these nodes renew. */
    private void pass(double leases, NodeId... alive) {
        long end = now + (long) (leases * LEASE);
        while (now < end) {
            now = Math.min(end, now + LEASE / 4);
            for (NodeId each : alive) {
                renew(each);
            }
        }
    }

    private void found() {
        Stream.of(A, B, C).forEach(each -> renew(each, 1, 0, 0));
        assertThat(step()).isTrue();
        Stream.of(A, B, C).forEach(each -> renew(each, 1, 1, 0));
    }

    private List<NodeId> members() {
        return ledger.view().members();
    }

    @Test
    void theFirstViewHasAllFoundersOnceAllHaveAsked() {
        assertThat(renew(A, 1, 0, 0)).isEqualTo(new ViewLedger.Answer(null, false));
        renew(C, 1, 0, 0);
        assertThat(next()).isNull();
        renew(B, 1, 0, 0);

        assertThat(step()).isTrue();

        assertThat(ledger.view()).isEqualTo(new View(1, List.of(A, B, C)));
        assertThat(renew(B, 1, 0, 0)).isEqualTo(new ViewLedger.Answer(ledger.view(), true));
        assertThat(renew(D, 1, 0, 0)).isEqualTo(new ViewLedger.Answer(ledger.view(), false));
        assertThat(next()).isNull();
    }

    @Test
    void aMasterThatLostItsOwnStorageMakesNoEmptyMap() {
        renew(A, 1, 0, 0);
        renew(B, 1, 0, 0);
        renew(C, 1, 7, 0);

        assertThat(next()).isNull();
        assertThat(policy.trouble(ledger)).contains("c active in view 7").contains("own storage");
    }

    @Test
    void aMemberThatIsGoneIsTakenOutWhenItsLastLeaseHasEndedOnAnyClock() {
        found();
        long granted = now;
        long end = clock.endOf(B);

        assertThat(end - granted).isGreaterThan((long) (LEASE * 1.01 / 0.99)).isLessThan((long) (LEASE * 1.03));
        while (now < end) {
            assertThat(next()).isNull();
            now = Math.min(end, now + LEASE / 4);
            renew(A);
            renew(C);
        }
        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(2, List.of(A, C)));
        assertThat(renew(B, 1, 1, 0).granted()).isFalse();
    }

    @Test
    void aRenewalThatComesBeforeTheChangeMakesItVoid() {
        found();
        pass(1.1, A, C);
        LedgerEntry.Change change = next();
        assertThat(change.removed()).containsExactly(new LedgerEntry.Removed(B, 1));

        assertThat(renew(B).granted()).isTrue();

        assertThat(ledger.apply(change)).isFalse();
        assertThat(next()).isNull();
        assertThat(members()).containsExactly(A, B, C);
    }

    @Test
    void aRenewalThatComesAfterTheChangeGrantsNothing() {
        found();
        LedgerEntry.Renew late = new LedgerEntry.Renew(new Renewal(B, 1L << 32, 1, 0, List.of()), LEASE);
        pass(1.1, A, C);
        step();

        assertThat(ledger.apply(late)).isEqualTo(new ViewLedger.Answer(ledger.view(), false));
    }

    @Test
    void aNewLeaderTakesEverybodysLeaseForJustBegun() {
        found();
        pass(1, A, C);
        clock = new LeaseClock(RATE_ERROR, LEASE, now);

        pass(1, A, C);
        assertThat(next()).isNull();
        pass(0.1, A, C);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, C);
    }

    @Test
    void aReplicaThatBecomesTheLeaderDoesSoToo() {
        found();
        pass(1, A, C);
        clock.restart(ledger.longestLeaseNanos(), now);
        pass(1, A, C);

        assertThat(clock.ended(B, now)).isFalse();
        assertThat(next()).isNull();
    }

    @Test
    void whenNobodyAsksNobodyIsTakenOut() {
        found();
        now += 100 * LEASE;

        assertThat(next()).isNull();
        assertThat(renew(B).granted()).isTrue();
        assertThat(next().members()).extracting(LedgerEntry.Joined::node).containsExactly(B);
    }

    @Test
    void aSlowMemberMayGoOnUntilItIsOut() {
        found();
        now += 2 * LEASE;
        renew(A);

        assertThat(renew(B).granted()).isTrue();
        assertThat(next().members()).extracting(LedgerEntry.Joined::node).containsExactly(A, B);
    }

    @Test
    void aRestartedMemberGetsNoLeaseBeforeTheNextView() {
        found();

        assertThat(renew(B, 2, 1, 0).granted()).isFalse();
        assertThat(step()).isTrue();

        assertThat(ledger.view()).isEqualTo(new View(2, List.of(A, B, C)));
        assertThat(renew(B, 2, 1, 0).granted()).isTrue();
        assertThat(next()).isNull();
        assertThat(renew(B, 1, 1, 0).granted())
                .as("a late message of the first process")
                .isFalse();
        assertThat(next()).isNull();
    }

    /** It was away for longer than its lease, and nobody has taken it out meanwhile. */
    @Test
    void aMemberThatRestartedSlowlyStays() {
        found();
        pass(3);
        for (NodeId each : List.of(A, B, C)) {
            renew(each, 2, 1, 0);
        }

        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(2, List.of(A, B, C)));
        assertThat(next()).isNull();
        assertThat(renew(A, 2, 1, 0).granted()).isTrue();
    }

    /** It asked before its boot number was durable, and died: the next process has the same one, and is told apart all the same. */
    @Test
    void aProcessWithTheSameBootNumberIsAnotherOne() {
        found();
        Renewal other = new Renewal(B, (1L << 32) - 1 + (1L << 32), 1, 0, List.of());
        Renewal another = new Renewal(B, (1L << 32) + 1, 1, 0, List.of());
        for (Renewal each : List.of(other, another)) {
            assertThat(ledger.apply(new LedgerEntry.Renew(each, LEASE)).granted()).isFalse();
            clock.applied(each, 0, now);
            assertThat(step()).isTrue();
            assertThat(ledger.apply(new LedgerEntry.Renew(each, LEASE)).granted()).isTrue();
        }
        assertThat(ledger.number()).isEqualTo(3);
    }

    @Test
    void aChangeForAnEarlierProcessIsVoid() {
        found();
        renew(B, 2, 1, 0);
        LedgerEntry.Change change = next();
        renew(B, 3, 1, 0);

        assertThat(ledger.apply(change)).isFalse();
        assertThat(step()).isTrue();
        assertThat(renew(B, 3, 1, 0).granted()).isTrue();
    }

    @Test
    void aMemberWithAnOlderOrEmptyStoreIsTakenOutAndLearns() {
        found();
        renew(B, 2, 0, 0);
        assertThat(next()).as("its last lease has not ended").isNull();
        assertThat(renew(B, 2, 0, 0).granted()).isFalse();
        pass(1.1, A, C);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, C);
        Stream.of(A, C).forEach(this::renew);
        renew(B, 2, 0, 0);
        assertThat(next()).isNull();

        renew(B, 2, 0, 2);
        assertThat(step()).isTrue();

        assertThat(ledger.view()).isEqualTo(new View(3, List.of(B, A, C)));
        assertThat(renew(B, 2, 0, 2).granted()).isTrue();
    }

    @Test
    void aNodeJoinsAtTheFrontWhenItHasCaughtUpWithTheNewestView() {
        found();
        renew(D, 1, 0, 0);
        assertThat(next()).isNull();
        renew(D, 1, 0, 9);
        assertThat(next()).as("ready in another view").isNull();
        renew(D, 1, 0, 1, C);
        assertThat(next()).as("it cannot reach a member").isNull();
        renew(D, 1, 0, 1);
        pass(1.1, A, B, C);
        assertThat(next()).as("it has not asked for long").isNull();
        renew(D, 1, 0, 1);

        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(2, List.of(D, A, B, C)));
    }

    @Test
    void nobodyJoinsWhileTheMembersCompareWhatTheyHave() {
        found();
        renew(B, 2, 1, 0);
        renew(D, 1, 0, 1);
        step();
        renew(D, 1, 0, 2);
        renew(B, 2, 2, 0);
        renew(A);
        assertThat(members()).containsExactly(A, B, C);
        assertThat(next()).as("c is not active in view 2").isNull();

        renew(C);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(D, A, B, C);
    }

    /** A joiner has not everything before it was active: if only it is left, there is no view. */
    @Test
    void aViewWithoutACompleteMemberIsNeverMade() {
        found();
        renew(D, 1, 0, 1);
        step();
        pass(3, D);
        renewInactive(D);

        assertThat(next()).isNull();
        renew(D, 1, 2, 0);
        assertThat(next().members()).extracting(LedgerEntry.Joined::node).containsExactly(D);
    }

    private void renewInactive(NodeId node) {
        assertThat(ledger.known(node).complete()).isTrue();
        ViewLedger again = new ViewLedger();
        ledger = again;
        clock = new LeaseClock(RATE_ERROR, LEASE, now);
        found();
        renew(node, 1, 0, 1);
        step();
        for (int i = 0; i < 12; i++) {
            now += LEASE / 4;
            renew(node, 1, 0, 0);
        }
    }

    @Test
    void whenAllMembersLostTheirStoresThatIsSaid() {
        found();
        Stream.of(A, B, C).forEach(each -> renew(each, 2, 0, 0));
        pass(5);

        assertThat(next()).isNull();
        assertThat(policy.trouble(ledger)).contains("no member of view 1").contains("a active in view 0");
        renew(C, 3, 1, 0);
        assertThat(policy.trouble(ledger)).isNull();
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(C);
    }

    /** After a power cut the members come back one by one; a store that is complete stays in, though its node is not there yet. */
    @Test
    void aLostStoreGoesAndTheAbsentCompleteOnesStay() {
        found();
        pass(3);
        renew(C, 2, 0, 0);

        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, B);
        renew(A, 2, 1, 0);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A);
    }

    @Test
    void ofTwoThatCannotReachEachOtherTheOneWithMoreSuchOthersGoesElseTheLowerRank() {
        found();
        renew(C, 1, 1, 0, A);
        assertThat(policy.mayGrant(A, ledger, clock, now)).isFalse();
        assertThat(next()).isNull();
        for (int i = 0; i < 5; i++) {
            assertThat(renew(A).granted()).isFalse();
            now += LEASE / 4;
            renew(B);
            renew(C, 1, 1, 0, A);
        }
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(B, C);
    }

    @Test
    void theTailGoesIfItIsTheOneThatNobodyReaches() {
        found();
        renew(A, 1, 1, 0, C);
        renew(B, 1, 1, 0, C);

        assertThat(policy.mayGrant(C, ledger, clock, now)).isFalse();
        assertThat(policy.mayGrant(A, ledger, clock, now)).isTrue();
        assertThat(policy.mayGrant(B, ledger, clock, now)).isTrue();
        renew(A);
        renew(B);
        assertThat(policy.mayGrant(C, ledger, clock, now))
                .as("they reach each other again")
                .isTrue();
    }

    @Test
    void amongMembersThatReachNobodyOneIsLeft() {
        found();
        renew(A, 1, 1, 0, B, C);
        renew(B, 1, 1, 0, A, C);
        renew(C, 1, 1, 0, A, B);
        for (int i = 0; i < 5; i++) {
            now += LEASE / 4;
            renew(C, 1, 1, 0, A, B);
        }

        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(C);
    }

    @Test
    void aChangeIsVoidIfAnythingOfItDoesNotFit() {
        found();
        LedgerEntry.Joined a = new LedgerEntry.Joined(A, 1L << 32);
        LedgerEntry.Joined b = new LedgerEntry.Joined(B, 1L << 32);
        LedgerEntry.Joined c = new LedgerEntry.Joined(C, 1L << 32);
        LedgerEntry.Removed out = new LedgerEntry.Removed(C, 1);
        List<LedgerEntry.Change> changes = new ArrayList<>();
        changes.add(new LedgerEntry.Change(0, List.of(a, b, c), List.of()));
        changes.add(new LedgerEntry.Change(1, List.of(), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of()));
        changes.add(new LedgerEntry.Change(1, List.of(a, b, c), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, a, b), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of(new LedgerEntry.Removed(C, 2))));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of(new LedgerEntry.Removed(D, 0), out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, b, new LedgerEntry.Joined(D, 1L << 32)), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, new LedgerEntry.Joined(B, 2L << 32)), List.of(out)));
        Slice before = ledger.encode();

        assertThat(changes).noneMatch(ledger::apply);
        assertThat(ledger.encode()).isEqualTo(before);
        assertThat(ledger.apply(new LedgerEntry.Change(1, List.of(a, b), List.of(out))))
                .isTrue();
    }

    @Test
    void onlySoManyStrangersAreRemembered() {
        found();
        for (int i = 0; i < 2 * ViewLedger.CANDIDATES_MAX; i++) {
            renew(NodeId.of("x" + i), 1, 0, 0);
        }

        assertThat(ledger.names()).hasSize(3 + ViewLedger.CANDIDATES_MAX).contains(A, B, C);
        assertThat(ledger.names()).doesNotContain(NodeId.of("x0"));
    }

    @Test
    void otherBytesAreRefused() {
        found();
        byte[] snapshot = ledger.encode().toArray();
        for (int length = 0; length < snapshot.length; length++) {
            Slice part = new Slice(snapshot, 0, length);
            assertThatThrownBy(() -> ViewLedger.decode(part)).isInstanceOf(MalformedException.class);
            assertThatThrownBy(() -> LedgerEntry.decode(part)).isInstanceOf(MalformedException.class);
        }
        assertThat(ViewLedger.decode(Slice.of(snapshot)).encode()).isEqualTo(Slice.of(snapshot));
    }

    @Test
    void aRateErrorOfAHalfIsNone() {
        assertThatThrownBy(() -> new LeaseClock(0.5, LEASE, 0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("0.5");
    }
}
