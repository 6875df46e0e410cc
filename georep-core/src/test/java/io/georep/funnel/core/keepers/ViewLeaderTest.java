package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the leader of the master grants without an entry, and what it decides meanwhile. */
class ViewLeaderTest extends LedgerOnPaper {
    private final ViewLeader leader = new ViewLeader(policy, LEASE, clock);

    @BeforeEach
    void theFirstView() {
        leader.leads(1, ledger, now);
        for (NodeId each : List.of(A, B, C)) {
            entry(asks(each, 0));
        }
        passWhile(1, A, B, C);
        LedgerEntry.Change first = leader.next(ledger, now);
        assertThat(leader.appends(first, ledger, now)).isTrue();
        apply(first);
        for (NodeId each : List.of(A, B, C)) {
            entry(asks(each, 1));
        }
    }

    private static Renewal asks(NodeId node, long active) {
        return new Renewal(node, 1L << ViewLedger.MILLIS_BITS, active, 0, List.of());
    }

    private Grant entry(Renewal renewal) {
        return leader.applied(leader.entry(renewal, ledger, now), ledger, now);
    }

    private void apply(LedgerEntry.Change change) {
        assertThat(ledger.apply(change)).isTrue();
        leader.changed();
    }

    private Grant answer(NodeId node) {
        return leader.answer(asks(node, 1), ledger, now);
    }

    /** So many leases later, in which these have asked. */
    private void passWhile(double leases, NodeId... asking) {
        for (int step = 0; step < 10 * leases; step++) {
            now += LEASE / 10;
            for (NodeId each : asking) {
                leader.answer(asks(each, ledger.number()), ledger, now);
            }
        }
    }

    @Test
    void whatChangesNothingIsAnsweredWithoutAnEntry() {
        assertThat(answer(A)).isEqualTo(new Grant(ledger.view(), Duration.ofNanos(LEASE), true));
        assertThat(leader.answer(asks(A, 2), ledger, now))
                .as("active in a later view")
                .isNull();
        Renewal lonely = new Renewal(A, 1L << ViewLedger.MILLIS_BITS, 1, 0, List.of(B));
        assertThat(leader.answer(lonely, ledger, now)).as("cannot reach one").isNull();
        assertThat(leader.answer(asks(D, 0), ledger, now)).as("unknown").isNull();
    }

    @Test
    void aLeaseWithoutAnEntryIsWaitedFor() {
        passWhile(1.5, A, B, C);
        passWhile(0.9, A, B);
        assertThat(leader.next(ledger, now)).isNull();

        passWhile(0.3, A, B);

        assertThat(leader.next(ledger, now).removed())
                .extracting(LedgerEntry.Removed::node)
                .containsExactly(C);
    }

    @Test
    void nobodyGetsALeaseWithoutAnEntryWhileTheViewChanges() {
        passWhile(2.5, A, B);
        LedgerEntry.Change change = leader.next(ledger, now);
        assertThat(answer(A)).isNotNull();
        assertThat(leader.appends(change, ledger, now)).isTrue();

        assertThat(answer(A)).isNull();
        assertThat(leader.next(ledger, now)).as("one at a time").isNull();

        apply(change);
        assertThat(leader.answer(asks(A, 1), ledger, now).view().members()).containsExactly(A, B);
    }

    @Test
    void aChangeThatWasDecidedBeforeAGrantIsNotMade() {
        passWhile(2.5, A, B);
        LedgerEntry.Change change = leader.next(ledger, now);
        assertThat(change.removed()).hasSize(1);

        assertThat(answer(C).lease()).isEqualTo(Duration.ofNanos(LEASE));

        assertThat(leader.appends(change, ledger, now)).isFalse();
    }

    @Test
    void theNextLeaderTakesAllLeasesForJustBegun() {
        passWhile(2.5, A, B);
        leader.leads(2, ledger, now);
        assertThat(leader.next(ledger, now)).isNull();
        passWhile(1, A, B);
        assertThat(leader.next(ledger, now)).isNull();

        passWhile(0.3, A, B);

        assertThat(leader.next(ledger, now)).isNotNull();
    }

    @Test
    void afterAFarewellNobodyWaits() {
        assertThat(answer(C)).isNotNull();
        assertThat(entry(asks(C, 1).farewell()).lease()).isZero();
        assertThat(answer(A)).isNotNull();

        assertThat(leader.next(ledger, now).removed())
                .extracting(LedgerEntry.Removed::node)
                .containsExactly(C);
    }

    /** Also by a leader that was elected since. */
    @Test
    void aFarewellOutlivesAnElection() {
        entry(asks(C, 1).farewell());
        leader.leads(2, ledger, now);
        answer(A);
        answer(B);

        assertThat(leader.next(ledger, now).removed()).hasSize(1);
    }

    @Test
    void aQuestionFromBeforeTheFarewellTakesNothingBack() {
        entry(asks(C, 1).farewell());

        assertThat(answer(C)).isNull();
        assertThat(entry(asks(C, 1)).lease()).isZero();

        answer(A);
        assertThat(leader.next(ledger, now).removed()).hasSize(1);
    }

    /** It is another process, and gets its lease as one that was restarted. */
    @Test
    void whoComesBackAfterAFarewellStays() {
        entry(asks(C, 1).farewell());
        entry(new Renewal(C, 2L << ViewLedger.MILLIS_BITS, 1, 0, List.of()));
        answer(A);

        LedgerEntry.Change change = leader.next(ledger, now);

        assertThat(change.removed()).isEmpty();
        assertThat(change.members()).hasSize(3);
    }
}
