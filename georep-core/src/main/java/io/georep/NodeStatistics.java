package io.georep;

import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.QueueStatistics;
import java.util.Map;
import java.util.Set;

/**
 * What a node did since it was started and what it holds.
 *
 * @param protocol counters of the replication protocol
 * @param queues counters of each outbox opened here, by name
 * @param unopened queues for which entries wait although no outbox of that name was opened here: their entries stay
 *     held until then
 * @param pendingSends sends not answered yet
 * @param pendingSendBytes payload bytes of those
 * @param turns turns of the driver
 * @param inputs inputs handled in those turns
 * @param framesRefused frames of peers that could not be read, each of which cost its link; the log says whose
 */
public record NodeStatistics(
        OutboxStatistics protocol,
        Map<String, QueueStatistics> queues,
        Set<String> unopened,
        long pendingSends,
        long pendingSendBytes,
        long turns,
        long inputs,
        long framesRefused) {}
