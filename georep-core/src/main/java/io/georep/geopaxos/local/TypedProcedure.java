package io.georep.geopaxos.local;

import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.Procedure;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction of the application on bytes. */
final class TypedProcedure<A, R> implements Procedure {
    private final MapTransaction<A, R> transaction;
    private final String name;
    private final int version;

    TypedProcedure(MapTransaction<A, R> transaction) {
        this.transaction = transaction;
        name = transaction.name();
        version = transaction.version();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public Keys keys(Slice argument) {
        List<Slice> reads = new ArrayList<>();
        List<Slice> writes = new ArrayList<>();
        boolean[] finds = {false};
        transaction.declare(argument(argument), new MapTransaction.Keys() {
            @Override
            public <K> void reads(MapSchema<K, ?> map, K key) {
                add(reads, new MapSpace<>(map).key(key));
            }

            @Override
            public <K> void writes(MapSchema<K, ?> map, K key) {
                add(writes, new MapSpace<>(map).key(key));
            }

            @Override
            public void finds() {
                finds[0] = true;
            }
        });
        return new Keys(reads, writes, finds[0]);
    }

    /** What is too much is refused before it is kept. */
    private static void add(List<Slice> keys, Slice key) {
        if (keys.size() >= OrderedMaps.TRANSACTION_KEYS_MAX) {
            throw new IllegalArgumentException("more than " + OrderedMaps.TRANSACTION_KEYS_MAX + " keys");
        }
        keys.add(key);
    }

    private A argument(Slice argument) {
        return MapSpace.argument(transaction).decode(argument);
    }

    @Override
    public Slice execute(View view, Slice argument) {
        R result = transaction.execute(argument(argument), new TypedView(view));
        return MapSpace.result(transaction).encode(result);
    }

    private record TypedView(View bytes) implements MapTransaction.View {
        @Override
        public <K, V> @Nullable V get(MapSchema<K, V> map, K key) {
            MapSpace<K, V> space = new MapSpace<>(map);
            Slice value = bytes.get(space.key(key));
            return value == null ? null : space.value(value);
        }

        @Override
        public <K, V> void put(MapSchema<K, V> map, K key, V value) {
            MapSpace<K, V> space = new MapSpace<>(map);
            bytes.put(new MapEntry(space.key(key), space.value(value), 0));
        }

        @Override
        public <K> void remove(MapSchema<K, ?> map, K key) {
            bytes.remove(new MapSpace<>(map).key(key));
        }
    }
}
