package io.georep.geopaxos.local;

import io.georep.geopaxos.MapPage;
import io.georep.geopaxos.OperationNumber;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapChange;
import io.georep.geopaxos.OrderedMapListener;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.model.Registration;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A map of one running node. */
final class LocalOrderedMap<K, V> implements OrderedMap<K, V> {
    private final LocalOrderedMaps maps;
    private final MapSpace<K, V> space;

    LocalOrderedMap(LocalOrderedMaps maps, MapSpace<K, V> space) {
        this.maps = maps;
        this.space = space;
    }

    @Override
    public String name() {
        return space.name();
    }

    @Override
    public CompletionStage<@Nullable V> get(K key) {
        return maps.read(
                () -> new MapOperation.Get(space.key(key)),
                MapResult.Value.class,
                found -> space.valueOrNull(found.value()));
    }

    @Override
    public @Nullable V getBlocking(K key) {
        byte[] own = space.bytes(key);
        CallerReads.Part part = maps.part(space.prefix, own);
        if (part == null) {
            return maps.await(name(), () -> get(key));
        }
        byte[] found = part.value(space.prefix, own);
        return found == null ? null : space.value(Slice.of(found));
    }

    private Supplier<MapOperation> put(K key, V value, @Nullable Duration timeToLive, Supplier<Guard> guard) {
        long millis = timeToLive == null ? 0 : millis(timeToLive);
        return () -> {
            MapEntry entry = new MapEntry(space.key(key), space.value(value), 0);
            return timeToLive == null
                    ? new MapOperation.Put(entry, guard.get())
                    : new MapOperation.PutFor(entry, guard.get(), millis);
        };
    }

    /** Rounded up. */
    private static long millis(Duration timeToLive) {
        if (timeToLive.isNegative() || timeToLive.isZero() || timeToLive.compareTo(OrderedMaps.TIME_TO_LIVE_MAX) > 0) {
            throw new IllegalArgumentException("a time to live of " + timeToLive + ", allowed is more than 0 and up to "
                    + OrderedMaps.TIME_TO_LIVE_MAX);
        }
        return timeToLive.plusNanos(999_999).toMillis();
    }

    @Override
    public CompletionStage<Void> put(
            K key, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation) {
        return maps.write(
                put(key, value, timeToLive, () -> Guard.NONE), operation, MapResult.Written.class, done -> null);
    }

    @Override
    public CompletionStage<@Nullable V> putIfAbsent(
            K key, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation) {
        return maps.write(
                put(key, value, timeToLive, () -> Guard.ABSENT),
                operation,
                MapResult.Written.class,
                done -> space.valueOrNull(done.present()));
    }

    @Override
    public CompletionStage<Boolean> replace(
            K key, V expected, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation) {
        return maps.write(
                put(key, value, timeToLive, () -> Guard.equalTo(space.value(expected))),
                operation,
                MapResult.Written.class,
                MapResult.Written::applied);
    }

    @Override
    public CompletionStage<Boolean> remove(K key, @Nullable OperationNumber operation) {
        return maps.write(
                () -> new MapOperation.Remove(space.key(key), Guard.NONE),
                operation,
                MapResult.Written.class,
                MapResult.Written::applied);
    }

    @Override
    public CompletionStage<Map.@Nullable Entry<K, V>> first() {
        return one(() -> new MapOperation.Scan(space.begin(), space.end, 1, false));
    }

    @Override
    public CompletionStage<Map.@Nullable Entry<K, V>> last() {
        return one(() -> new MapOperation.Scan(space.begin(), space.end, 1, true));
    }

    @Override
    public CompletionStage<Map.@Nullable Entry<K, V>> next(K key) {
        return one(() -> MapOperation.Scan.next(space.key(key), space.end));
    }

    @Override
    public CompletionStage<Map.@Nullable Entry<K, V>> previous(K key) {
        return one(() -> MapOperation.Scan.previous(space.begin(), space.key(key)));
    }

    private CompletionStage<Map.@Nullable Entry<K, V>> one(Supplier<MapOperation> scan) {
        return maps.read(
                scan,
                MapResult.Page.class,
                page -> page.entries().isEmpty() ? null : entry(page.entries().get(0)));
    }

    private Map.Entry<K, V> entry(MapEntry entry) {
        return Map.entry(space.key(entry.key()), space.value(entry.value()));
    }

    @Override
    public CompletionStage<MapPage<K, V>> range(@Nullable K from, @Nullable K to, int limit) {
        return page(from, to, limit, false);
    }

    @Override
    public CompletionStage<MapPage<K, V>> rangeDescending(@Nullable K from, @Nullable K to, int limit) {
        return page(from, to, limit, true);
    }

    private CompletionStage<MapPage<K, V>> page(@Nullable K from, @Nullable K to, int limit, boolean descending) {
        if (limit < 1 || limit > OrderedMaps.PAGE_MAX) {
            throw new IllegalArgumentException(
                    "a page of " + limit + " entries, allowed are 1 to " + OrderedMaps.PAGE_MAX);
        }
        return maps.read(
                () -> new MapOperation.Scan(
                        from == null ? space.begin() : space.key(from),
                        to == null ? space.end : space.key(to),
                        limit,
                        descending),
                MapResult.Page.class,
                this::page);
    }

    private MapPage<K, V> page(MapResult.Page page) {
        List<Map.Entry<K, V>> entries = new ArrayList<>(page.entries().size());
        page.entries().forEach(each -> entries.add(entry(each)));
        return new MapPage<>(entries, page.more());
    }

    @Override
    public Registration listen(OrderedMapListener<K, V> listener) {
        return maps.feed.add(space.begin(), new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice bytes) {
                listener.changed(new OrderedMapChange<>(name(), space.key(key), space.valueOrNull(bytes)));
            }

            @Override
            public void missed() {
                listener.missed();
            }
        });
    }

    @Override
    public CompletionStage<Long> size() {
        return maps.read(
                () -> new MapOperation.Count(space.begin(), space.end),
                MapResult.Counted.class,
                MapResult.Counted::count);
    }

    @Override
    public String toString() {
        return "OrderedMap[" + name() + "]";
    }
}
