package io.georep.keys;

import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import java.util.Map;

/**
 * What the key spaces of a node hold, and what they did since the node was started.
 *
 * @param records how many records they hold, local and replicated, without marks of deletions
 * @param bytes how many bytes the keys and values have
 * @param deletions how many marks of deletions they keep; see {@link KeySpaceSettings#deletionsKept()}
 * @param written how many writes completed
 * @param failed how many writes were rejected, or not confirmed in time
 * @param taken how many records this node took from other nodes
 * @param pending how many writes wait until they are durable here and confirmed by other nodes
 */
public record KeySpaceStatistics(
        long records, long bytes, long deletions, long written, long failed, long taken, long pending)
        implements ProtocolStatistics {
    @Override
    public void measure(Measures to) {
        to.gauge("keys.records", "records", "Records in all key spaces, without marks of deletions", records);
        to.gauge("keys.bytes", "bytes", "Bytes of the keys and values in all key spaces", bytes);
        to.gauge("keys.deletions", "records", "Marks of deletions that are kept", deletions);
        to.gauge(
                "keys.pending",
                "writes",
                "Writes that wait until they are durable here and confirmed by other nodes",
                pending);
        writes("completed", written, to);
        writes("failed", failed, to);
        to.counter("keys.taken", "records", "Records that this node took from other nodes", taken);
    }

    private static void writes(String outcome, long count, Measures to) {
        String description = "Writes that ended; failed ones were rejected, or not confirmed in time";
        to.counter("keys.writes", "writes", description, count, Map.of("outcome", outcome));
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("records", records, "deletions", deletions);
    }
}
