package io.georep.concurrent;

import io.georep.model.Registration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Listeners by what they listen to. Lists are replaced and never changed, so nobody holds a lock who calls listeners. Thread-safe.
 *
 * @param <K> what they listen to, for example a map
 * @param <L> a listener
 */
public final class Registrations<K, L> {
    private final IntConsumer counted;
    private volatile Map<K, List<Registered<L>>> listeners = Map.of();

    /** Tells how many listeners there are whenever that changes. */
    public Registrations(IntConsumer counted) {
        this.counted = counted;
    }

    /** A listener that may be removed at any time. Its caller checks {@link #isOn} first. */
    public abstract static class Registered<L> implements Registration {
        private final L listener;
        private volatile boolean isOn = true;

        private Registered(L listener) {
            this.listener = listener;
        }

        public L listener() {
            return listener;
        }

        public boolean isOn() {
            return isOn;
        }

        /** Calls the listener unless it was removed. What it throws goes to {@code failed}. */
        public void call(Consumer<? super L> call, Consumer<Throwable> failed) {
            try {
                if (isOn) {
                    call.accept(listener);
                }
            } catch (Throwable e) {
                failed.accept(e);
            }
        }
    }

    public Registered<L> add(K key, L listener) {
        Registered<L> added = new Registered<>(listener) {
            @Override
            public void close() {
                remove(key, this);
            }
        };
        synchronized (this) {
            List<Registered<L>> those = new ArrayList<>(of(key));
            those.add(added);
            replace(key, those);
        }
        return added;
    }

    private synchronized void remove(K key, Registered<L> registered) {
        registered.isOn = false;
        List<Registered<L>> those = new ArrayList<>(of(key));
        if (those.remove(registered)) {
            replace(key, those);
        }
    }

    private void replace(K key, List<Registered<L>> those) {
        Map<K, List<Registered<L>>> all = new HashMap<>(listeners);
        all.put(key, List.copyOf(those));
        all.values().removeIf(List::isEmpty);
        listeners = Map.copyOf(all);
        counted.accept(listeners.values().stream().mapToInt(List::size).sum());
    }

    public List<Registered<L>> of(K key) {
        return listeners.getOrDefault(key, List.of());
    }

    public Collection<List<Registered<L>>> all() {
        return listeners.values();
    }

    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Removes all listeners. */
    public synchronized void clear() {
        listeners = Map.of();
    }
}
