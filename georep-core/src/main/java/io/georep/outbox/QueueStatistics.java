package io.georep.outbox;

/**
 * Counters of one outbox on this node since it was started.
 *
 * @param acknowledged sends that reached f+1 nodes
 * @param rejected sends refused with nothing stored
 * @param indeterminate sends that failed but may be forwarded
 * @param delivered entries handed over by the node, each time counted
 * @param forwarded entries the handler forwarded
 * @param failedAttempts handler calls that failed
 * @param deadLettered entries set aside
 * @param expired entries whose time to live ended before they were forwarded
 * @param adopted entries taken over from other nodes
 * @param active entries now ready for a handler or in its hands
 * @param parked entries now waiting for their delay or next attempt
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
