package io.georep.outbox;

import java.util.Map;

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
 * @param possiblySent how often the application got an entry that may have been forwarded before, by cause; an entry counts each
 *     time, and causes that there were not are left out
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
        Map<RepetitionCause, Long> possiblySent,
        long active,
        long parked) {}
