package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The master has lost what it had decided, and an operator orders a new view from the stores (rule 20.23). */
class RestoreTest extends LedgerOnPaper {
    @BeforeEach
    void theMasterKnowsNothing() {
        policy = new ViewPolicy(List.of(A, B, C), LEASE, 0);
    }

    private void ask(long activeOfC) {
        renew(A, 4, 7, 0);
        renew(B, 4, 7, 0);
        renew(C, 4, activeOfC, 0);
    }

    private Restoration plan() {
        return policy.restore(ledger, clock, now);
    }

    private boolean restore() {
        LedgerEntry.Restore entry = policy.restoring(ledger, clock, now);
        if (entry == null) {
            return false;
        }
        assertThat(LedgerEntry.decode(entry.encode())).isEqualTo(entry);
        boolean done = ledger.apply(entry);
        ledger = ViewLedger.decode(ledger.encode());
        return done;
    }

    @Test
    void allFoundersMustAskAndAllLeasesHaveEnded() {
        renew(A, 4, 7, 0);
        renew(B, 4, 7, 0);
        assertThat(next()).as("by itself it makes no view").isNull();
        assertThat(plan().refusal()).contains("[c]").contains("start them");
        renew(C, 4, 7, 0);
        assertThat(next()).isNull();
        assertThat(plan().refusal()).contains("leases");
        assertThat(restore()).isFalse();

        now += 2 * LEASE;
        ask(7);
        assertThat(plan())
                .isEqualTo(new Restoration(new View(1007, List.of(A, B, C)), Map.of(A, 7L, B, 7L, C, 7L), null));
        assertThat(ledger.view()).as("a dry run").isNull();
        assertThat(restore()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(1007, List.of(A, B, C)));
        assertThat(renew(A, 4, 7, 0).granted()).isTrue();
    }

    /** It is no founder, but had more than they have. */
    @Test
    void whoIsKnownToHaveMoreMustAsk() {
        renew(D, 4, 9, 0);
        now += 2 * LEASE;
        ask(7);
        assertThat(plan().refusal()).contains("[d]").contains("start");
        renew(D, 5, 0, 0);
        assertThat(restore()).isTrue();
        assertThat(members()).containsExactly(A, B, C);
    }

    /** One that is no founder has content, and they do not. */
    @Test
    void whileAnybodyHasContentFoundersMakeNoEmptyMap() {
        renew(D, 4, 7, 0);
        now += 2 * LEASE;
        Stream.of(A, B, C).forEach(each -> renew(each, 4, 0, 0));
        assertThat(policy.trouble(ledger)).contains("restored from the stores");
        assertThat(next()).isNull();
    }

    /** Before that it may have become active in a later view, and written in it, without having said so. */
    @Test
    void allFoundersMustHaveAskedSinceTheLeasesEnded() {
        now = clock.endOf(A) - 1;
        ask(7);
        now++;
        assertThat(plan().refusal()).contains("leases");
        renew(A, 4, 7, 0);
        renew(B, 4, 7, 0);
        assertThat(restore()).isFalse();
        renew(C, 4, 8, 0);
        assertThat(restore()).isTrue();
        assertThat(members()).containsExactly(C);
    }

    /** Nodes may have been told of later views that never began, and what they say of those must not be taken for the new one. */
    @Test
    void theNumberIsFarAboveAllViewsThatMayHaveBeenDecided() {
        now += 2 * LEASE;
        ask(7);
        assertThat(restore()).isTrue();
        assertThat(ledger.number()).isGreaterThan(1000);
        Stream.of(A, B, C).forEach(each -> renew(each, 4, ledger.number(), 0));
        assertThat(ledger.members()).hasSize(3).allMatch(ViewLedger.Known::proven);
        assertThat(next()).isNull();
    }

    @Test
    void theHighestContentWinsAndTheOthersLearn() {
        now += 2 * LEASE;
        renew(D, 4, 7, 0);
        ask(5);
        assertThat(restore()).isTrue();
        assertThat(members()).containsExactly(D, A, B);
        assertThat(renew(C, 4, 5, 0).granted()).isFalse();

        Stream.of(A, B, D).forEach(each -> renew(each, 4, ledger.number(), 0));
        renew(C, 4, 5, ledger.number());
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(C, D, A, B);
    }

    /** Whose store is an older image cannot be told before they have compared: a single one of them does not go on alone. */
    @Test
    void theMembersAreInDoubtUntilTheyHaveCompared() {
        policy = new ViewPolicy(List.of(A, B, C), LEASE, 1);
        now += 2 * LEASE;
        ask(7);
        assertThat(restore()).isTrue();
        for (int i = 0; i < 12; i++) {
            now += LEASE / 4;
            renew(A, 4, 7, 0);
        }
        assertThat(next()).isNull();
        renew(B, 4, 7, 0);
        assertThat(step()).isTrue();
        assertThat(members()).containsExactly(A, B);
    }

    @Test
    void whatTheMasterStillKnowsIsNotReplaced() {
        found();
        now += 2 * LEASE;
        Stream.of(A, B, C).forEach(this::renew);

        assertThat(plan().refusal()).contains("nothing to restore").contains("view 1");
        assertThat(restore()).isFalse();
        assertThat(members()).containsExactly(A, B, C);
    }

    /** An older state of the master is restored as well as none. */
    @Test
    void anOlderStateIsReplaced() {
        found();
        now += 2 * LEASE;
        ask(7);

        assertThat(restore()).isTrue();
        assertThat(ledger.view()).isEqualTo(new View(1007, List.of(A, B, C)));
    }

    /** The order is carried out a second time, or by a leader that did not know of a later store. */
    @Test
    void anOrderThatDoesNotFitAnyMoreIsVoid() {
        now += 2 * LEASE;
        ask(7);
        LedgerEntry.Restore entry = policy.restoring(ledger, clock, now);
        NodeId later = D;
        renew(later, 4, 9, 0);
        assertThat(ledger.apply(entry)).isFalse();
        assertThat(restore()).isTrue();
        assertThat(members()).containsExactly(D);
        assertThat(ledger.apply(entry)).isFalse();
    }
}
