package io.georep.funnel.local;

import io.georep.concurrent.Registrations;
import io.georep.concurrent.Registrations.Registered;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.logging.SafeLog;
import io.georep.model.Registration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners for committed changes, by map. Thread-safe. */
final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    /** A listener with the codecs of its map. */
    @FunctionalInterface
    interface Listener {
        /**
         * Tells of a change.
         *
         * @param isOn whether the listener is still registered
         */
        void changed(FunnelEvent.Change change, BooleanSupplier isOn);
    }

    private final String nodeName;
    private final Registrations<String, Listener> byMap;

    /** Tells how many listeners there are whenever that changes. */
    Listeners(String nodeName, IntConsumer counted) {
        this.nodeName = nodeName;
        byMap = new Registrations<>(counted);
    }

    Registration add(String map, Listener listener) {
        return byMap.add(map, listener);
    }

    /** Tells of changes, in their order. Application thread. */
    void tell(List<FunnelEvent.Change> changes) {
        for (FunnelEvent.Change change : changes) {
            for (Registered<Listener> each : listenersOf(change)) {
                try {
                    each.listener().changed(change, each::isOn);
                } catch (Throwable e) {
                    SafeLog.log(LOG, "Node {}: a listener of map '{}' failed", nodeName, MapKey.mapOf(change.key()), e);
                }
            }
        }
    }

    private List<Registered<Listener>> listenersOf(FunnelEvent.Change change) {
        try {
            return byMap.of(MapKey.mapOf(change.key()));
        } catch (RuntimeException e) {
            SafeLog.log(LOG, "Node {}: a key that another member has written is one of no map", nodeName, e);
            return List.of();
        }
    }
}
