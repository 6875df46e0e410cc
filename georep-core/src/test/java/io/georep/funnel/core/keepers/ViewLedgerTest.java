package io.georep.funnel.core.keepers;

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
import org.junit.jupiter.api.Test;

/** Views begin, and members that are gone are taken out when their leases have ended. */
class ViewLedgerTest extends LedgerOnPaper {
    @Test
    void theFirstViewHasAllFoundersOnceAllHaveAsked() {
        assertThat(renew(A, 1, 0, 0)).isEqualTo(new ViewLedger.Answer(null, false));
        pass(1, A, C);
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
        LedgerEntry.Renew late =
                new LedgerEntry.Renew(new Renewal(B, 1L << ViewLedger.MILLIS_BITS, 1, 0, List.of()), LEASE);
        pass(1.1, A, C);
        step();

        assertThat(ledger.apply(late)).isEqualTo(new ViewLedger.Answer(ledger.view(), false));
    }

    @Test
    void aNewLeaderTakesEverybodysLeaseForJustBegun() {
        found();
        pass(1, A, C);
        clock = new LeaseClock(RATE_ERROR, LEASE, LEASE, now);

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

    /** It had learned, and was not active yet. That it had nothing then would leave the view without a complete member. */
    @Test
    void whatAnEarlierProcessSaidAndComesAfterItsSuccessorDoesNotCount() {
        found();
        renew(D, 1, 0, 1);
        assertThat(step()).isTrue();
        renew(D);
        pass(1.1, D);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(D);
        renew(D);

        renew(D, 2, 3, 0);
        renew(D, 1, 0, 1);
        renew(D, 2, 3, 0);
        assertThat(policy.trouble(ledger)).isNull();
        assertThat(step()).isTrue();
        assertThat(renew(D, 2, 3, 0).granted()).isTrue();
    }

    @Test
    void whenNobodyAsksNobodyIsTakenOut() {
        found();
        now += 100 * LEASE;

        assertThat(next()).isNull();
        assertThat(renew(B).granted()).isTrue();
        assertThat(next()).as("the others have had no time to ask").isNull();
        pass(1.1, B);
        assertThat(next().members()).extracting(LedgerEntry.Joined::node).containsExactly(B);
    }

    @Test
    void aSlowMemberMayGoOnUntilItIsOut() {
        found();
        pass(2, A);

        assertThat(renew(B).granted()).isTrue();
        assertThat(next().members()).extracting(LedgerEntry.Joined::node).containsExactly(A, B);
    }

    @Test
    void aChangeIsVoidIfAnythingOfItDoesNotFit() {
        found();
        LedgerEntry.Joined a = new LedgerEntry.Joined(A, 1L << ViewLedger.MILLIS_BITS);
        LedgerEntry.Joined b = new LedgerEntry.Joined(B, 1L << ViewLedger.MILLIS_BITS);
        LedgerEntry.Joined c = new LedgerEntry.Joined(C, 1L << ViewLedger.MILLIS_BITS);
        LedgerEntry.Removed out = new LedgerEntry.Removed(C, 1);
        List<LedgerEntry.Change> changes = new ArrayList<>();
        changes.add(new LedgerEntry.Change(0, List.of(a, b, c), List.of()));
        changes.add(new LedgerEntry.Change(1, List.of(), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of()));
        changes.add(new LedgerEntry.Change(1, List.of(a, b, c), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, a, b), List.of(out)));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of(new LedgerEntry.Removed(C, 2))));
        changes.add(new LedgerEntry.Change(1, List.of(a, b), List.of(new LedgerEntry.Removed(D, 0), out)));
        changes.add(new LedgerEntry.Change(
                1, List.of(a, b, new LedgerEntry.Joined(D, 1L << ViewLedger.MILLIS_BITS)), List.of(out)));
        changes.add(new LedgerEntry.Change(
                1, List.of(a, new LedgerEntry.Joined(B, 2L << ViewLedger.MILLIS_BITS)), List.of(out)));
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
        assertThatThrownBy(() -> new LeaseClock(0.5, LEASE, LEASE, 0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("0.5");
    }

    /** It had to begin anew after it was taken out. The log would get an entry with each of its renewals. */
    @Test
    void aNodeThatSaysLessThanBeforeLeavesNoEntry() {
        found();
        pass(1.1, A, C);
        assertThat(step()).isTrue();
        renew(B, 1, 0, 0);

        assertThat(ledger.holds(new Renewal(B, 1L << ViewLedger.MILLIS_BITS, 0, 0, List.of())))
                .isTrue();
        assertThat(ledger.holds(new Renewal(B, 1L << ViewLedger.MILLIS_BITS, 2, 0, List.of())))
                .isFalse();
    }
}
