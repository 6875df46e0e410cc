package io.georep.outbox;

/**
 * Counters of one queue on this node since the node was started.
 *
 * @param acknowledged sends that reached f + 1 nodes
 * @param rejected sends that were refused; nothing was stored
 * @param indeterminate sends that failed although their entries may still be forwarded
 * @param delivered how often the node handed an entry over; an entry counts each time
 * @param forwarded entries that the handler forwarded
 * @param failedAttempts handler calls that failed
 * @param deadLettered entries that were set aside
 * @param expired entries whose time to live was over before they were forwarded
 * @param adopted entries that this node took over from other nodes
 * @param active entries that are ready for a handler or in its hands now
 * @param parked entries that wait for their delay or their next attempt now
 */
public record QueueStatistics(
        long acknowledged,
        long rejected,
        long indeterminate,
        long delivered,
        long forwarded,
        long failedAttempts,
        long deadLettered,
        long expired,
        long adopted,
        long active,
        long parked) {}
