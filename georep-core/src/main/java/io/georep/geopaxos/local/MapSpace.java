package io.georep.geopaxos.local;

import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.model.Slice;
import io.georep.runtime.BoundedCodec;
import io.georep.runtime.NamedSpace;
import io.georep.spi.PayloadCodec;
import java.util.Arrays;

/** Where the entries of a map are among those of all maps. */
final class MapSpace<K, V> extends NamedSpace<K, V> {
    /** The bytes of its begin, not to be changed. */
    final byte[] prefix;

    /** The first key after those of the map. No byte of UTF-8 is so large that the next one is none. */
    final Slice end;

    MapSpace(MapSchema<K, V> schema) {
        super(
                schema.name(),
                codec(schema.keys(), "key", OrderedMaps.KEY_BYTES_MAX),
                codec(schema.values(), "value", OrderedMaps.VALUE_BYTES_MAX));
        prefix = begin().toArray();
        byte[] after = prefix.clone();
        after[after.length - 1]++;
        end = Slice.of(after);
    }

    /** Returns the placement with keys of this map instead of keys of all maps. A leaf may begin with keys of the map before. */
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
