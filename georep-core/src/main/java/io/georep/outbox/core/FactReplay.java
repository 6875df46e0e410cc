package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StreamId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the facts of the {@link Ledger} at boot, and changes its tables as they did when they were written. */
final class FactReplay {
    private final Ledger ledger;
    private final StoreAge age;
    private @Nullable StreamTable lastStream;

    FactReplay(Ledger ledger, StoreAge age) {
        this.ledger = ledger;
        this.age = age;
    }

    /** The facts of one turn. */
    void replay(long number, Slice value) {
        lastStream = null;
        try {
            BinReader in = new BinReader(value);
            while (in.hasMore()) {
                replayOne(in);
            }
        } catch (MalformedException e) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT,
                    "fact " + number + " of the outbox cannot be read: " + e.getMessage()
                            + "; restore the data directory or start with an empty one, the other owners hold copies",
                    e);
        }
    }

    private void replayOne(BinReader in) {
        int code = in.u8();
        if (code == Ledger.AGE) {
            age.read(Bound.MILLIS.read(in));
            return;
        }
        if (code == Ledger.STREAM) {
            StreamId id = in.stream();
            lastStream = ledger.make(id, in.text());
        } else if ((code & Ledger.SAME_STREAM) == 0) {
            lastStream = ledger.find(in.stream());
        }
        StreamTable table = lastStream;
        if (table == null) {
            throw new MalformedException("fact " + code + " about an unknown stream");
        }
        ledger.touchedAt(table, age.notedMillis());
        if (code != Ledger.STREAM) {
            replay(code & ~Ledger.SAME_STREAM, table, in);
        }
    }

    private void replay(int code, StreamTable table, BinReader in) {
        switch (code) {
            case Ledger.STORED -> {
                long from = Bound.SEQUENCE.read(in);
                long to = from + in.varint(Integer.MAX_VALUE, "count");
                table.stored(from, to, Custody.readFact(in));
            }
            case Ledger.CUSTODY -> {
                RangeList ranges = RangeList.read(in);
                table.changedHands(ranges, Custody.readFact(in));
            }
            case Ledger.FINISHED -> replayFinished(table, in);
            case Ledger.TOLD -> table.duties.told(in.node(), RangeList.read(in));
            case Ledger.RELEASE -> table.duties.replaced(in.node(), RangeList.read(in));
            case Ledger.RELEASED -> table.duties.released(in.node(), RangeList.read(in));
            case Ledger.UNCONFIRMED -> table.duties.claimed(in.node(), RangeList.read(in));
            case Ledger.CONFIRMED -> table.duties.confirmed(in.node(), RangeList.read(in));
            case Ledger.OUTRANKED -> table.duties.outranked(RangeList.read(in));
            case Ledger.TAKEN -> table.taken(RangeList.read(in));
            case Ledger.DEAD -> table.setAside(RangeList.read(in));
            case Ledger.ALIVE -> table.revived(RangeList.read(in));
            case Ledger.FORGET -> ledger.putAway(table, age.notedMillis());
            case Ledger.PREPARED -> table.prepared(RangeList.read(in));
            case Ledger.GIVEN_BACK -> table.givenBack(RangeList.read(in));
            case Ledger.UNCERTAIN -> table.doubted(RangeList.read(in));
            case Ledger.DECIDED -> table.decided(RangeList.read(in));
            default -> throw new MalformedException("unknown fact " + code);
        }
    }

    private static void replayFinished(StreamTable table, BinReader in) {
        RangeList ranges = RangeList.read(in);
        List<NodeId> toTell = new ArrayList<>();
        for (int count = in.u8(); count > 0; count--) {
            toTell.add(in.node());
        }
        table.finished(ranges, toTell);
    }
}
