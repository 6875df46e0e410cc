package io.georep.geopaxos.core;

import io.georep.geopaxos.core.map.MapOperation;
import io.georep.model.Slice;
import io.georep.simulation.SimulatedNode;
import java.util.Collection;

/** Threads beside the drivers of a {@link GeoWing}, which read by the leases, also while a driver hangs. */
final class WingCallers {
    private final GeoWing wing;
    private long looked;

    WingCallers(GeoWing wing) {
        this.wing = wing;
    }

    /** Something was written. */
    void look(Collection<Slice> keys) {
        for (SimulatedNode node : wing.hosting()) {
            if (node.isRunning()) {
                keys.forEach(key -> look(node, key));
            }
        }
    }

    private void look(SimulatedNode node, Slice key) {
        Slice result = GeoAudit.read(node, key);
        if (result != null) {
            looked++;
            wing.judge().asks(MapOperation.encode(new MapOperation.Get(key))).answered(node.id(), result);
        }
    }

    @Override
    public String toString() {
        return looked + " on callers";
    }
}
