package io.georep.outbox.core.stream;

import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import java.util.ArrayList;
import java.util.List;

/**
 * Owners that got a copy of an entry while the application had the entry in its hands. From then on their leases count,
 * too (6.16.3). The node changes this and handlers read it. It is empty except while owners are replaced.
 */
public final class LateOwners {
    /** For an entry of which no copies are made. */
    public static final LateOwners NONE = new LateOwners();

    /** One node's entries, a set that is never changed once it is here. */
    private record Late(OwnerLease lease, SequenceSet entries) {}

    private volatile List<Late> late = List.of();

    /** The owner of this lease gets copies. */
    public void add(OwnerLease lease, RangeList entries) {
        List<Late> longer = new ArrayList<>(late.size() + 1);
        SequenceSet all = new SequenceSet();
        all.addAll(entries);
        for (Late known : late) {
            if (known.lease == lease) {
                all.addAll(known.entries);
            } else {
                longer.add(known);
            }
        }
        longer.add(new Late(lease, all));
        late = List.copyOf(longer);
    }

    /** Called about once a heartbeat: forgets entries the application has no more; returns whether any are left. */
    public boolean keepOnly(SequenceView taken) {
        List<Late> kept = new ArrayList<>(late.size());
        for (Late known : late) {
            SequenceSet still = new SequenceSet();
            still.addAll(taken.within(known.entries.all()));
            if (!still.isEmpty()) {
                kept.add(new Late(known.lease, still));
            }
        }
        late = List.copyOf(kept);
        return !kept.isEmpty();
    }

    /**
     * Returns whether one of them may have forwarded an entry.
     *
     * @param nowNanos this node's monotonic clock
     * @param nowMillis its wall clock
     */
    public boolean mayHaveForwarded(long sequence, long nowNanos, long nowMillis) {
        for (Late known : late) {
            if (!known.lease.holdsAt(nowNanos, nowMillis) && known.entries.contains(sequence)) {
                return true;
            }
        }
        return false;
    }
}
