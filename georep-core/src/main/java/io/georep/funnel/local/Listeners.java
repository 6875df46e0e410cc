package io.georep.funnel.local;

import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.core.FunnelEvent;
import io.georep.spi.SafeLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private final IntConsumer counted;

    /** The lists are replaced and never changed. Guarded by this. */
    private final Map<String, List<Registered>> byMap = new HashMap<>();

    private int count;

    /** Tells how many listeners there are whenever that changes. */
    Listeners(String nodeName, IntConsumer counted) {
        this.nodeName = nodeName;
        this.counted = counted;
    }

    private final class Registered implements ReplicatedMap.Registration {
        final String map;
        final Listener listener;
        volatile boolean isOn = true;

        Registered(String map, Listener listener) {
            this.map = map;
            this.listener = listener;
        }

        @Override
        public void close() {
            remove(this);
        }
    }

    ReplicatedMap.Registration add(String map, Listener listener) {
        Registered added = new Registered(map, listener);
        synchronized (this) {
            List<Registered> all = new ArrayList<>(byMap.getOrDefault(map, List.of()));
            all.add(added);
            byMap.put(map, all);
            counted.accept(++count);
        }
        return added;
    }

    private synchronized void remove(Registered registered) {
        if (registered.isOn) {
            registered.isOn = false;
            List<Registered> all = new ArrayList<>(byMap.getOrDefault(registered.map, List.of()));
            all.remove(registered);
            byMap.put(registered.map, all);
            if (all.isEmpty()) {
                byMap.remove(registered.map);
            }
            counted.accept(--count);
        }
    }

    /** Tells of changes, in their order. Application thread. */
    void tell(List<FunnelEvent.Change> changes) {
        for (FunnelEvent.Change change : changes) {
            for (Registered registered : listenersOf(change)) {
                try {
                    registered.listener.changed(change, () -> registered.isOn);
                } catch (Throwable e) {
                    SafeLog.log(LOG, "Node {}: a listener of map '{}' failed", nodeName, registered.map, e);
                }
            }
        }
    }

    private List<Registered> listenersOf(FunnelEvent.Change change) {
        try {
            String map = MapKey.mapOf(change.key());
            synchronized (this) {
                return byMap.getOrDefault(map, List.of());
            }
        } catch (RuntimeException e) {
            SafeLog.log(LOG, "Node {}: a key that another member has written is one of no map", nodeName, e);
            return List.of();
        }
    }
}
