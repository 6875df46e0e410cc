package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.View;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How small a view may become, and for whose silence a member is taken out (rule 20.22). */
class FewMembersTest extends LedgerOnPaper {
    @BeforeEach
    void usual() {
        policy = new ViewPolicy(List.of(A, B, C), LEASE, 0);
    }

    @Test
    void aViewDoesNotShrinkBelowMoreThanHalfOfTheFounders() {
        found();
        pass(5, A);

        assertThat(next()).isNull();
        assertThat(members()).containsExactly(A, B, C);
        assertThat(renew(A).granted()).as("it reads on").isTrue();
        assertThat(policy.mayWrite(ledger, clock, now)).isFalse();
        assertThat(policy.trouble(ledger, clock, now)).contains("1 of at least 2 members");

        renew(B);
        assertThat(policy.mayWrite(ledger, clock, now)).isTrue();
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, B);
        assertThat(policy.mayWrite(ledger, clock, now)).isTrue();
        pass(5, A);
        assertThat(next()).isNull();
    }

    /** Those who lost their stores are in no view, so there may be fewer; nobody writes before others have learned. */
    @Test
    void withLostStoresAViewMayBeSmallerAndIsOnlyRead() {
        found();
        pass(3, A);
        renew(B, 2, 0, 0);
        renew(C, 2, 0, 0);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A);
        assertThat(renew(A).granted()).isTrue();
        assertThat(policy.mayWrite(ledger, clock, now)).isFalse();

        renew(B, 2, 0, 2);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(B, A);
        assertThat(policy.mayWrite(ledger, clock, now)).isTrue();
    }

    @Test
    void theLeastNumberOfMembersCanBeSet() {
        found();
        pass(5, A);
        ViewPolicy alone = new ViewPolicy(List.of(A, B, C), LEASE, 1);

        assertThat(alone.mayWrite(ledger, clock, now)).isTrue();
        assertThat(alone.next(ledger, clock, now).members())
                .extracting(LedgerEntry.Joined::node)
                .containsExactly(A);
    }

    /** It stood still, or could write nothing into its log: everybody was silent to it, and nobody was. */
    @Test
    void aMasterThatPausedTakesNobodyOutForThatTime() {
        found();
        now += 5 * LEASE;
        Stream.of(A, B).forEach(this::renew);
        assertThat(next()).as("c has had no time to ask").isNull();
        for (int i = 0; i < 3; i++) {
            now += LEASE / 4;
            Stream.of(A, B).forEach(this::renew);
            assertThat(next()).isNull();
        }
        now += LEASE / 4;
        Stream.of(A, B).forEach(this::renew);

        assertThat(step()).as("its own silence").isTrue();
        assertThat(members()).containsExactly(A, B);
    }

    /** So many are left that a write has copies, though they do not reach each other: it waits until they do. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ofMembersThatReachNobodySoManyAreLeftAsAViewNeeds(int membersMin) {
        policy = new ViewPolicy(List.of(A, B, C), LEASE, membersMin);
        found();
        renew(A, 1, 1, 0, B, C);
        renew(B, 1, 1, 0, A, C);
        renew(C, 1, 1, 0, A, B);
        for (int i = 0; i < 5; i++) {
            now += LEASE / 4;
            renew(B, 1, 1, 0, A, C);
            renew(C, 1, 1, 0, A, B);
        }

        assertThat(step()).isTrue();
        assertThat(members()).isEqualTo(List.of(A, B, C).subList(3 - membersMin, 3));
        assertThat(next()).isNull();
    }

    /** A died for good and B went on; then C dies before it is active, so nobody can be sure to have learned everything. */
    @Test
    void whoHasLearnedTakesThePlaceOfTheDead() {
        found();
        pass(3, B, C);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(B, C);
        passFlushing(1);
        assertThat(next()).as("one is not enough").isNull();
        renew(A, 2, 1, 0, C);
        assertThat(next()).as("it has not learned").isNull();
        renew(A, 2, 1, 2, B, C);
        assertThat(next()).as("it does not reach who stays").isNull();
        renew(A, 2, 1, 2, C);
        assertThat(policy.mayWrite(ledger, clock, now)).isFalse();

        assertThat(step()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(3, List.of(A, B)));
        assertThat(policy.mayWrite(ledger, clock, now)).isTrue();
    }

    /** Who is left may have an older image of its store, and who has learned from it has nothing else. */
    @Test
    void nobodyTakesThePlaceOfTheDeadWhereThoseWhoStayAreInDoubt() {
        found();
        pass(3, B, C);
        step();
        renew(B, 2, 1, 0);
        assertThat(step()).isTrue();
        passFlushing(2);
        renew(A, 2, 1, 3, C);

        assertThat(next()).isNull();
        assertThat(policy.trouble(ledger, clock, now)).contains("waits for [c]");
        renew(C, 2, 0, 0);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, B);
    }

    /** B asks, and C is silent for longer than its lease. */
    private void passFlushing(long incarnation) {
        for (int i = 0; i < 8; i++) {
            now += LEASE / 4;
            renew(B, incarnation, 1, 0, C);
        }
    }
}
