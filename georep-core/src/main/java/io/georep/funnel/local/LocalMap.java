package io.georep.funnel.local;

import io.georep.funnel.MapChange;
import io.georep.funnel.MapListener;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.WriteOptions;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.Registration;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.runtime.CallQueue;
import io.georep.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One map. There may be several objects for the same map, each with codecs and a cache of its own. */
@SuppressWarnings("ReferenceEquality") // each value of a key is an object of its own
final class LocalMap<K, V> implements ReplicatedMap<K, V> {
    /** How many bytes a call takes besides its key and value. */
    private static final int OVERHEAD_BYTES = 200;

    /** How many reads of {@link #forEach} are under way at a time. */
    private static final int READS_AT_ONCE = 1000;

    /** Where the mirror keeps a key, and its value as an object. */
    private static final class Entry<V> {
        final ReadTable.ReadCell cell;

        /** Written by any reader. What it refers to is immutable, so an outdated value does no harm. */
        @Nullable
        Decoded<V> decoded;

        Entry(ReadTable.ReadCell cell) {
            this.cell = cell;
        }
    }

    private record Decoded<V>(Slice bytes, V value) {}

    private record Seen<K>(K key, Slice fullKey, Slice state) {}

    private final LocalReplicatedMaps maps;
    private final MapKey name;
    private final PayloadCodec<K> keys;
    private final PayloadCodec<V> values;

    /** Bounded: it is emptied when it is full. */
    private final ConcurrentHashMap<K, Entry<V>> cache = new ConcurrentHashMap<>();

    LocalMap(LocalReplicatedMaps maps, MapKey name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        this.maps = maps;
        this.name = name;
        this.keys = keys;
        this.values = values;
    }

    @Override
    public String name() {
        return name.map();
    }

    @Override
    public @Nullable V get(K key) {
        Entry<V> entry = cache.get(key);
        if (entry != null) {
            Slice state = maps.table.read(entry.cell);
            if (state == ReadTable.ABSENT) {
                return null;
            }
            if (state != ReadTable.UNKNOWN && state != ReadTable.GONE) {
                Decoded<V> decoded = entry.decoded;
                return decoded != null && decoded.bytes == state ? decoded.value : decode(entry, state);
            }
        }
        return maps.await(this, find(key));
    }

    @Override
    public CompletionStage<@Nullable V> read(K key) {
        return find(key);
    }

    /** Looks where the cache does not help: in the table, or else at the tail. */
    private CompletableFuture<@Nullable V> find(K key) {
        Slice fullKey = fullKey(key);
        if (key.getClass().isArray()) {
            // Two equal arrays are different keys of a hash table, so an entry would never be found again.
            Slice state = maps.table.read(fullKey);
            return state == ReadTable.UNKNOWN ? ask(fullKey) : CompletableFuture.completedFuture(value(state));
        }
        Entry<V> entry = new Entry<>(maps.table.cell(fullKey));
        Slice state = maps.table.read(entry.cell);
        if (state == ReadTable.GONE) {
            return ask(fullKey);
        }
        if (cache.size() >= maps.cacheMax()) {
            cache.clear();
        }
        cache.put(key, entry);
        if (state == ReadTable.UNKNOWN) {
            return ask(fullKey);
        }
        return CompletableFuture.completedFuture(state == ReadTable.ABSENT ? null : decode(entry, state));
    }

    private CompletableFuture<@Nullable V> ask(Slice fullKey) {
        return maps.calls()
                .call(
                        fullKey.length() + OVERHEAD_BYTES,
                        false,
                        read -> value(read.before()),
                        token -> new FunnelCommand.Read(fullKey, token));
    }

    private V decode(Entry<V> entry, Slice bytes) {
        V value = Objects.requireNonNull(value(bytes));
        entry.decoded = new Decoded<>(bytes, value);
        return value;
    }

    private @Nullable V value(@Nullable Slice bytes) {
        return bytes == null || bytes == ReadTable.ABSENT ? null : decode("value", values, bytes);
    }

    private <T> T decode(String what, PayloadCodec<T> codec, Slice bytes) {
        try {
            return codec.decode(bytes);
        } catch (Exception e) {
            throw new IllegalStateException(
                    "the codec " + codec.getClass().getName() + " cannot read a " + what + " of map '" + name()
                            + "': let all nodes write it with the same codec",
                    e);
        }
    }

    private <T> byte[] encode(String what, PayloadCodec<T> codec, T given) {
        Objects.requireNonNull(given, what);
        try {
            return codec.encode(given);
        } catch (Exception e) {
            throw new IllegalArgumentException("the " + what + " for map '" + name() + "' cannot be written", e);
        }
    }

