package io.georep.geopaxos.local;

import io.georep.codec.BinWriter;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.model.Slice;
import io.georep.runtime.BoundedCodec;
import io.georep.spi.PayloadCodec;
import java.util.Arrays;

/** Where the entries of a map are among those of all maps: after a prefix, with the length of the name before the name. */
final class MapSpace<K, V> {
    final String name;
    private final BoundedCodec<K> keys;
    private final BoundedCodec<V> values;
    final Slice begin;

    /** The bytes of it, not to be changed. */
    final byte[] prefix;

    /** The first key after those of the map. No byte of UTF-8 is so large that the next one is none. */
    final Slice end;

    MapSpace(MapSchema<K, V> schema) {
        name = schema.name();
        keys = codec(schema.keys(), "key", OrderedMaps.KEY_BYTES_MAX);
        values = codec(schema.values(), "value", OrderedMaps.VALUE_BYTES_MAX);
        Slice bytes = Slice.utf8(name);
        begin = new BinWriter(65).u8(bytes.length()).raw(bytes).toSlice();
        prefix = begin.toArray();
        byte[] after = prefix.clone();
        after[after.length - 1]++;
        end = Slice.of(after);
    }

    Slice key(K key) {
        return full(keys.encode(key));
    }

    /** Returns the key among those of all maps. */
    Slice full(Slice own) {
        return new BinWriter(begin.length() + own.length()).raw(begin).raw(own).toSlice();
    }

    /** Returns it with keys of this map. A leaf may begin with keys of the map before it. */
    OrderedMapsPlacement own(OrderedMapsPlacement full) {
        return new OrderedMapsPlacement(
                full.decider(),
                full.leaves().stream()
                        .map(leaf -> new OrderedMapsPlacement.Leaf(
                                own(leaf.first()), leaf.keys(), leaf.groups(), leaf.reads(), leaf.writes()))
                        .toList(),
                full.next() == null ? null : own(full.next()));
    }

    private Slice own(Slice full) {
        return Arrays.compareUnsigned(full.toArray(), prefix) <= 0 ? Slice.EMPTY : rest(full);
    }

    private Slice rest(Slice full) {
        return new Slice(full.array(), full.offset() + begin.length(), full.length() - begin.length());
    }

    /** Returns the bytes of a key without the prefix. They may change: nobody must keep them. */
    byte[] bytes(K key) {
        return keys.bytes(key);
    }

    K key(Slice full) {
        return keys.decode(rest(full));
    }

    Slice value(V value) {
        return values.encode(value);
    }

    V value(Slice bytes) {
        return values.decode(bytes);
    }

    static <A> BoundedCodec<A> argument(MapTransaction<A, ?> transaction) {
        return codec(transaction.arguments(), "argument", OrderedMaps.ARGUMENT_BYTES_MAX);
    }

    static <R> BoundedCodec<R> result(MapTransaction<?, R> transaction) {
        return codec(transaction.results(), "result", OrderedMaps.ARGUMENT_BYTES_MAX);
    }

    private static <T> BoundedCodec<T> codec(PayloadCodec<T> codec, String what, int most) {
        return new BoundedCodec<>(codec, what, most, "ordered maps");
    }
}
