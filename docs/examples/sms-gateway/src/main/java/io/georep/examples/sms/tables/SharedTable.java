package io.georep.examples.sms.tables;

import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.ReplicatedMap;
import io.georep.model.ClosedException;
import io.georep.model.GeoRepException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A table that is the same at all gateways. It is read from memory on every message, and a change that was made at one gateway is
 * seen by the next read at all others. While this gateway is cut off it goes on with the rows it knew last, for a time. A gateway
 * without replicated maps has the rows of its settings, and nobody can change them. Thread-safe.
 *
 * <p>Rows are never removed, only replaced: otherwise the settings of a gateway that starts would bring them back.
 *
 * @param <V> the rows
 */
public final class SharedTable<V> {
    private final String name;
    private final @Nullable ReplicatedMap<String, V> map;
    private final Map<String, V> configured;
    private final long staleMaxNanos;
    private final LongSupplier nanos;

    /** The rows as this gateway saw them last. */
    private final Map<String, V> last = new ConcurrentHashMap<>();

    /** Keys that changed while the table is being read. Guarded by this. */
    private final Set<String> touched = new HashSet<>();

    private volatile boolean loaded;
    private volatile long servedAt;

    /**
     * Creates a table.
     *
     * @param name what it is called in messages
     * @param map what the gateways share; null: nothing
     * @param configured rows of this gateway's settings
     * @param staleMax how long it goes on with the rows it knew last
     * @param nanos the clock, as {@link System#nanoTime}
     */
    SharedTable(
            String name,
            @Nullable ReplicatedMap<String, V> map,
            Map<String, V> configured,
            Duration staleMax,
            LongSupplier nanos) {
        this.name = name;
        this.map = map;
        this.configured = Map.copyOf(configured);
        this.staleMaxNanos = staleMax.toNanos();
        this.nanos = nanos;
        if (map != null) {
            map.listen(change -> changed(change.key(), change.value()));
        }
    }

    /** A table that only this process has. */
    public static <V> SharedTable<V> ofSettings(String name, Map<String, V> configured) {
        return new SharedTable<>(name, null, configured, Duration.ZERO, System::nanoTime);
    }

    /** Returns whether other gateways have it, too. */
    boolean isShared() {
        return map != null;
    }

    /**
     * Returns a row; null if there is none.
     *
     * @throws MapUnavailableException if this gateway has never read the table, or is cut off for too long
     */
    public @Nullable V get(String key) {
        if (map == null) {
            return configured.get(key);
        }
        V row;
        try {
            row = map.get(key);
        } catch (MapUnavailableException | ClosedException e) {
            requireKnown();
            return last.get(key);
        }
        if (row == null && !loaded) {
            // The settings of this gateway may just be on their way into the map.
            requireKnown();
        }
        return row;
    }

    /** Returns all rows, by their keys. */
    public Map<String, V> all() {
        if (map == null) {
            return new TreeMap<>(configured);
        }
        Map<String, V> rows = new TreeMap<>();
        try {
            map.forEach(rows::put);
        } catch (MapUnavailableException | ClosedException e) {
            requireKnown();
            return new TreeMap<>(last);
        }
        return rows;
    }

    private void requireKnown() {
        String fault = fault();
        if (fault != null) {
            throw new MapUnavailableException(MapUnavailableException.Reason.NO_LEASE, fault);
        }
    }

    /** Returns why no row can be read; null if rows can be read, even if they are those that were known last. */
    @Nullable
    String fault() {
        if (map == null) {
            return null;
        }
        if (!loaded) {
            return "this gateway has not read the table of " + name
                    + " yet: the gateways that keep it must be in reach";
        }
        if (nanos.getAsLong() - servedAt > staleMaxNanos) {
            return "this gateway is cut off from the table of " + name + " for longer than "
                    + Duration.ofNanos(staleMaxNanos) + " (sms.tables.stale-max)";
        }
        return null;
    }

    /** The table could be read until now. */
    void served() {
        servedAt = nanos.getAsLong();
    }

    private synchronized void changed(String key, @Nullable V row) {
        touched.add(key);
        if (row == null) {
            last.remove(key);
        } else {
            last.put(key, row);
        }
    }

    /**
     * Reads all rows, and adds those of the settings that the table does not have. Waits.
     *
     * @throws GeoRepException if that fails; then it has to be called again
     */
    void load(Duration atMost) {
        ReplicatedMap<String, V> shared = map;
        if (shared == null) {
            return;
        }
        synchronized (this) {
            touched.clear();
        }
        Map<String, V> rows = new HashMap<>();
        shared.forEach(rows::put);
        for (Map.Entry<String, V> each : configured.entrySet()) {
            if (!rows.containsKey(each.getKey())) {
                V before = Waiting.forAnswer(shared.putIfAbsent(each.getKey(), each.getValue()), atMost);
                rows.put(each.getKey(), before == null ? each.getValue() : before);
            }
        }
        synchronized (this) {
            rows.keySet().removeAll(touched);
            last.putAll(rows);
        }
        served();
        loaded = true;
    }

    /**
     * Replaces a row.
     *
     * @param change gets the row as it is, null if there is none
     * @return completes with false if somebody else changed the row at the same time, and nothing was done. Fails as writes of a
     *     {@link ReplicatedMap} do
     * @throws IllegalStateException if other gateways do not have the table
     */
    CompletionStage<Boolean> change(String key, UnaryOperator<@Nullable V> change) {
        ReplicatedMap<String, V> shared = map;
        if (shared == null) {
            throw new IllegalStateException("this gateway has the " + name + " of its settings only: start all gateways"
                    + " with the profile 'shared'");
        }
        V before = shared.get(key);
        V after = change.apply(before);
        if (after == null || after.equals(before)) {
            return CompletableFuture.completedFuture(true);
        }
        return before == null
                ? shared.putIfAbsent(key, after).thenApply(other -> other == null)
                : shared.replace(key, before, after);
    }
}
