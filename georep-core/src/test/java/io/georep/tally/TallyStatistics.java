package io.georep.tally;

import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import java.util.Map;

/**
 * What a node has counted.
 *
 * @param counts known to be durable here, by name of the counting node
 * @param waiting tokens that have no number yet
 */
public record TallyStatistics(Map<String, Long> counts, long waiting) implements ProtocolStatistics {
    @Override
    public void measure(Measures to) {
        counts.forEach((name, count) ->
                to.counter("tally.count", "ones", "Ones that a node has counted", count, Map.of("counting", name)));
        to.gauge("tally.waiting", "ones", "Ones that have no number yet", waiting);
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("tallyNodes", counts.size());
    }
}
