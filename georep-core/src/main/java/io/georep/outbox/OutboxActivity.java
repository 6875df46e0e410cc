package io.georep.outbox;

import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import java.util.LinkedHashMap;
import java.util.Locale;
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
        to.gauge("copies", ENTRIES, "Copies that this node keeps for the holders of entries", protocol.copies());
        to.gauge(
                "copies.short",
                ENTRIES,
                "Entries held here that have fewer than f + 1 copies, as far as this node knows",
                protocol.shortOfCopies());
        to.gauge(
                "held.back",
                ENTRIES,
                "Entries held here that wait for the answers of their other owners, after a late return",
                protocol.heldBack());
        to.gauge(
                "deletes.untold",
                ENTRIES,
                "Finished entries whose deletion another owner has not confirmed",
                protocol.deletesUntold());
        to.counter(
                "ends.refused",
                ENTRIES,
                "Entries that a node which is neither their origin nor an owner said to be over, which was not believed",
                protocol.endsRefused(),
                Map.of());
        to.gauge(
                "tombstones",
                ENTRIES,
                "Finished entries that this node remembers, so that no late copy brings them back",
                protocol.tombstones());
        to.gauge("pending.sends", ENTRIES, "Sends that have no answer yet", pendingSends);
        to.gauge("pending.send.bytes", "bytes", "Payload bytes of the sends that have no answer yet", pendingSendBytes);
        queues.forEach((name, queue) -> measure(name, queue, to));
    }

    private void measure(String name, QueueStatistics queue, Measures to) {
        sends(name, "acknowledged", queue.acknowledged(), to);
        sends(name, "rejected", queue.rejected(), to);
        sends(name, "indeterminate", queue.indeterminate(), to);
        Map<String, String> tags = Map.of("queue", name);
        to.counter("forwarded", ENTRIES, "Entries that a handler on this node forwarded", queue.forwarded(), tags);
        to.counter("failed.attempts", "attempts", "Calls of a handler that failed", queue.failedAttempts(), tags);
        to.counter("dead.lettered", ENTRIES, "Entries that became dead letters here", queue.deadLettered(), tags);
        to.counter("expired", ENTRIES, "Entries dropped because their time to live was over", queue.expired(), tags);
        to.counter("adopted", ENTRIES, "Entries that this node took over from other nodes", queue.adopted(), tags);
        for (RepetitionCause cause : RepetitionCause.values()) {
            to.counter(
                    "possibly.sent",
                    ENTRIES,
                    "Entries that a handler got and that may have been forwarded before, by cause; an entry counts each time",
                    queue.possiblySent().getOrDefault(cause, 0L),
                    Map.of("queue", name, "cause", cause.name().toLowerCase(Locale.ROOT)));
        }
        to.gauge("active", ENTRIES, "Entries that are ready for the handler or in its hands", queue.active(), tags);
        to.gauge("parked", ENTRIES, "Entries that wait for their delay or their next attempt", queue.parked(), tags);
        to.gauge("backlog", ENTRIES, "Entries that this node is to forward, without dead letters", backlog(name), tags);
        to.gauge("dead.letters", ENTRIES, "Dead letters that this node holds", deadLetters(name), tags);
        to.gauge("undecided", ENTRIES, "Prepared entries held here that nobody has decided on", undecided(name), tags);
    }

    private static void sends(String queue, String outcome, long count, Measures to) {
        Map<String, String> tags = Map.of("queue", queue, "outcome", outcome);
        to.counter(
                "sends", ENTRIES, "Sends that ended, by outcome: acknowledged, rejected, indeterminate", count, tags);
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
