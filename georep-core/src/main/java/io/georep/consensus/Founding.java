package io.georep.consensus;

import io.georep.model.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Whether a member may take part in founding its group. It may not once it has heard, in this boot, that the group has a log: then all founders
 * have lost their stores, or this one is about to be taught.
 */
final class Founding {
    private final Journal journal;
    private @Nullable NodeId elder;

    Founding(Journal journal) {
        this.journal = journal;
    }

    /** A node has a log with this id. Returns whether this member may found nothing from now on. */
    boolean hears(NodeId from, long log) {
        if (log == 0 || elder != null || journal.seats().slot() > 0 || journal.begins(log)) {
            return false;
        }
        elder = from;
        return true;
    }

    /** Returns who has the log; null if this member may found one, or has one. */
    @Nullable
    NodeId elder() {
        return journal.seats().slot() > 0 ? null : elder;
    }
}
