package io.georep.spring.maps;

import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.WriteOptions;
import io.georep.spring.Maps;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** The caches that the properties name, each a replicated map of the same name. */
public final class ReplicatedCaches implements CacheManager {
    /**
     * What a cache holds.
     *
     * @param timeToLive how long a value is kept; null for ever
     */
    public record Settings(
            Class<?> keyType, Class<?> valueType, @Nullable Duration timeToLive) {}

    private final Maps maps;
    private final Map<String, Settings> settings;
    private final Duration patience;
    private final BooleanSupplier mustNotWait;
    private final Map<String, Cache> caches = new ConcurrentHashMap<>();

    /**
     * Caches that are opened when they are asked for.
     *
     * @param patience how long a write may take
     * @param mustNotWait whether the calling thread would wait for itself
     */
    public ReplicatedCaches(Maps maps, Map<String, Settings> settings, Duration patience, BooleanSupplier mustNotWait) {
        this.maps = maps;
        this.settings = new TreeMap<>(settings);
        this.patience = patience;
        this.mustNotWait = mustNotWait;
    }

    @Override
    public @Nullable Cache getCache(String name) {
        Settings wanted = settings.get(name);
        return wanted == null ? null : caches.computeIfAbsent(name, same -> open(name, wanted));
    }

    @SuppressWarnings("unchecked")
    private Cache open(String name, Settings wanted) {
        ReplicatedMap<Object, Object> map =
                (ReplicatedMap<Object, Object>) (ReplicatedMap<?, ?>) maps.map(name, wanted.keyType, wanted.valueType);
        WriteOptions options = wanted.timeToLive == null
                ? WriteOptions.defaults()
                : WriteOptions.defaults().timeToLive(wanted.timeToLive);
        return new ReplicatedCache(map, wanted.keyType, options, patience, mustNotWait);
    }

    @Override
    public Collection<String> getCacheNames() {
        return List.copyOf(settings.keySet());
    }
}
