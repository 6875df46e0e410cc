package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.custody;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.stream.Custody;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every change of hands does to epoch, owners and order, and which of two claims wins. */
class CustodyTest {
    private static final Custody HELD = custody(3, A, B, C).withState(EntryState.HELD);

    @Test
    void everyChangeOfHandsRaisesTheEpoch() {
        assertThat(HELD.adoptedBy(B).epoch()).isEqualTo(4);
        assertThat(HELD.replaced(C, D).epoch()).isEqualTo(4);
        assertThat(HELD.widened(D).epoch()).isEqualTo(4);
        assertThat(HELD.handedTo(B).epoch()).isEqualTo(4);
    }

    @Test
    void adopterComesFirstAndThoseBeforeItLast() {
        Custody adopted = HELD.adoptedBy(B);

        assertThat(adopted.order()).containsExactly(B, C, A);
        assertThat(adopted.owners()).containsExactly(A, B, C);
        assertThat(adopted.adoptedFrom()).isEqualTo(A);
    }

    @Test
    void substituteTakesThePlaceOfTheLostOwner() {
        Custody replaced = HELD.withOrder(List.of(A, C, B)).replaced(C, D);

        assertThat(replaced.owners()).containsExactly(A, B, D);
        assertThat(replaced.order()).containsExactly(A, D, B);
    }

    @Test
    void whoHandsOverGoesLast() {
        assertThat(HELD.handedTo(C).order()).containsExactly(C, B, A);
        assertThat(HELD.handedTo(C).state()).isEqualTo(EntryState.COPY);
    }

    /** Whatever two claims by different nodes: exactly one yields. */
    @Test
    void ofTwoClaimsByDifferentNodesExactlyOneOutranksTheOther() {
        List<Custody> claims = List.of(
                claim(1, List.of(A, B, C), A),
                claim(1, List.of(A, B, C), B),
                claim(1, List.of(A, B, C), C),
                claim(1, List.of(A, C, D), D),
                claim(1, List.of(A, D, B), B),
                claim(2, List.of(A, B, D), A));
        for (Custody one : claims) {
            for (Custody other : claims) {
                if (!one.first().equals(other.first())) {
                    assertThat(one.outranks(other)).isNotEqualTo(other.outranks(one));
                }
                if (one.epoch() > other.epoch()) {
                    assertThat(one.outranks(other)).isTrue();
                }
            }
        }
        assertThat(claim(1, List.of(A, B, C), C).outranks(claim(1, List.of(A, B, C), B)))
                .isTrue();
    }

    private static Custody claim(long epoch, List<NodeId> owners, NodeId holder) {
        Custody bare = new Custody(EntryState.HELD, epoch, owners, owners, null);
        return bare.withOrder(bare.rotated(holder));
    }

    /** Two sides of a partition put different nodes in the same place. */
    @Test
    void ofClaimsFromTheSamePlaceTheGreaterNameWins() {
        Custody byB = custody(1, A, B).withOrder(List.of(B, A));
        Custody byC = custody(1, A, C).withOrder(List.of(C, A));

        assertThat(byC.outranks(byB)).isTrue();
        assertThat(byB.outranks(byC)).isFalse();
    }
}
