package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A durable change of one stream, as it stands in the log of the {@link Ledger}. It is applied by the same code when it is
 * written and when it is read again, so a replay cannot know anything else than the node that wrote it.
 */
sealed interface Fact {
    /** What it begins with in the log. */
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
            case Told.CODE -> new Told(in.node(), RangeList.read(in));
            case Replaced.CODE -> new Replaced(in.node(), RangeList.read(in));
            case Released.CODE -> new Released(in.node(), RangeList.read(in));
            case Claimed.CODE -> new Claimed(in.node(), RangeList.read(in));
            case Confirmed.CODE -> new Confirmed(in.node(), RangeList.read(in));
            case Outranked.CODE -> new Outranked(RangeList.read(in));
            case Taken.CODE -> new Taken(RangeList.read(in));
            case SetAside.CODE -> new SetAside(RangeList.read(in));
            case Revived.CODE -> new Revived(RangeList.read(in));
            case Prepared.CODE -> new Prepared(RangeList.read(in));
            case Decided.CODE -> new Decided(RangeList.read(in));
            case GivenBack.CODE -> new GivenBack(RangeList.read(in));
            case Doubted.CODE -> new Doubted(RangeList.read(in));
            case Untouched.CODE -> new Untouched(RangeList.read(in));
            default -> throw new MalformedException("unknown fact " + code);
        };
    }

    /** About some entries. */
    sealed interface OfEntries extends Fact {
        RangeList ranges();

        @Override
        default void write(BinWriter out) {
            ranges().write(out);
        }
    }

    /** About an owner and some entries. */
    sealed interface OfOwner extends Fact {
        NodeId owner();

        RangeList ranges();

        @Override
        default void write(BinWriter out) {
            ranges().write(out.node(owner()));
        }
    }

    /** New entries with their payload. */
    record Stored(long from, long to, Custody custody) implements Fact {
        static final int CODE = 2;

        static Stored read(BinReader in) {
            long from = Bound.SEQUENCE.read(in);
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
        static final int CODE = 3;

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

    /** Entries are over: tombstones, and the owners to be told. */
    record Finished(RangeList ranges, List<NodeId> toTell) implements Fact {
        static final int CODE = 4;

        static Finished read(BinReader in) {
            RangeList ranges = RangeList.read(in);
            List<NodeId> toTell = new ArrayList<>();
            for (int count = in.u8(); count > 0; count--) {
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
            out.u8(toTell.size());
            toTell.forEach(out::node);
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.finished(ranges, toTell).forEach(dropped::accept);
        }
    }

    /** An owner confirmed DELETE. */
    record Told(NodeId owner, RangeList ranges) implements OfOwner {
        static final int CODE = 5;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.told(owner, ranges);
        }
    }

    /** A node is an owner no longer and must be told so. */
    record Replaced(NodeId owner, RangeList ranges) implements OfOwner {
        static final int CODE = 6;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.replaced(owner, ranges);
        }
    }

    /** A former owner confirmed its release. */
    record Released(NodeId owner, RangeList ranges) implements OfOwner {
        static final int CODE = 7;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.released(owner, ranges);
        }
    }

    /** An owner must be told of the present claim. */
    record Claimed(NodeId owner, RangeList ranges) implements OfOwner {
        static final int CODE = 8;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.claimed(owner, ranges);
        }
    }

    /** An owner confirmed the present claim. */
    record Confirmed(NodeId owner, RangeList ranges) implements OfOwner {
        static final int CODE = 9;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.confirmed(owner, ranges);
        }
    }

    /** Another claim outranks the one of this node, which nobody needs to confirm any more. */
    record Outranked(RangeList ranges) implements OfEntries {
        static final int CODE = 18;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.duties.outranked(ranges);
        }
    }

    /** Entries were handed to the application. */
    record Taken(RangeList ranges) implements OfEntries {
        static final int CODE = 10;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.taken(ranges);
        }
    }

    /** Entries became dead letters. */
    record SetAside(RangeList ranges) implements OfEntries {
        static final int CODE = 11;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.setAside(ranges);
        }
    }

    /** Dead letters live again. */
    record Revived(RangeList ranges) implements OfEntries {
        static final int CODE = 12;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.revived(ranges);
        }
    }

    /** Entries wait for the decision of their producer. */
    record Prepared(RangeList ranges) implements OfEntries {
        static final int CODE = 14;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.prepared(ranges);
        }
    }

    /** Prepared entries may be handed out. */
    record Decided(RangeList ranges) implements OfEntries {
        static final int CODE = 15;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.decided(ranges);
        }
    }

    /** The application gave entries back that a handler had: whether it forwarded them is not known. */
    record GivenBack(RangeList ranges) implements OfEntries {
        static final int CODE = 16;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.givenBack(ranges, true);
        }
    }

    /** The application gave entries back that no handler had. */
    record Untouched(RangeList ranges) implements OfEntries {
        static final int CODE = 22;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.givenBack(ranges, false);
        }
    }

    /** Entries this node holds may have been forwarded by somebody. */
    record Doubted(RangeList ranges) implements OfEntries {
        static final int CODE = 17;

        @Override
        public int code() {
            return CODE;
        }

        @Override
        public void apply(StreamTable table, LongConsumer dropped) {
            table.doubted(ranges);
        }
    }
}
