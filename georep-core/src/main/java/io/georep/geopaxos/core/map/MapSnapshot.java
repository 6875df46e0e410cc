package io.georep.geopaxos.core.map;

import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The whole state of one moment in pages: equal states have equal bytes. To take it costs a reference for each leaf. */
final class MapSnapshot implements Iterator<Slice> {
    private final List<Leaf> leaves;
    private final int pageBytes;
    private final BinWriter out = new BinWriter();
    private int next;

    MapSnapshot(Leaves leaves, int pageBytes) {
        this.leaves = List.copyOf(leaves.all());
        this.pageBytes = pageBytes;
    }

    @Override
    public boolean hasNext() {
        return next < leaves.size();
    }

    @Override
    public Slice next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        out.clear();
        do {
            leaves.get(next++).write(out);
        } while (hasNext() && out.size() < pageBytes);
        return out.toSlice();
    }
}
