package io.georep.outbox.core;

import static io.georep.outbox.core.messages.OutboxMessages.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.GoldenFormats;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.HandMadePeers;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bytes of the messages of the outbox. */
class OutboxGoldenTest extends GoldenFormats {
    private static final NodeId A = NodeId.of("ams-1");
    private static final NodeId B = NodeId.of("nyc-1");
    private static final NodeId C = NodeId.of("sin-1");
    private static final StreamId STREAM = new StreamId(A, 1L << 56, 300);
    private static final StreamTable TABLE = new Ledger().look(STREAM, "mail");
    private static final Custody FRESH = Custody.fresh(EntryState.COPY, List.of(A, B));
    private static final Custody CLAIM = new Custody(EntryState.COPY, 70_000, List.of(A, B, C), List.of(C, A, B), null);

    private static RangeList ranges() {
        RangeList ranges = RangeList.of(0, 1);
        ranges.add(300, 70_000);
        return ranges;
    }

    @Override
    protected String file() {
        return "outbox-messages";
    }

    private static Format message(int type, String name, Slice bytes, Message value) {
        return format(
                type + " " + name,
                OutboxProtocol.VERSION,
                bytes,
                value.toString(),
                in -> Message.read(type, in).toString());
    }

    private static Message of(int type, String queue, int status, long epoch, @Nullable Custody custody) {
        return new Message(type, STREAM, queue, status, epoch, custody, ranges());
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        formats.add(group("REPLICATE", false));
        formats.add(group("REPLICATE, prepared", true));
        for (int status : new int[] {STATUS_STORED, STATUS_DELETED, STATUS_REFUSED}) {
            formats.add(message(
                    ACK, "ACK, status " + status, ack(STREAM, status, 300, ranges()), of(ACK, "", status, 300, null)));
        }
        Slice named = queueRanges(TABLE, ranges());
        Slice unnamed = OutboxMessages.ranges(STREAM, ranges());
        Slice claim = claim(TABLE, CLAIM, ranges());
        formats.add(message(DELETE, "DELETE", named, of(DELETE, "mail", 0, 0, null)));
        formats.add(message(DELETED, "DELETED", unnamed, of(DELETED, "", 0, 0, null)));
        formats.add(message(UPDATE, "UPDATE", claim, of(UPDATE, "mail", 0, 0, CLAIM)));
        formats.add(message(UPDATED, "UPDATED", updated(STREAM, 300, ranges()), of(UPDATED, "", 0, 300, null)));
        formats.add(message(RELEASE, "RELEASE", claim, of(RELEASE, "mail", 0, 0, CLAIM)));
        formats.add(message(RELEASED, "RELEASED", unnamed, of(RELEASED, "", 0, 0, null)));
        formats.add(message(QUERY, "QUERY", named, of(QUERY, "mail", 0, 0, null)));
        for (int status = ANSWER_FINISHED; status <= ANSWER_RELEASED; status++) {
            formats.add(answer(status));
        }
        formats.add(message(SETTLED, "SETTLED", named, of(SETTLED, "mail", 0, 0, null)));
        formats.add(message(DECIDED, "DECIDED", named, of(DECIDED, "mail", 0, 0, null)));
        formats.add(message(OutboxMessages.CLAIM, "CLAIM", claim, of(OutboxMessages.CLAIM, "mail", 0, 0, CLAIM)));
        formats.add(attempts());
        for (boolean allowed : new boolean[] {true, false}) {
            formats.add(format(
                    OutboxMessages.ADOPTION + " ADOPTION, " + (allowed ? "allowed" : "forbidden"),
                    OutboxProtocol.VERSION,
                    AdoptionRights.body(allowed),
                    String.valueOf(allowed),
                    in -> String.valueOf(AdoptionRights.read(in))));
        }
        return formats;
    }

    private static Format answer(int status) {
        Custody custody = switch (status) {
            case ANSWER_HELD -> CLAIM.withState(EntryState.HELD);
            case ANSWER_COPY, ANSWER_RELEASED -> CLAIM;
            default -> null;
        };
        Slice bytes = OutboxMessages.answer(STREAM, "mail", new Answer(status, custody, ranges()));
        return message(ANSWER, "ANSWER, status " + status, bytes, of(ANSWER, "mail", status, 0, custody));
    }

    private static Format attempts() {
        List<AttemptNews.Item> items = List.of(
                new AttemptNews.Item(7, new AttemptMark(0, false, 3), null),
                new AttemptNews.Item(
                        300,
                        new AttemptMark(2, true, 5),
                        new AttemptNews.Letter(5, 1_800_000_000_000L, "IOException: no")));
        return format(
                ATTEMPTS + " ATTEMPTS",
                OutboxProtocol.VERSION,
                AttemptNews.body(TABLE, items),
                STREAM + " mail " + items,
                in -> in.stream() + " " + in.text() + " " + AttemptNews.read(in));
    }

    private static Format group(String name, boolean prepared) {
        List<Slice> payloads = List.of(Slice.utf8("one"), Slice.EMPTY, Slice.utf8("x".repeat(200)));
        Group group = Group.encode(STREAM, 300, "mail", FRESH, prepared, payloads);
        return format(REPLICATE + " " + name, 1, group.bytes(), describe(group), OutboxGoldenTest::readGroup);
    }

    private static Object readGroup(BinReader in) {
        return describe(Group.decode(in.raw(in.remaining())));
    }

    private static String describe(Group group) {
        StringBuilder text = new StringBuilder(group.stream + " " + group.queue + " " + group.custody + group.prepared);
        for (long sequence = group.first; sequence < group.to(); sequence++) {
            text.append(' ')
                    .append(sequence)
                    .append(new String(group.payload(sequence).toArray()));
        }
        return text.toString();
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        OutboxProtocol protocol =
                new OutboxProtocol(ProtocolConfig.defaults(), new HandMadePeers(A), PeerSelection.random());

        checkTypes(protocol);
        for (OutboxWire.Kind kind : OutboxWire.Kind.values()) {
            assertThat(protocol.knows(kind.ordinal() + 1)).as("%s", kind).isTrue();
        }
        assertThat(protocol.knows(OutboxWire.Kind.values().length + 1)).isFalse();
    }
}
