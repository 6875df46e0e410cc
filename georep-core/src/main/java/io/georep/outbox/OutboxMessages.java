package io.georep.outbox;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.Slice;
import io.georep.model.StreamId;

/**
 * Messages of the outbox channel. Each is about one stream; its type is in the envelope.
 *
 * <pre>
 * 1 REPLICATE  group
 * 2 ACK        stream, u8 status, varint epoch, ranges
 * 3 DELETE     stream, text queue, ranges
 * 4 DELETED    stream, ranges
 * 5 UPDATE     stream, text queue, custody, ranges
 * 6 UPDATED    stream, varint epoch, ranges
 * 7 RELEASE    stream, text queue, custody, ranges
 * 8 RELEASED   stream, ranges
 * 9 QUERY      stream, text queue, ranges
 * 10 ANSWER    stream, text queue, u8 status, custody (HELD, INACTIVE and RELEASED only), ranges
 * 11 SETTLED   stream, text queue, ranges
 * 12 DECIDED   stream, text queue, ranges
 * </pre>
 */
final class OutboxMessages {
    static final int REPLICATE = 1;
    static final int ACK = 2;
    static final int DELETE = 3;
    static final int DELETED = 4;
    static final int UPDATE = 5;
    static final int UPDATED = 6;
    static final int RELEASE = 7;
    static final int RELEASED = 8;
    static final int QUERY = 9;
    static final int ANSWER = 10;
    static final int SETTLED = 11;
    static final int DECIDED = 12;

    /** ACK: the copy is durable. */
    static final int STATUS_STORED = 0;
    /** ACK: a tombstone exists, the entry is over. */
    static final int STATUS_DELETED = 1;
    /** ACK: this node cannot take the copy now. */
    static final int STATUS_REFUSED = 2;

    /** ANSWER: there is a tombstone. */
    static final int ANSWER_FINISHED = 0;
    /** ANSWER: the answering node is the holder. */
    static final int ANSWER_HELD = 1;
    /** ANSWER: the answering node has a copy. */
    static final int ANSWER_INACTIVE = 2;
    /** ANSWER: the answering node knows nothing of it. */
    static final int ANSWER_UNKNOWN = 3;
    /** ANSWER: the answering node was an owner until the claim that comes along; that claim's owners know more. */
    static final int ANSWER_RELEASED = 4;

    private OutboxMessages() {}

    static Slice ranges(StreamId stream, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream);
        ranges.write(out);
        return out.view();
    }

    static Slice queueRanges(StreamTable table, RangeList ranges) {
        BinWriter out = new BinWriter().stream(table.id).text(table.queue);
        ranges.write(out);
        return out.view();
    }

    static Slice ack(StreamId stream, int status, long epoch, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream).u8(status).varint(epoch);
        ranges.write(out);
        return out.view();
    }

    static Slice claim(StreamTable table, Custody custody, RangeList ranges) {
        BinWriter out = new BinWriter().stream(table.id).text(table.queue);
        custody.write(out);
        ranges.write(out);
        return out.view();
    }

    static Slice updated(StreamId stream, long epoch, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream).varint(epoch);
        ranges.write(out);
        return out.view();
    }

    static Slice answer(StreamId stream, String queue, Answer answer) {
        BinWriter out = new BinWriter().stream(stream).text(queue).u8(answer.status());
        if (answer.custody() != null) {
            answer.custody().write(out);
        }
        answer.ranges().write(out);
        return out.view();
    }

    /** One item of an ANSWER. */
    record Answer(
            int status, @org.jspecify.annotations.Nullable Custody custody, RangeList ranges) {
        /** Whether the answering node has the payload. */
        boolean hasCopy() {
            return status == ANSWER_HELD || status == ANSWER_INACTIVE;
        }

        static Answer read(BinReader in) {
            int status = in.u8();
            boolean hasCustody = status == ANSWER_HELD || status == ANSWER_INACTIVE || status == ANSWER_RELEASED;
            Custody custody = hasCustody
                    ? Custody.read(in, status == ANSWER_HELD ? EntryState.STORED : EntryState.INACTIVE)
                    : null;
            return new Answer(status, custody, RangeList.read(in));
        }
    }
}
