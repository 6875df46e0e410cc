package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A restarted member may have an older image of its store, of which nothing in it tells (rule 20.20). */
class ViewDoubtTest extends LedgerOnPaper {
    /** Time passes in which restarted members ask, and views change. */
    private void restarted(double leases, long active, NodeId... there) {
        for (long end = now + (long) (leases * LEASE); now < end; now += LEASE / 4) {
            for (NodeId each : there) {
                renew(each, 2, active, 0);
                step();
            }
        }
    }

    @Test
    void aRestartedMemberAloneIsNotTheOneThatIsLeft() {
        found();
        restarted(5, 1, A);

        assertThat(members()).as("b and c may know of more").containsExactly(A, B, C);
        assertThat(policy.trouble(ledger, clock, now))
                .contains("waits for")
                .contains("b")
                .contains("start its node with an empty one");
        assertThat(policy.trouble(ledger)).isNull();

        restarted(2, 1, A, B);
        assertThat(members()).as("one of them has everything").containsExactly(A, B);
        assertThat(policy.trouble(ledger, clock, now)).isNull();
    }

    /** Two that were restarted and cannot reach each other: each alone is not enough. */
    @Test
    void twoThatCannotReachEachOtherAreWaitedFor() {
        found();
        pass(2, A, B);
        step();
        assertThat(members()).containsExactly(A, B);
        long active = ledger.number();
        for (int i = 0; i < 8; i++) {
            now += LEASE / 4;
            renew(A, 2, active, 0, B);
            renew(B, 2, active, 0, A);
            step();
        }
        assertThat(members()).containsExactly(A, B);
        assertThat(policy.trouble(ledger, clock, now))
                .contains("a cannot with [b]")
                .contains("Mend the links");
        renew(A, 2, active, 0);
        renew(B, 2, active, 0);
        assertThat(policy.trouble(ledger, clock, now)).isNull();
    }

    @Test
    void aMemberThatDidNotRestartIsEnough() {
        found();
        for (int i = 0; i < 8; i++) {
            renew(A, 2, 1, 0);
            renew(B, 1, 1, 0);
            step();
            now += LEASE / 4;
        }
        assertThat(members()).containsExactly(A, B);
        renew(A, 2, ledger.number(), 0);
        for (int i = 0; i < 8; i++) {
            renew(A, 2, ledger.number(), 0);
            step();
            now += LEASE / 4;
        }
        assertThat(members()).as("it has compared what it holds").containsExactly(A);
    }

    /** What it said before its restart does not prove that it has it still. */
    @Test
    void beingActiveInTheViewBeforeTheRestartProvesNothing() {
        found();
        renew(A, 2, 1, 0);
        assertThat(step()).isTrue();
        restarted(4, 1, A);
        assertThat(members()).containsExactly(A, B, C);
    }

    @Test
    void aMemberKnownToHaveLostItsStoreIsNotWaitedFor() {
        found();
        restarted(2, 1, A);
        for (NodeId each : List.of(B, C)) {
            renew(each, 2, 0, 0);
            step();
            restarted(2, 1, A);
        }
        assertThat(members()).containsExactly(A);
    }

    @Test
    void theLastMemberGoesOnAfterARestart() {
        found();
        for (int i = 0; i < 8; i++) {
            renew(A);
            step();
            now += LEASE / 4;
        }
        assertThat(members()).containsExactly(A);
        restarted(1, ledger.number(), A);
        assertThat(renew(A, 2, ledger.number(), 0).granted()).isTrue();
    }

    /** Two of five in doubt may be wrong. So of the three that are left all are needed when they restart before they have compared. */
    @Test
    void theMajorityIsThatOfTheMembersWhenTheDoubtBegan() {
        NodeId e = NodeId.of("e");
        found();
        Stream.of(D, e).forEach(each -> renew(each, 1, 0, 1));
        assertThat(step()).isTrue();
        Stream.of(A, B, C, D, e).forEach(each -> renew(each, 1, 2, 0));
        now += 3 * LEASE;
        restarted(2, 2, A, B);
        assertThat(members()).hasSize(5);
        restarted(2, 2, A, B, C);
        assertThat(members()).containsExactlyInAnyOrder(A, B, C);

        now += 3 * LEASE;
        restarted(2, 2, A, B);
        assertThat(members()).containsExactlyInAnyOrder(A, B, C);
        long active = ledger.number();
        Stream.of(A, B, C).forEach(each -> renew(each, 2, active, 0));
        restarted(2, active, A);
        assertThat(members()).as("the doubt is over").containsExactly(A);
    }

    @Test
    void aChangeThatLeavesOnlyDoubtsIsVoid() {
        found();
        for (int i = 0; i < 5; i++) {
            now += LEASE / 4;
            renew(A);
        }
        LedgerEntry.Change change = next();
        assertThat(change.members()).extracting(LedgerEntry.Joined::node).containsExactly(A);
        renew(A, 2, 1, 0);

        assertThat(ledger.apply(change)).isFalse();
    }

    /** All were heard last at about one time, one a moment later: it is as dead as the others. */
    @Test
    void afterAPowerCutNobodyIsTakenOut() {
        found();
        now += LEASE / 3;
        renew(C);
        for (int i = 0; i < 300; i++) {
            now += LEASE / 100;
            assertThat(next()).isNull();
        }
    }

    /** Nothing can have been committed: nobody was ever active. */
    @Test
    void foundersThatRestartAgainAndAgainBeginInTheEnd() {
        pass(1, A, B, C);
        assertThat(step()).isTrue();
        for (long boot = 2; boot < 6; boot++) {
            for (NodeId each : List.of(A, B, C)) {
                renew(each, boot, 0, 0);
                assertThat(step()).isTrue();
            }
        }
        Stream.of(A, B, C)
                .forEach(each -> assertThat(renew(each, 5, 0, 0).granted()).isTrue());
    }
}
