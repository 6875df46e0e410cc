package io.georep.outbox;

import java.util.Map;
import java.util.Set;

/**
 * What the outboxes of a node did since it was started and what they hold.
 *
 * @param protocol counters of the replication protocol
 * @param queues counters of each outbox opened here, by name
 * @param unopened queues for which entries wait although no outbox of that name was opened here
 * @param pendingSends sends not answered yet
 * @param pendingSendBytes payload bytes of those
 */
public record OutboxActivity(
        OutboxStatistics protocol,
        Map<String, QueueStatistics> queues,
        Set<String> unopened,
        long pendingSends,
        long pendingSendBytes) {}
