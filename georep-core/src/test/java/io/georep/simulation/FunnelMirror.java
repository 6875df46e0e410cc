package io.georep.simulation;

import io.georep.funnel.core.Mirror;
import io.georep.funnel.core.ReadLease;
import io.georep.model.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the readers of one process see. */
final class FunnelMirror implements Mirror {
    final Map<Slice, Slice> values = new HashMap<>();
    final Set<Slice> dirty = new HashSet<>();
    ReadLease lease = ReadLease.NONE;

    @Override
    public Object dirty(Slice key, Object place) {
        dirty.add(Slice.of(key.toArray()));
        return null;
    }

    @Override
    public Object clean(Slice key, Object place, Slice value) {
        dirty.remove(key);
        if (value == null) {
            values.remove(key);
        } else {
            values.put(Slice.of(key.toArray()), Slice.of(value.toArray()));
        }
        return null;
    }

    @Override
    public void readable(ReadLease now) {
        lease = now;
    }

    @Override
    public boolean listening() {
        return true;
    }

    /** Whether a key can be read from memory at this time of the node's clocks. */
    boolean isReadable(Slice key, NodeClock clock) {
        return lease.holds(clock.nanos(), clock.wallMillis()) && !dirty.contains(key);
    }
}
