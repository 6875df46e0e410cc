package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What becomes of nodes that restart, lose their stores, join, or cannot reach each other. */
class ViewPolicyTest extends LedgerOnPaper {
    @Test
    void theFirstViewWaitsForFoundersThatDoNotAsk() {
        renew(A, 1, 0, 0);
        assertThat(policy.awaited(ledger, clock, now)).containsExactly(B, C);
        pass(3, B, C);
        assertThat(policy.awaited(ledger, clock, now))
                .as("it has become silent")
                .containsExactly(A);
        found();
        assertThat(policy.awaited(ledger, clock, now)).isEmpty();
        pass(3);
        assertThat(policy.awaited(ledger, clock, now)).as("there is a view").isEmpty();
    }

    /** A keeper that begins anew has forgotten the view, and those who have its content ask three times in a lease. */
    @Test
    void theFirstViewWaitsUntilWhoeverHasContentHasAsked() {
        policy = new ViewPolicy(List.of(A), LEASE, 1);
        renew(A, 1, 0, 0);
        pass(0.75, A);
        assertThat(next()).as("others may be about to ask").isNull();

        renew(D, 1, 5, 0);
        pass(2, A);
        assertThat(next()).isNull();
        assertThat(policy.trouble(ledger)).contains("d active in view 5");
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
        Renewal other =
                new Renewal(B, (1L << ViewLedger.MILLIS_BITS) - 1 + (1L << ViewLedger.MILLIS_BITS), 1, 0, List.of());
        Renewal another = new Renewal(B, (1L << ViewLedger.MILLIS_BITS) + 1, 1, 0, List.of());
        for (Renewal each : List.of(other, another)) {
            assertThat(ledger.apply(new LedgerEntry.Renew(each, LEASE)).granted())
                    .isFalse();
            clock.applied(each, 0, now);
            assertThat(step()).isTrue();
            assertThat(ledger.apply(new LedgerEntry.Renew(each, LEASE)).granted())
                    .isTrue();
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

    /** It lost its store after boots of which no peer ever heard, so nobody can tell it to count on from there: only the master knew. */
    @Test
    void aNodeThatBeginsItsBootsAgainJoinsWhenItHasLearned() {
        found();
        renew(D, 3, 0, 0);
        renew(D, 1, 0, 0);
        assertThat(next()).isNull();

        renew(D, 1, 0, 1);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(D, A, B, C);
        assertThat(renew(D, 1, 0, 0).granted()).isTrue();

        Stream.of(A, B, C, D).forEach(each -> renew(each, 1, 2, 0));
        renew(B, 2, 2, 0);
        assertThat(step()).isTrue();
        assertThat(renew(B, 1, 2, 3).granted()).isFalse();
        assertThat(next())
                .as("what was long on its way does not count for a member")
                .isNull();
    }

    /** The same of a member. Two of three founders are too few to take one out for silence, and it asks. */
    @Test
    void aMemberThatBeginsItsBootsAgainMakesPlaceForItself() {
        policy = new ViewPolicy(List.of(A, B, C), LEASE, 2);
        found();
        pass(1.1, A, C);
        assertThat(step()).as("without b").isTrue();
        renew(A, 1, 2, 0);
        renew(C, 4, 2, 0);
        assertThat(step()).as("with the later process of c").isTrue();
        renew(A, 1, 3, 0);
        renew(C, 4, 3, 0);

        renew(C, 1, 0, 0);
        pass(1.1, A);
        assertThat(renew(C, 1, 0, 0).granted()).isFalse();

        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A);
        renew(A, 1, 4, 0);
        renew(C, 1, 0, 4);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(C, A);
    }

    /** It was never active, so it says the same with and without its store. */
    @Test
    void aFounderThatBeginsItsBootsAgainIsInTheFirstViewThatBegins() {
        pass(1, A);
        Stream.of(A, B, C).forEach(each -> renew(each, 2, 0, 0));
        assertThat(step()).isTrue();

        renew(C, 1, 0, 0);

        assertThat(step()).isTrue();
        assertThat(renew(C, 1, 0, 0).granted()).isTrue();
    }

    /** What a process without a store said before the one that runs came late. The member has its lease again when it asks next. */
    @Test
    void whatAnEarlierProcessSaidLateIsSetRightByTheNextRequest() {
        found();
        renew(C, 2, 1, 0);
        step();
        Stream.of(A, B).forEach(each -> renew(each, 1, 2, 0));
        assertThat(renew(C, 2, 2, 0).granted()).isTrue();

        assertThat(renew(C, 1, 0, 0).granted()).isFalse();
        assertThat(next()).as("its last lease has not ended").isNull();

        renew(C, 2, 2, 0);
        assertThat(renew(C, 2, 2, 0).granted()).isTrue();
        assertThat(next()).isNull();
    }

    /** No view has begun, so nobody is ready in one. */
    @Test
    void anEarlierBootDoesNotCountBeforeTheFirstView() {
        pass(1, A);
        renew(C, 2, 0, 0);
        renew(C, 1, 7, 0);
        Stream.of(A, B).forEach(each -> renew(each, 1, 0, 0));

        assertThat(step()).isTrue();
        assertThat(renew(C, 2, 0, 0).granted()).isTrue();
    }

    /** Its disk is full: nobody's write would be committed while it is a member. */
    @Test
    void aMemberThatCannotStoreIsTakenOutWhenItsLeaseHasEnded() {
        found();
        renew(B, 1, 1, 0, B);
        assertThat(renew(B, 1, 1, 0, B).granted()).isFalse();
        assertThat(next()).as("its last lease has not ended").isNull();
        for (int i = 0; i < 5; i++) {
            pass(0.25, A, C);
            assertThat(renew(B, 1, 1, 0, B).granted()).isFalse();
        }
        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(2, List.of(A, C)));
        Stream.of(A, C).forEach(this::renew);
        renew(B, 1, 1, 2);

        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(3, List.of(B, A, C)));
    }

    @Test
    void ifNobodyCanStoreAllStay() {
        found();
        for (NodeId each : List.of(A, B, C)) {
            renew(each, 1, 1, 0, each);
        }
        for (NodeId each : List.of(A, B, C)) {
            assertThat(renew(each, 1, 1, 0, each).granted()).isTrue();
        }
        now += 2 * LEASE;
        Stream.of(A, B, C).forEach(each -> renew(each, 1, 1, 0, each));

        assertThat(next()).isNull();
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
        clock = new LeaseClock(RATE_ERROR, LEASE, LEASE, now);
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
        assertThat(members()).containsExactly(A, B);
        assertThat(next()).isNull();
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
}
