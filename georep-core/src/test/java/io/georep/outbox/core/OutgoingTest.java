package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.SequenceSet;
import org.junit.jupiter.api.Test;

/** What one turn says to each peer becomes few messages, and none of them too long. */
class OutgoingTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    @Test
    void aThousandConfirmationsOfOneTurnAreOneMessage() {
        for (int i = 0; i < 1000; i++) {
            a.copy(B, OF_B, i, 1, custody(0, B, A));
        }

        a.settle();

        assertThat(a.turn.sent(B, OutboxMessages.ACK)).hasSize(1);
        assertThat(a.acknowledged(B, OutboxMessages.STATUS_STORED, 0)).hasToString("[0..1000]");
    }

    @Test
    void manyRangesTakeSeveralMessagesAndNoneIsLost() {
        SequenceSet odd = new SequenceSet();
        for (long sequence = 1; sequence < 10_000; sequence += 2) {
            odd.add(sequence);
        }

        a.about(B, OutboxMessages.DELETE, OF_B, odd.all().slice(0, 2500));
        a.about(B, OutboxMessages.DELETE, OF_B, odd.all().slice(2500, 5000)).settle();

        assertThat(a.turn.sent(B, OutboxMessages.DELETED)).hasSize(2);
        assertThat(a.told(B, OutboxMessages.DELETED).total()).isEqualTo(5000);
    }
}
