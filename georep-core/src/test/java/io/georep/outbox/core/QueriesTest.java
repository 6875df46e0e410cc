package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.protocol.BootKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Questions to other owners and their answers (6.8), message by message. */
class QueriesTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture backLate() {
        a.stored(3, B);
        return a.reboot(BootKind.LATE).credit(10).settle();
    }

    @Test
    void aLateReturnHandsNothingOutUnasked() {
        backLate();

        assertThat(a.delivered()).isEmpty();
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
    }

    @Test
    void anOlderImageHandsNothingOutUnasked() {
        a.stored(3, B).reboot(BootKind.PROMPT);

        a.node.onStaleStore(true, a.turn);
        a.credit(10).settle();

        assertThat(a.delivered()).isEmpty();
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
    }

    @Test
    void answersDecideEntryByEntry() {
        backLate();
        var stream = a.node.inspect().ledger().tables().iterator().next().id;

        a.answer(B, stream, OutboxMessages.ANSWER_FINISHED, null, range(0, 1))
                .answer(B, stream, OutboxMessages.ANSWER_HELD, custody(0, A, B).adoptedBy(B), range(1, 2))
                .answer(B, stream, OutboxMessages.ANSWER_COPY, custody(0, A, B), range(2, 3))
                .settle();

        assertThat(a.custodyOf(stream, 0)).isNull();
        assertThat(a.custodyOf(stream, 1).state()).isEqualTo(EntryState.COPY);
        assertThat(a.delivered()).containsExactly(2L);
        assertThat(a.deliveries()).allMatch(OutboxEvent.Delivered::possiblySent);
    }

    @Test
    void withoutAnAnswerEntriesAreLetGoAfterTheTimeOthersNeedToAdopt() {
        backLate().reachable(B).settle();
        ProtocolConfig config = ProtocolConfig.defaults();

        a.advance(config.failoverAfter().minusSeconds(1));
        assertThat(a.delivered()).isEmpty();

        a.advance(Duration.ofSeconds(2));
        assertThat(a.delivered()).containsExactly(0L, 1L, 2L);
        assertThat(a.deliveries()).allMatch(OutboxEvent.Delivered::possiblySent);
    }

    @Test
    void aQuestionWithoutAnAnswerIsRepeated() {
        backLate().turn.forget();

        a.advance(Duration.ofSeconds(4));

        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
    }

    @Test
    void eachQuestionIsAnsweredWithWhatThisNodeKnows() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A, C))
                .about(B, OutboxMessages.DELETE, OF_B, range(1, 2))
                .settle();

        a.about(C, OutboxMessages.QUERY, OF_B, range(0, 3)).settle();

        assertThat(a.answered(C, OutboxMessages.ANSWER_COPY)).hasToString("[0..1]");
        assertThat(a.answered(C, OutboxMessages.ANSWER_FINISHED)).hasToString("[1..2]");
        assertThat(a.answered(C, OutboxMessages.ANSWER_UNKNOWN)).hasToString("[2..3]");
    }

    @Test
    void anOwnerWithoutTheEntryNoLongerStandsBeforeThisNode() {
        a.copy(C, new io.georep.model.StreamId(C, 3, 0), 0, 1, custody(0, C, B, A))
                .settle();
        a.become(C, PeerState.TERMINATED).settle();
        var stream = a.node.inspect().ledger().tables().iterator().next().id;
        assertThat(a.custodyOf(stream, 0).state()).isEqualTo(EntryState.COPY);
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..1]");

        a.answer(B, stream, OutboxMessages.ANSWER_UNKNOWN, null, range(0, 1)).settle();

        assertThat(a.custodyOf(stream, 0).state()).isEqualTo(EntryState.HELD);
    }
}
