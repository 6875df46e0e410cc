package io.georep.flagons;

import io.georep.model.Registration;
import io.georep.spi.PayloadCodec;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Feature flags of a fleet: texts by name, which all nodes read from memory, and any node sets. A change reaches the others within
 * about three seconds. They are the entries of the fleet map {@code flags}. Thread-safe.
 */
public final class FleetFlags {
    private static final String MAP = "flags";

    private final FleetMap<String, String> map;
    private final ConcurrentMap<String, AtomicReference<@Nullable String>> watched = new ConcurrentHashMap<>();

    /** Creates the flags of the fleet of a node. */
    public FleetFlags(FleetMaps maps) {
        map = maps.map(MAP, PayloadCodec.string(), PayloadCodec.string());
    }

    /**
     * Returns whether a flag has the value {@code true}. Does not wait: this node watches flags from when they are asked for first, and
     * remembers what it has heard of last.
     *
     * @param ifUnknown what is returned if the flag has no value, or this node has not heard of it yet
     */
    public boolean isOn(String flag, boolean ifUnknown) {
        String value = value(flag);
        return value == null ? ifUnknown : Boolean.parseBoolean(value);
    }

    /** Returns the value of a flag; null if it has none, or this node has not heard of it yet. Does not wait, as {@link #isOn}. */
    public @Nullable String value(String flag) {
        return watched.computeIfAbsent(flag, this::watched).get();
    }

    private AtomicReference<@Nullable String> watched(String flag) {
        AtomicReference<@Nullable String> known = new AtomicReference<>();
        watch(flag, known::set);
        return known;
    }

    /** Sets a flag on all nodes. Errors are those of {@link FleetMap}. */
    public CompletionStage<FleetResult<String>> set(String flag, String value) {
        return map.put(flag, value);
    }

    /** Sets a flag on all nodes to {@code true} or {@code false}. */
    public CompletionStage<FleetResult<String>> set(String flag, boolean on) {
        return set(flag, String.valueOf(on));
    }

    /** Removes a flag on all nodes, so that they do what they do if it is unknown. */
    public CompletionStage<FleetResult<String>> remove(String flag) {
        return map.remove(flag);
    }

    /**
     * Calls the listener with the value that a flag has, null for none, and with each one that it gets. Called on the application thread
     * of the fleet: it must not wait.
     */
    public Registration watch(String flag, Consumer<@Nullable String> listener) {
        return map.watch(flag, change -> listener.accept(change.value()));
    }
}
