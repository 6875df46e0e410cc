package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.PeerState;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.owners.LingeringCopies;
import io.georep.outbox.core.sets.RangeList;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Copies that stay longer than entries usually live (6.8.7), message by message. */
class LingeringCopiesTest {
    /** From one round to the next: 15 heartbeats. */
    private static final Duration ROUND = Duration.ofSeconds(15);

    private final OutboxFixture a = OutboxFixture.hardened();

    private RangeList askedInTheNextRound() {
        a.turn.forget();
        a.advance(ROUND);
        return a.told(B, OutboxMessages.QUERY);
    }

    @Test
    void aCopyIsAskedAboutInTheSecondRoundItSees() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A)).settle();
        assertThat(askedInTheNextRound()).hasToString("[]");

        a.copy(B, OF_B, 2, 2, custody(0, B, A)).settle();
        assertThat(askedInTheNextRound()).as("older than a round").hasToString("[0..2]");
        a.answer(B, OF_B, OutboxMessages.ANSWER_HELD, custody(0, B, A), range(0, 2));

        assertThat(askedInTheNextRound()).hasToString("[0..4]");
    }

    @Test
    void whoIsGivenUpIsNotAskedButTheNextInTheOrder() {
        a.copy(B, OF_B, 0, 1, custody(0, B, C, A)).settle().become(B, PeerState.TERMINATED);

        a.advance(ROUND.multipliedBy(2));

        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[]");
        assertThat(a.told(C, OutboxMessages.QUERY)).hasToString("[0..1]");
    }

    @Test
    void aLongBacklogIsGoneThroughPieceByPiece() {
        int ranges = LingeringCopies.RANGES_MAX + 6;
        for (int i = 0; i < ranges; i++) {
            a.copy(B, OF_B, 2L * i, 1, custody(0, B, A));
        }
        a.settle();
        askedInTheNextRound();

        RangeList first = askedInTheNextRound();
        assertThat(first.count()).isEqualTo(LingeringCopies.RANGES_MAX);
        assertThat(first.from(0)).isZero();
        a.answer(B, OF_B, OutboxMessages.ANSWER_HELD, custody(0, B, A), first);
        RangeList second = askedInTheNextRound();
        assertThat(second.count()).isEqualTo(ranges - LingeringCopies.RANGES_MAX);
        assertThat(second.from(0)).isEqualTo(2L * LingeringCopies.RANGES_MAX);
        a.answer(B, OF_B, OutboxMessages.ANSWER_HELD, custody(0, B, A), second);

        assertThat(askedInTheNextRound().from(0)).as("from the start again").isZero();
    }

    /** A heartbeat asks about a bounded number of streams: of more, each has its turn. */
    @Test
    void ofManyStreamsEachHasItsTurn() {
        int streams = 2 * LingeringCopies.TABLES_PER_TICK + 10;
        for (int lane = 0; lane < streams; lane++) {
            a.copy(B, new StreamId(B, 7, lane), 0, 1, custody(0, B, A));
        }
        a.settle();
        a.advance(ROUND.plusSeconds(3));
        assertThat(a.turn.sent(B, OutboxMessages.QUERY)).isEmpty();

        a.advance(ROUND.minusSeconds(3));
        assertThat(a.turn.sent(B, OutboxMessages.QUERY)).hasSize(LingeringCopies.TABLES_PER_TICK);
        a.advance(Duration.ofSeconds(2));
        assertThat(a.turn.sent(B, OutboxMessages.QUERY).stream()
                        .map(query -> OutboxWire.subject(query.type(), new BinReader(query.body())).stream())
                        .distinct())
                .hasSize(streams);
    }
}
