package io.georep.funnel.core;

import io.georep.funnel.MapsStatistics;
import io.georep.funnel.ViewMaster;

/** What was done since the start, as operators are told it. */
final class FunnelFigures {
    private long committed;
    private long written;
    private long rejected;
    private long indeterminate;
    private long tailReads;

    /** For the newest answer of the master for which it stored nothing, and for which it stored something. */
    private long renewalNanos;

    private long masterStoreNanos;

    /** A commit was applied, whoever wrote it. */
    void committed() {
        committed++;
    }

    /** A write of this node was committed. */
    void written() {
        written++;
    }

    /** Counts writes of this node that were refused. */
    void rejected(int count) {
        rejected += count;
    }

    /** Counts a write of this node whose outcome was not known in time. */
    void indeterminate() {
        indeterminate++;
    }

    /** The tail is asked for a read. */
    void tailRead() {
        tailReads++;
    }

    /** The master took so long for this answer. */
    void granted(ViewMaster.Grant grant, long nanos) {
        if (grant.stored()) {
            masterStoreNanos = nanos;
        } else {
            renewalNanos = nanos;
        }
    }

    /** Returns these figures, with what there is now. */
    MapsStatistics with(FunnelContext now) {
        return new MapsStatistics(
                now.tables.keys(),
                now.tables.bytes(),
                now.tables.removals(),
                now.writes.dirtyKeys(),
                now.writes.size(),
                committed,
                written,
                rejected,
                indeterminate,
                tailReads,
                now.standing.viewChanges(),
                now.progress.applied().commit(),
                renewalNanos,
                masterStoreNanos);
    }
}