    private Slice fullKey(K key) {
        return name.of(encode("key", keys, key));
    }

    /** The application may change the array it gave. */
    private Slice bytes(String what, V value) {
        return Slice.of(encode(what, values, value).clone());
    }

    @Override
    public CompletionStage<Void> put(K key, V value, WriteOptions options) {
        return write(FunnelCommand.Kind.PUT, key, bytes("value", value), null, options, written -> null);
    }

    @Override
    public CompletionStage<Boolean> remove(K key, WriteOptions options) {
        return write(FunnelCommand.Kind.REMOVE, key, null, null, options, FunnelEvent.Written::applied);
    }

    @Override
    public CompletionStage<@Nullable V> putIfAbsent(K key, V value, WriteOptions options) {
        return write(
                FunnelCommand.Kind.PUT_IF_ABSENT,
                key,
                bytes("value", value),
                null,
                options,
                written -> written.applied() ? null : value(written.before()));
    }

    @Override
    public CompletionStage<Boolean> replace(K key, V expected, V value, WriteOptions options) {
        return write(
                FunnelCommand.Kind.REPLACE,
                key,
                bytes("value", value),
                bytes("expected value", expected),
                options,
                FunnelEvent.Written::applied);
    }

    private <R> CompletionStage<R> write(
            FunnelCommand.Kind kind,
            K key,
            @Nullable Slice value,
            @Nullable Slice expected,
            WriteOptions options,
            CallQueue.Result<FunnelEvent.Written, R> result) {
        Slice fullKey = fullKey(key);
        long bytes = (long) fullKey.length()
                + (value == null ? 0 : value.length())
                + (expected == null ? 0 : expected.length());
        int max = maps.settings.valueBytesMax();
        if (bytes > max) {
            return CompletableFuture.failedFuture(new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "key and value" + (expected == null ? "" : ", and the value expected,") + " for map '" + name()
                            + "' have " + bytes + " bytes, allowed are " + max
                            + ": keep what is larger elsewhere, or raise valueBytesMax on all nodes"));
        }
        long life = options.timeToLive() == null
                ? 0
                : Math.max(1, options.timeToLive().toMillis());
        return maps.calls()
                .call(
                        (int) bytes + OVERHEAD_BYTES,
                        true,
                        result,
                        token -> new FunnelCommand.Write(
                                kind,
                                fullKey,
                                value,
                                expected,
                                life,
                                options.client(),
                                options.operation(),
                                options.topology(),
                                token));
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        List<Seen<K>> seen = new ArrayList<>();
        boolean held = maps.table.forEach((fullKey, state) -> {
            if (name.isOf(fullKey)) {
                seen.add(new Seen<>(decode("key", keys, name.keyOf(fullKey)), fullKey, state));
            }
        });
        if (!held) {
            throw maps.unreadable();
        }
        // Calls the action only when all values are known: an error then leaves nothing half done.
        List<@Nullable V> found = new ArrayList<>(seen.size());
        for (int from = 0; from < seen.size(); from += READS_AT_ONCE) {
            List<CompletableFuture<@Nullable V>> reads = new ArrayList<>();
            for (Seen<K> one : seen.subList(from, Math.min(seen.size(), from + READS_AT_ONCE))) {
                reads.add(
                        one.state == ReadTable.UNKNOWN
                                ? ask(one.fullKey)
                                : CompletableFuture.completedFuture(value(one.state)));
            }
            for (CompletableFuture<@Nullable V> read : reads) {
                found.add(maps.await(this, read));
            }
        }
        for (int i = 0; i < seen.size(); i++) {
            V value = found.get(i);
            if (value != null) {
                action.accept(seen.get(i).key, value);
            }
        }
    }

    @Override
    public Registration listen(MapListener<K, V> listener) {
        Objects.requireNonNull(listener, "listener");
        return maps.listeners.add(name(), (change, isOn) -> tell(listener, change, isOn));
    }

    private void tell(MapListener<K, V> listener, FunnelEvent.Change change, BooleanSupplier isOn) {
        K key = decode("key", keys, name.keyOf(change.key()));
        MapChange<K, V> told = new MapChange<>(name(), key, value(change.value()), change.view(), change.commit());
        if (isOn.getAsBoolean()) {
            listener.changed(told);
        }
    }

    /** For tests: of how many keys the place is remembered. */
    int remembered() {
        return cache.size();
    }

    @Override
    public String toString() {
        return "ReplicatedMap[" + name() + "]";
    }
}
