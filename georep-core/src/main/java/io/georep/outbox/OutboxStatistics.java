package io.georep.outbox;

import java.util.Map;

/**
 * Counters of the outbox protocol since boot, and what it holds now.
 *
 * @param accepted puts that got an id
 * @param acknowledged puts answered with success
 * @param rejected puts refused with nothing stored
 * @param indeterminate puts that failed after copies may have been made
 * @param forwarded entries this node forwarded
 * @param adopted entries this node adopted
 * @param ceded entries this node ceded
 * @param replaced owner replacements (rules o4, G16)
 * @param receiving entries waiting for copies
 * @param held entries this node may forward, by queue (waiting or with the application)
 * @param deadLetters entries set aside, by queue
 * @param undecided prepared entries this node holds that nobody has decided, by queue; queues without any are left out
 * @param copies entries kept for other nodes
 * @param heldBack entries not handed out because of a late restart (6.8)
 * @param shortOfCopies entries this node holds that have fewer than f + 1 copies as far as it knows: some other owner is
 *     given up, lost its copy, or has not yet said since it or this node started that it has one
 * @param deletesUntold entries whose DELETE some owner has not confirmed
 * @param tombstones tombstones kept
 */
public record OutboxStatistics(
        long accepted,
        long acknowledged,
        long rejected,
        long indeterminate,
        long forwarded,
        long adopted,
        long ceded,
        long replaced,
        long receiving,
        Map<String, Long> held,
        Map<String, Long> deadLetters,
        Map<String, Long> undecided,
        long copies,
        long heldBack,
        long shortOfCopies,
        long deletesUntold,
        long tombstones) {}
