package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import io.georep.outbox.core.stream.SetRelations;
import io.georep.outbox.core.stream.StreamTable;
import org.junit.jupiter.api.Test;

/** Transitions that cannot be are refused, also where assertions are off: each of these would go on wrong quietly. */
class BrokenInvariantTest {
    private final OutboxFixture a =
            OutboxFixture.hardened().stored(3, B).credit(1).settle();
    private final StreamTable table = a.table(a.own());

    private void breaks(Runnable transition, String promise) {
        assertThatThrownBy(transition::run)
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining(table.id.toString())
                .hasMessageContaining(promise);
    }

    @Test
    void nothingIsHandedOutTwice() {
        breaks(() -> table.taken(range(0, 1)), "nothing is handed out while it is in hand");
    }

    @Test
    void nothingIsGivenBackThatIsNotInHand() {
        breaks(() -> table.givenBack(range(1, 2), true), "only what is in hand is given back");
    }

    @Test
    void nothingIsStoredTwice() {
        breaks(() -> table.stored(2, 4, table.custodyOf(2)), "no entry is stored twice");
    }

    @Test
    void noPutWaitsTwice() {
        a.put(1, 1).step();
        breaks(() -> table.received(3, 4), "no put waits twice");
    }

    @Test
    void nothingIsDecidedOrRevivedThatWasNot() {
        breaks(() -> table.decided(range(1, 2)), "only what is undecided is decided");
        breaks(() -> table.revived(range(1, 2)), "only dead letters live again");
    }

    /** Relations between sets are looked at after each step of these tests. */
    @Test
    void noDuplicateIsPreparedForWhatIsInHand() {
        breaks(
                () -> {
                    table.prepared(range(0, 1));
                    SetRelations.hold(table);
                },
                "must be in other than");
    }
}
