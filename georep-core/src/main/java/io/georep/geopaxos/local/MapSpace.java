package io.georep.geopaxos.local;

import io.georep.codec.BinWriter;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.util.Arrays;
import java.util.Objects;

/** Where the entries of a map are among those of all maps: after a prefix, with the length of the name before the name. */
final class MapSpace<K, V> {
    final MapSchema<K, V> schema;
    final Slice begin;

    /** The bytes of it, not to be changed. */
    final byte[] prefix;

    /** The first key after those of the map. No byte of UTF-8 is so large that the next one is none. */
    final Slice end;

    MapSpace(MapSchema<K, V> schema) {
        this.schema = schema;
        Slice name = Slice.utf8(schema.name());
        begin = new BinWriter(65).u8(name.length()).raw(name).toSlice();
        prefix = begin.toArray();
        byte[] after = prefix.clone();
        after[after.length - 1]++;
        end = Slice.of(after);
    }

    Slice key(K key) {
        Slice own = encode(schema.keys(), key, "key", OrderedMaps.KEY_BYTES_MAX);
        return full(own);
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
        return bytes(schema.keys(), key, "key", OrderedMaps.KEY_BYTES_MAX);
    }

    K key(Slice full) {
        return decode(schema.keys(), rest(full), "key");
    }

    Slice value(V value) {
        return encode(schema.values(), value, "value", OrderedMaps.VALUE_BYTES_MAX);
    }

    V value(Slice bytes) {
        return decode(schema.values(), bytes, "value");
    }

    static <T> Slice encode(PayloadCodec<T> codec, T object, String what, int most) {
        return Slice.of(bytes(codec, object, what, most).clone());
    }

    private static <T> byte[] bytes(PayloadCodec<T> codec, T object, String what, int most) {
        Objects.requireNonNull(object, what);
        byte[] bytes;
        try {
            bytes = Objects.requireNonNull(codec.encode(object), what);
        } catch (Exception e) {
            throw new IllegalStateException("the codec cannot write a " + what + ": " + e, e);
        }
        if (bytes.length > most) {
            throw new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "a " + what + " of " + bytes.length + " bytes, at most " + most + " in ordered maps");
        }
        return bytes;
    }

    static <T> T decode(PayloadCodec<T> codec, Slice bytes, String what) {
        try {
            return Objects.requireNonNull(codec.decode(bytes), what);
        } catch (Exception e) {
            throw new IllegalStateException("the codec cannot read a " + what + ": " + e, e);
        }
    }
}
