package io.georep.outbox.core.ledger;

import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StreamId;
import io.georep.outbox.core.stream.StreamTable;

/** Applies the facts of the {@link Ledger} at boot, as they were applied when they were written. */
public final class FactReplay implements FactReader.Visitor {
    private final Ledger ledger;

    public FactReplay(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Applies the facts of one turn. */
    public void replay(long number, Slice value) {
        try {
            FactReader.read(value, this);
        } catch (MalformedException e) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT,
                    "fact " + number + " of the outbox cannot be read: " + e.getMessage()
                            + "; restore the data directory or start with an empty one, the other owners hold copies",
                    e);
        }
    }

    @Override
    public void ofStore(int code, long number) {
        switch (code) {
            case Ledger.AGE -> ledger.age.noted(number);
            case Ledger.BOOT -> ledger.booted(number);
            default -> ledger.archive.retire(number);
        }
    }

    @Override
    public void opened(StreamId stream, String queue) {
        touched(ledger.make(stream, queue));
    }

    @Override
    public void forgotten(StreamId stream) {
        ledger.putAway(known(stream));
    }

    @Override
    public void about(StreamId stream, Fact fact) {
        StreamTable table = touched(known(stream));
        fact.apply(table, noGroup -> {});
    }

    private StreamTable known(StreamId stream) {
        StreamTable table = ledger.find(stream);
        if (table == null) {
            throw new MalformedException("a fact about the unknown stream " + stream);
        }
        return table;
    }

    private StreamTable touched(StreamTable table) {
        table.touchedMillis = ledger.age.notedMillis();
        return table;
    }
}
