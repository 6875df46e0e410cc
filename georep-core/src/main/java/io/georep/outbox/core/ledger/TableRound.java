package io.georep.outbox.core.ledger;

import io.georep.model.StreamId;
import io.georep.outbox.core.stream.StreamTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Goes round all streams, some at a time, so that a heartbeat costs the same however many there are. */
public final class TableRound {
    private final Ledger ledger;
    private final int tablesMax;
    private @Nullable StreamId at;
    private boolean seen;

    /**
     * A round that begins with the first stream.
     *
     * @param tablesMax most streams in one go
     */
    public TableRound(Ledger ledger, int tablesMax) {
        this.ledger = ledger;
        this.tablesMax = tablesMax;
    }

    /** Begins with the first stream again. */
    public void begin() {
        at = null;
    }

    /** Returns the next streams; fewer than usual when the last one is among them. */
    public List<StreamTable> next() {
        List<StreamTable> next = from(at, tablesMax);
        at = next.isEmpty() ? null : next.get(next.size() - 1).id;
        seen = true;
        return next;
    }

    /** Returns the next streams, each once; behind the last one comes the first. */
    public List<StreamTable> nextForEver() {
        int count = Math.min(tablesMax, ledger.tables().size());
        List<StreamTable> next = new ArrayList<>(from(at, count));
        next.addAll(from(null, count - next.size()));
        at = next.isEmpty() ? null : next.get(next.size() - 1).id;
        seen = true;
        return next;
    }

    /** Goes on with this stream, where there is more to do. */
    public void stayAt(StreamTable table) {
        at = table.id;
        seen = false;
    }

    private List<StreamTable> from(@Nullable StreamId from, int max) {
        return first(max, from == null ? ledger.tables() : ledger.tablesFrom(from, !seen));
    }

    /**
     * Returns the first few of all. A stream with a limit would first ask for the size, and a part of a tree has to
     * count for that.
     */
    static <E> List<E> first(int max, Collection<E> all) {
        List<E> first = new ArrayList<>();
        Iterator<E> next = all.iterator();
        while (first.size() < max && next.hasNext()) {
            first.add(next.next());
        }
        return first;
    }
}
