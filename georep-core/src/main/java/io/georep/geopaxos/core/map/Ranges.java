package io.georep.geopaxos.core.map;

import io.georep.geopaxos.core.execution.Service.Accesses;
import io.georep.geopaxos.core.map.MapOperation.Count;
import io.georep.geopaxos.core.map.MapOperation.Scan;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads ranges. Each leaf is told before it is looked at. */
final class Ranges {
    private Ranges() {}

    static MapResult.Page scan(Leaves leaves, Scan scan, Accesses accesses) {
        List<MapEntry> entries = new ArrayList<>();
        int bytes = 0;
        Leaf leaf = scan.descending() ? leaves.before(scan.to()) : leaves.of(scan.from());
        while (leaf != null && accesses.use(leaf.number, false)) {
            int low = leaf.rank(scan.from());
            int high = scan.to() == null ? leaf.size() : leaf.rank(scan.to());
            for (int done = 0; done < high - low; done++) {
                MapEntry entry = leaf.entry(scan.descending() ? high - 1 - done : low + done);
                bytes += entry.size();
                if (!entries.isEmpty() && bytes > MapOperation.PAGE_BYTES_MAX) {
                    return new MapResult.Page(entries, true);
                }
                entries.add(entry);
                if (entries.size() == scan.limit()) {
                    return new MapResult.Page(entries, true);
                }
            }
            leaf = scan.descending() ? lower(leaves, leaf, scan.from()) : higher(leaves, leaf, scan.to());
        }
        return new MapResult.Page(entries, false);
    }

    static long count(Leaves leaves, Count count, Accesses accesses) {
        long entries = 0;
        Leaf leaf = leaves.of(count.from());
        while (leaf != null && accesses.use(leaf.number, false)) {
            int high = count.to() == null ? leaf.size() : leaf.rank(count.to());
            entries += Math.max(0, high - leaf.rank(count.from()));
            leaf = higher(leaves, leaf, count.to());
        }
        return entries;
    }

    /** The next leaf, if it may have keys before the end. */
    private static @Nullable Leaf higher(Leaves leaves, Leaf leaf, @Nullable Slice end) {
        Leaf next = leaves.next(leaf);
        return next == null || (end != null && Leaf.compare(next.low, end) >= 0) ? null : next;
    }

    /** The leaf before, if this one has not got the lower end of the range. */
    private static @Nullable Leaf lower(Leaves leaves, Leaf leaf, Slice from) {
        return Leaf.compare(leaf.low, from) <= 0 ? null : leaves.previous(leaf);
    }
}
