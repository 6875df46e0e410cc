package io.georep.keys;

import io.georep.spi.Measures;
import io.georep.spi.ProtocolStatistics;
import java.util.Map;

/**
 * What the key spaces of a node did since it was started and what they hold.
 *
 * @param records records held, local and replicated, without marks of deletions
 * @param bytes bytes of keys and values
 * @param deletions marks of deletions that are kept until every node has them
 * @param written writes completed
 * @param failed writes rejected, or not confirmed in time
 * @param taken records taken from other nodes
 * @param pending writes that wait for other nodes
 */
public record KeySpaceStatistics(
        long records, long bytes, long deletions, long written, long failed, long taken, long pending)
        implements ProtocolStatistics {
    @Override
    public void measure(Measures to) {
        to.gauge("keys.records", "records", records);
        to.gauge("keys.bytes", "bytes", bytes);
        to.gauge("keys.deletions", "records", deletions);
        to.gauge("keys.pending", "writes", pending);
        to.counter("keys.writes", "writes", written, Map.of("outcome", "completed"));
        to.counter("keys.writes", "writes", failed, Map.of("outcome", "failed"));
        to.counter("keys.taken", "records", taken);
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("records", records, "deletions", deletions);
    }
}
