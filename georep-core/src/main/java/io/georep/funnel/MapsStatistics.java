package io.georep.funnel;

import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import java.util.Map;

/**
 * What the maps of a node hold and did since its start.
 *
 * @param keys keys with a value
 * @param bytes bytes of these keys and values
 * @param removals removed keys that are still known as removed: not all members have that durably, or a node that learns waits for it
 * @param dirtyKeys keys with a write that is not committed
 * @param uncommitted writes that are not committed
 * @param committed writes this node has seen committed
 * @param written writes of this node's application that were committed
 * @param rejected writes of this node's application that were refused
 * @param indeterminate writes of this node's application whose outcome was not known in time
 * @param tailReads reads that had to ask the tail
 * @param viewChanges views this node has served in
 * @param applied number of the newest commit within the view that this node has applied
 * @param renewalNanos how long the master of views took for the newest answer for which it stored nothing; 0 before the first
 * @param masterStoreNanos the same for the newest answer for which it stored something
 */
public record MapsStatistics(
        long keys,
        long bytes,
        long removals,
        long dirtyKeys,
        long uncommitted,
        long committed,
        long written,
        long rejected,
        long indeterminate,
        long tailReads,
        long viewChanges,
        long applied,
        long renewalNanos,
        long masterStoreNanos)
        implements ProtocolStatistics {
    @Override
    public void measure(Measures to) {
        to.gauge("maps.keys", "keys", "Keys with a value in all replicated maps", keys);
        to.gauge("maps.bytes", "bytes", "Bytes of the keys and values in all replicated maps", bytes);
        to.gauge("maps.removals", "keys", "Removed keys that are still known as removed", removals);
        to.gauge("maps.dirty", "keys", "Keys with a write that is not committed", dirtyKeys);
        to.gauge("maps.uncommitted", "writes", "Writes that are not committed", uncommitted);
        to.gauge("maps.applied", "commits", "Number of the newest commit applied in this view", applied);
        to.gauge("maps.renewal", "microseconds", "Time of the newest renewal of the lease", renewalNanos / 1_000);
        to.gauge(
                "maps.master.store",
                "microseconds",
                "Time of the newest answer for which the master of views stored something",
                masterStoreNanos / 1_000);
        to.counter("maps.committed", "writes", "Writes this node has seen committed", committed);
        writes("committed", written, to);
        writes("rejected", rejected, to);
        writes("indeterminate", indeterminate, to);
        to.counter("maps.reads.tail", "reads", "Reads that had to ask the tail", tailReads);
        to.counter("maps.views", "views", "Views this node has served in", viewChanges);
    }

    private static void writes(String outcome, long count, Measures to) {
        to.counter(
                "maps.writes",
                "writes",
                "Writes of this node's application that ended",
                count,
                Map.of("outcome", outcome));
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("keys", keys, "dirtyKeys", dirtyKeys, "uncommitted", uncommitted);
    }
}
