package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static io.georep.outbox.core.OutboxFixture.replicate;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handing entries to the application (6.5), as many as it gave credit for. */
class HandingOutTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    @Test
    void eachEntryUsesOneCredit() {
        a.stored(5, B).credit(2).settle();
        assertThat(a.delivered()).containsExactly(0L, 1L);

        a.settle();
        assertThat(a.delivered()).containsExactly(0L, 1L);

        a.credit(1).settle();
        assertThat(a.delivered()).containsExactly(0L, 1L, 2L);
    }

    @Test
    void entriesGivenBackAreHandedOutAgainAsPerhapsForwarded() {
        a.stored(1, B).credit(2).settle().turn.forget();

        a.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(a.own(), 0))), a.turn);
        a.settle();

        assertThat(a.deliveries()).extracting(OutboxEvent.Delivered::cause).containsExactly(RepetitionCause.UNCLEAR);
    }

    @Test
    void undecidedEntriesWaitForTheirProducer() {
        a.node.onCommand(
                new OutboxCommand.PutAll(
                        List.of(new OutboxCommand.Put(OutboxFixture.QUEUE, 1, Slice.utf8("x"), "token", true))),
                a.turn);
        a.credit(1)
                .settle()
                .ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1))
                .settle();
        assertThat(a.delivered()).isEmpty();

        a.node.onCommand(new OutboxCommand.Decide(List.of(new EntryId(a.own(), 0)), true), a.turn);
        a.settle();

        assertThat(a.delivered()).containsExactly(0L);
        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    @Test
    void aDecisionOfTheProducerHoldsForWhoAdoptsLater() {
        a.message(B, OutboxMessages.REPLICATE, replicate(OF_B, 0, 2, custody(0, B, OutboxFixture.A), true))
                .about(B, OutboxMessages.DECIDED, OF_B, range(0, 1))
                .settle();

        a.become(B, PeerState.TERMINATED).credit(5).settle();

        assertThat(a.delivered()).containsExactly(0L);
        assertThat(a.turn.events(OutboxEvent.UndecidedFound.class)).isNotEmpty();
    }
}
