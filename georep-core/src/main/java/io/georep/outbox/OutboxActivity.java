package io.georep.outbox;

import io.georep.spi.Measures;
import io.georep.spi.ProtocolStatistics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the outboxes of a node have done since the node was started, and what they hold now.
 *
 * @param protocol counters of the replication protocol
 * @param queues counters of each queue that was opened on this node, by name
 * @param unopened queues that were not opened on this node although entries wait for them here. These entries wait until the
 *     queue is opened
 * @param pendingSends how many sends have no answer yet
 * @param pendingSendBytes payload bytes of these sends
 */
public record OutboxActivity(
        OutboxStatistics protocol,
        Map<String, QueueStatistics> queues,
        Set<String> unopened,
        long pendingSends,
        long pendingSendBytes)
        implements ProtocolStatistics {
    private static final String ENTRIES = "entries";

    /** Returns how many entries of a queue this node is to forward; dead letters are not among them. */
    public long backlog(String queue) {
        return protocol.held().getOrDefault(queue, 0L) - deadLetters(queue);
    }

    /** Returns how many dead letters of a queue were set aside on this node. */
    public long deadLetters(String queue) {
        return protocol.deadLetters().getOrDefault(queue, 0L);
    }

    /** Returns how many prepared entries of a queue wait on this node for their decision. */
    public long undecided(String queue) {
        return protocol.undecided().getOrDefault(queue, 0L);
    }

    @Override
    public void measure(Measures to) {
        to.gauge("copies", ENTRIES, protocol.copies());
        to.gauge("copies.short", ENTRIES, protocol.shortOfCopies());
        to.gauge("held.back", ENTRIES, protocol.heldBack());
        to.gauge("deletes.untold", ENTRIES, protocol.deletesUntold());
        to.gauge("tombstones", ENTRIES, protocol.tombstones());
        to.gauge("pending.sends", ENTRIES, pendingSends);
        to.gauge("pending.send.bytes", "bytes", pendingSendBytes);
        queues.forEach((name, queue) -> measure(name, queue, to));
    }

    private void measure(String name, QueueStatistics queue, Measures to) {
        to.counter("sends", ENTRIES, queue.acknowledged(), Map.of("queue", name, "outcome", "acknowledged"));
        to.counter("sends", ENTRIES, queue.rejected(), Map.of("queue", name, "outcome", "rejected"));
        to.counter("sends", ENTRIES, queue.indeterminate(), Map.of("queue", name, "outcome", "indeterminate"));
        Map<String, String> tags = Map.of("queue", name);
        to.counter("forwarded", ENTRIES, queue.forwarded(), tags);
        to.counter("failed.attempts", "attempts", queue.failedAttempts(), tags);
        to.counter("dead.lettered", ENTRIES, queue.deadLettered(), tags);
        to.counter("expired", ENTRIES, queue.expired(), tags);
        to.counter("adopted", ENTRIES, queue.adopted(), tags);
        to.gauge("active", ENTRIES, queue.active(), tags);
        to.gauge("parked", ENTRIES, queue.parked(), tags);
        to.gauge("backlog", ENTRIES, backlog(name), tags);
        to.gauge("dead.letters", ENTRIES, deadLetters(name), tags);
        to.gauge("undecided", ENTRIES, undecided(name), tags);
    }

    @Override
    public Map<String, Object> summary() {
        Map<String, Object> summary = new LinkedHashMap<>();
        long dead = total(protocol.deadLetters());
        summary.put("backlog", total(protocol.held()) - dead);
        summary.put("shortOfCopies", protocol.shortOfCopies());
        summary.put("deadLetters", dead);
        summary.put("unopenedQueues", unopened);
        return summary;
    }

    private static long total(Map<String, Long> byQueue) {
        return byQueue.values().stream().mapToLong(Long::longValue).sum();
    }
}
