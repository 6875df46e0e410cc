package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.StreamTable;
import org.junit.jupiter.api.Test;

/** What a message can do to a node beyond the bounds of its single fields, for which see WireBoundsTest. */
class MessageBoundsTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    /** A tombstone of an entry to come would swallow it. */
    @Test
    void nobodyKnowsEntriesOfThisBootThatItHasNotAccepted() {
        a.stored(2, B);
        StreamId own = a.own();

        for (int type : new int[] {OutboxMessages.DELETE, OutboxMessages.QUERY, OutboxMessages.DECIDED}) {
            assertThatThrownBy(() -> a.about(B, type, own, range(1, 3)))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("accepted 2 entries");
        }
        assertThatThrownBy(() -> a.copy(B, own, 2, 1, custody(0, A, B))).isInstanceOf(MalformedException.class);
        StreamId lane = new StreamId(A, own.boot(), 5);
        assertThatThrownBy(() -> a.about(B, OutboxMessages.DELETE, lane, range(0, 1)))
                .isInstanceOf(MalformedException.class);

        a.turn.forget();
        a.stored(1, B);
        assertThat(a.turn.events(OutboxEvent.Stored.class)).hasSize(1);
        assertThat(a.custodyOf(own, 2)).isNotNull();
    }

    /** A malformed message leaves nothing behind, not even an empty table. */
    @Test
    void nothingIsDoneBeforeAMessageIsReadToItsEnd() {
        byte[] whole = OutboxMessages.queueRanges(new StreamTable(OF_B, "queue"), range(0, 1))
                .toArray();
        byte[] cut = java.util.Arrays.copyOf(whole, whole.length - 1);

        assertThatThrownBy(() -> a.message(B, OutboxMessages.DELETE, io.georep.model.Slice.of(cut)))
                .isInstanceOf(MalformedException.class);

        assertThat(a.table(OF_B)).isNull();
    }

    @Test
    void theRightToAdoptIsOneByte() {
        for (byte[] body : new byte[][] {{}, {2}, {1, 0}}) {
            assertThatThrownBy(() -> a.message(B, OutboxMessages.ADOPTION, io.georep.model.Slice.of(body)))
                    .isInstanceOf(MalformedException.class);
        }
    }

    /** Each range that stands alone costs a node half a kilobyte, and two bytes on the wire. */
    @Test
    void aMessageHoldsABoundedNumberOfRanges() {
        RangeList most = every(4096, OutboxBounds.RANGES_MAX);
        RangeList more = every(4096, OutboxBounds.RANGES_MAX + 1);

        a.about(B, OutboxMessages.DELETE, OF_B, most).settle();
        assertThat(a.told(B, OutboxMessages.DELETED).count()).isEqualTo(OutboxBounds.RANGES_MAX);

        assertThatThrownBy(() -> a.about(B, OutboxMessages.DELETE, OF_B, more))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("4097 ranges");
    }

    /** One range in a question may have an answer of many. */
    @Test
    void anAnswerOfManyRangesIsSeveralMessages() {
        RangeList over = every(2, 2 * OutboxBounds.RANGES_MAX);
        for (int next = 0; next < over.count(); next += OutboxBounds.RANGES_MAX) {
            a.about(B, OutboxMessages.DELETE, OF_B, over.slice(next, next + OutboxBounds.RANGES_MAX))
                    .settle();
        }
        a.turn.forget();

        a.about(C, OutboxMessages.QUERY, OF_B, range(0, 4L * OutboxBounds.RANGES_MAX))
                .settle();

        assertThat(a.answered(C, OutboxMessages.ANSWER_FINISHED).count()).isEqualTo(over.count());
        assertThat(a.turn.sent(C, OutboxMessages.ANSWER))
                .hasSizeGreaterThan(3)
                .allSatisfy(sent -> assertThat(OutboxMessages.Message.read(sent.type(), new BinReader(sent.body()))
                                .ranges()
                                .count())
                        .isLessThanOrEqualTo(OutboxBounds.RANGES_MAX));
    }

    private static RangeList every(long step, int count) {
        RangeList ranges = new RangeList();
        for (int i = 0; i < count; i++) {
            ranges.add(i * step, i * step + 1);
        }
        return ranges;
    }
}
