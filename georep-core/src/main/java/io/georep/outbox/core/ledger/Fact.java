package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A durable change of one stream, as it stands in the log of the {@link Ledger}. The same code applies it when it is
 * written and when it is read again, so a replay comes to the same state as the node that wrote it.
 */
public sealed interface Fact {
    /** Returns what it begins with in the log. */
    int code();

    /** What follows the code and the stream. */
    void write(BinWriter out);

    /**
     * Changes the table.
     *
     * @param dropped is told the first numbers of groups nobody needs any more
     */
    void apply(StreamTable table, LongConsumer dropped);

    /** Reads what {@link #write} wrote. */
    static Fact read(int code, BinReader in) {
        return switch (code) {
            case Stored.CODE -> Stored.read(in);
            case ChangedHands.CODE -> new ChangedHands(RangeList.read(in), Custody.readFact(in));
            case Finished.CODE -> Finished.read(in);
            default ->
                Duty.has(code)
                        ? new OfOwner(Duty.of(code), in.node(), RangeList.read(in))
                        : new OfEntries(Mark.of(code), RangeList.read(in));
        };
    }

    /** New entries with their payload. */
    record Stored(long from, long to, Custody custody) implements Fact {
        public static final int CODE = 2;

        static Stored read(BinReader in) {
            long from = OutboxBounds.SEQUENCE.read(in);
            long count = in.varint(Integer.MAX_VALUE, "count");
            if (count == 0) {
                throw new MalformedException("a fact about no new entries");
            }
            return new Stored(from, from + count, Custody.readFact(in));
        }

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void write(BinWriter out) {
            custody.writeFact(out.varint(from).varint(to - from));
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.stored(from, to, custody);
        }
    }

    /** Entries are held in another way. */
    record ChangedHands(RangeList ranges, Custody custody) implements Fact {
        public static final int CODE = 3;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void write(BinWriter out) {
            ranges.write(out);
            custody.writeFact(out);
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.changedHands(ranges, custody).forEach(dropped::accept);
        }
    }

    /** Entries are finished: tombstones, and the owners to be told. */
    record Finished(RangeList ranges, List<NodeId> toTell) implements Fact {
        public static final int CODE = 4;

        static Finished read(BinReader in) {
            RangeList ranges = RangeList.read(in);
            List<NodeId> toTell = new ArrayList<>();
            for (int count = in.count(1, "owners to tell"); count > 0; count--) {
                toTell.add(in.node());
            }
            return new Finished(ranges, toTell);
        }

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void write(BinWriter out) {
            ranges.write(out);
            out.varint(toTell.size());
            toTell.forEach(out::node);
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.finished(ranges, toTell).forEach(dropped::accept);
        }
    }

    /** Changes what an owner has to be told about some entries. */
    enum Duty {
        /** An owner confirmed DELETE. */
        TOLD(5),
        /** A node is an owner no longer and must be told so. */
        REPLACED(6),
        /** A former owner confirmed its release. */
        RELEASED(7),
        /** An owner must be told of the present claim. */
        CLAIMED(8),
        /** An owner confirmed the present claim. */
        CONFIRMED(9);

        private static final Duty[] ALL = values();

        public final int code;

        Duty(int code) {
            this.code = code;
        }

        static boolean has(int code) {
            return code >= TOLD.code && code <= CONFIRMED.code;
        }

        static Duty of(int code) {
            return ALL[code - TOLD.code];
        }
    }

    /** Changes what is known of some entries. */
    enum Mark {
        /** Entries were handed to the application. */
        TAKEN(10),
        /** Entries became dead letters. */
        DEAD_LETTER(11),
        /** Dead letters live again. */
        REVIVED(12),
        /** Entries wait for the decision of their producer. */
        PREPARED(14),
        /** Prepared entries may be handed out. */
        DECIDED(15),
        /** The application gave entries back that a handler had: whether it forwarded them is not known. */
        GIVEN_BACK(16),
        /** Entries this node holds may have been forwarded by somebody. */
        UNCERTAIN(17),
        /** Another claim outranks the one of this node, which nobody needs to confirm any more. */
        OUTRANKED(18),
        /** The application gave entries back that no handler had. */
        UNTOUCHED(22);

        private static final Mark[] ALL = values();

        public final int code;

        Mark(int code) {
            this.code = code;
        }

        static Mark of(int code) {
            for (Mark mark : ALL) {
                if (mark.code == code) {
                    return mark;
                }
            }
            throw new MalformedException("unknown fact " + code);
        }
    }

    /** About an owner and some entries. */
    record OfOwner(Duty duty, NodeId owner, RangeList ranges) implements Fact {
        @Override
        public int code() {
            return duty.code;
        }

        @Override
        public void write(BinWriter out) {
            ranges.write(out.node(owner));
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            switch (duty) {
                case TOLD -> table.duties.told(owner, ranges);
                case REPLACED -> table.duties.replaced(owner, ranges);
                case RELEASED -> table.duties.released(owner, ranges);
                case CLAIMED -> table.duties.claimed(owner, ranges);
                case CONFIRMED -> table.duties.confirmed(owner, ranges);
            }
        }
    }

    /** About some entries. */
    record OfEntries(Mark mark, RangeList ranges) implements Fact {
        @Override
        public int code() {
            return mark.code;
        }

        @Override
        public void write(BinWriter out) {
            ranges.write(out);
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            switch (mark) {
                case TAKEN -> table.taken(ranges);
                case DEAD_LETTER -> table.becameDead(ranges);
                case REVIVED -> table.revived(ranges);
                case PREPARED -> table.prepared(ranges);
                case DECIDED -> table.decided(ranges);
                case GIVEN_BACK, UNTOUCHED -> table.givenBack(ranges, mark == Mark.GIVEN_BACK);
                case UNCERTAIN -> table.becameUncertain(ranges);
                case OUTRANKED -> table.duties.outranked(ranges);
            }
        }
    }
}
