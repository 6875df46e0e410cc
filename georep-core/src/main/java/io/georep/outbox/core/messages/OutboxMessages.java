package io.georep.outbox.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.outbox.core.stream.StreamTable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the outbox channel. Each but ADOPTION is about one stream; its type is in the envelope.
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
 * 10 ANSWER    stream, text queue, u8 status, custody (HELD, COPY and RELEASED only), ranges
 * 11 SETTLED   stream, text queue, ranges
 * 12 DECIDED   stream, text queue, ranges
 * 13 ATTEMPTS  see AttemptNews
 * 14 ADOPTION  see AdoptionRights; about no stream
 * 15 CLAIM     stream, text queue, custody, ranges
 * </pre>
 */
public final class OutboxMessages {
    public static final int REPLICATE = 1;
    public static final int ACK = 2;
    public static final int DELETE = 3;
    public static final int DELETED = 4;
    public static final int UPDATE = 5;
    public static final int UPDATED = 6;
    public static final int RELEASE = 7;
    public static final int RELEASED = 8;
    public static final int QUERY = 9;
    public static final int ANSWER = 10;
    public static final int SETTLED = 11;
    public static final int DECIDED = 12;
    public static final int ATTEMPTS = 13;
    public static final int ADOPTION = 14;
    public static final int CLAIM = 15;

    /** ACK: the copy is durable. */
    public static final int STATUS_STORED = 0;
    /** ACK: a tombstone exists, the entry is over. */
    public static final int STATUS_DELETED = 1;
    /** ACK: this node cannot take the copy now. */
    public static final int STATUS_REFUSED = 2;

    /** ANSWER: there is a tombstone. */
    public static final int ANSWER_FINISHED = 0;
    /** ANSWER: the answering node is the holder. */
    public static final int ANSWER_HELD = 1;
    /** ANSWER: the answering node has a copy. */
    public static final int ANSWER_COPY = 2;
    /** ANSWER: the answering node knows nothing of it. */
    public static final int ANSWER_UNKNOWN = 3;
    /** ANSWER: the answering node was an owner until the claim that comes along; that claim's owners know more. */
    public static final int ANSWER_RELEASED = 4;

    private OutboxMessages() {}

    /** Returns whether there is such a type. */
    public static boolean knows(int type) {
        return type >= REPLICATE && type <= CLAIM;
    }

    public static Slice ranges(StreamId stream, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream);
        ranges.write(out);
        return out.view();
    }

    public static Slice queueRanges(StreamTable table, RangeList ranges) {
        BinWriter out = new BinWriter().stream(table.id).text(table.queue);
        ranges.write(out);
        return out.view();
    }

    public static Slice ack(StreamId stream, int status, long epoch, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream).u8(status).varint(epoch);
        ranges.write(out);
        return out.view();
    }

    public static Slice claim(StreamTable table, Custody custody, RangeList ranges) {
        BinWriter out = new BinWriter().stream(table.id).text(table.queue);
        custody.write(out);
        ranges.write(out);
        return out.view();
    }

    public static Slice updated(StreamId stream, long epoch, RangeList ranges) {
        BinWriter out = new BinWriter().stream(stream).varint(epoch);
        ranges.write(out);
        return out.view();
    }

    public static Slice answer(StreamId stream, String queue, Answer answer) {
        BinWriter out = new BinWriter().stream(stream).text(queue).u8(answer.status());
        if (answer.custody() != null) {
            answer.custody().write(out);
        }
        answer.ranges().write(out);
        return out.view();
    }

    /** One item of an ANSWER. */
    public record Answer(int status, @Nullable Custody custody, RangeList ranges) {
        /** Returns whether the answering node has the payload. */
        public boolean hasCopy() {
            return status == ANSWER_HELD || status == ANSWER_COPY;
        }
    }

    /**
     * A message that was read to its end, any but REPLICATE, ATTEMPTS and ADOPTION.
     *
     * @param queue empty for the types that do not name it
     * @param status of ACK and ANSWER, else 0
     * @param epoch of ACK and UPDATED, else 0
     * @param custody of UPDATE, RELEASE, CLAIM and some ANSWERs, else null
     */
    public record Message(
            int type,
            StreamId stream,
            String queue,
            int status,
            long epoch,
            @Nullable Custody custody,
            RangeList ranges) {

        /**
         * Reads all of a message before anything is done about it.
         *
         * @throws MalformedException when a field is out of its bounds, the type is unknown, or something follows
         */
        public static Message read(int type, BinReader in) {
            if (type <= REPLICATE || type > CLAIM || type == ATTEMPTS || type == ADOPTION) {
                throw new MalformedException("outbox message type " + type + " is not known");
            }
            StreamId stream = in.stream();
            boolean named = type != ACK && type != DELETED && type != UPDATED && type != RELEASED;
            String queue = named ? QueueNames.read(in) : "";
            int status = type == ACK || type == ANSWER ? status(type, in.u8()) : 0;
            long epoch = type == ACK || type == UPDATED ? OutboxBounds.EPOCH.read(in) : 0;
            boolean claims = type == UPDATE || type == RELEASE || type == CLAIM;
            boolean held = status == ANSWER_HELD || status == ANSWER_COPY || status == ANSWER_RELEASED;
            Custody custody = null;
            if (claims || (type == ANSWER && held)) {
                EntryState state = type == ANSWER && status == ANSWER_HELD ? EntryState.HELD : EntryState.COPY;
                custody = Custody.read(in, state);
            }
            RangeList ranges = RangeList.readMessage(in);
            in.requireEnd("a message");
            return new Message(type, stream, queue, status, epoch, custody, ranges);
        }

        private static int status(int type, int status) {
            if (status > (type == ACK ? STATUS_REFUSED : ANSWER_RELEASED)) {
                throw new MalformedException("status " + status + " of outbox message type " + type + " is not known");
            }
            return status;
        }

        public Answer answer() {
            return new Answer(status, custody, ranges);
        }

        /** Returns the claim of an UPDATE, RELEASE or CLAIM. */
        public Custody claim() {
            return Objects.requireNonNull(custody, "claim");
        }
    }
}
