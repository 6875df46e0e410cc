package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StreamId;
import org.jspecify.annotations.Nullable;

/** Reads the facts of the {@link Ledger} at boot, and changes its tables as they did when they were written. */
final class FactReplay {
    private final Ledger ledger;
    private @Nullable StreamTable lastStream;

    FactReplay(Ledger ledger) {
        this.ledger = ledger;
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
        switch (code) {
            case Ledger.AGE -> ledger.age.noted(Bound.MILLIS.read(in));
            case Ledger.BOOT -> ledger.booted(in.i64());
            case Ledger.RETIRED -> ledger.archive.retire(Bound.MILLIS.read(in));
            default -> replayOfStream(code, in);
        }
    }

    private void replayOfStream(int code, BinReader in) {
        if (code == Ledger.STREAM) {
            StreamId id = in.stream();
            lastStream = ledger.make(id, in.text());
        } else if ((code & Ledger.SAME_STREAM) == 0) {
            lastStream = ledger.find(in.stream());
        }
        StreamTable table = lastStream;
        int kind = code & ~Ledger.SAME_STREAM;
        if (table == null) {
            throw new MalformedException("fact " + kind + " about an unknown stream");
        }
        if (kind == Ledger.FORGET) {
            ledger.putAway(table);
            return;
        }
        table.touchedMillis = ledger.age.notedMillis();
        if (kind != Ledger.STREAM) {
            Fact.read(kind, in).apply(table, dropped -> {});
        }
    }
}
