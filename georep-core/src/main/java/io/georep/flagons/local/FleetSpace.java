package io.georep.flagons.local;

import io.georep.codec.BinWriter;
import io.georep.flagons.FleetMaps;
import io.georep.model.ConfigurationException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.util.Objects;

/** Where the keys of a map are among those of all maps of a fleet: after the length of the map's name, and the name. */
final class FleetSpace<K, V> {
    final String name;
    private final PayloadCodec<K> keys;
    private final PayloadCodec<V> values;
    private final Slice prefix;

    FleetSpace(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        Slice bytes = Slice.utf8(name);
        if (bytes.length() < 1 || bytes.length() > FleetMaps.NAME_BYTES_MAX) {
            throw new ConfigurationException("the name of fleet map '" + name + "' has " + bytes.length()
                    + " bytes, allowed are 1 to " + FleetMaps.NAME_BYTES_MAX);
        }
        this.name = name;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        prefix = new BinWriter(1 + bytes.length()).u8(bytes.length()).raw(bytes).toSlice();
    }

    /** Returns a key, or the beginning of some, among those of all maps. */
    Slice key(K key) {
        Slice own = encode(keys, key, "key", FleetMaps.KEY_BYTES_MAX);
        return new BinWriter(prefix.length() + own.length())
                .raw(prefix)
                .raw(own)
                .toSlice();
    }

    /** Returns the key of this map; only for one for which {@link #has} is true. */
    K own(Slice key) {
        return decode(
                keys, new Slice(key.array(), key.offset() + prefix.length(), key.length() - prefix.length()), "key");
    }

    boolean has(Slice key) {
        return Watch.begins(key, prefix);
    }

    Slice value(V value) {
        return encode(values, value, "value", FleetMaps.VALUE_BYTES_MAX);
    }

    V value(Slice bytes) {
        return decode(values, bytes, "value");
    }

    private static <T> Slice encode(PayloadCodec<T> codec, T object, String what, int most) {
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
                    "a " + what + " of " + bytes.length + " bytes, at most " + most + " in fleet maps");
        }
        return Slice.of(bytes.clone());
    }

    private static <T> T decode(PayloadCodec<T> codec, Slice bytes, String what) {
        try {
            return Objects.requireNonNull(codec.decode(bytes), what);
        } catch (Exception e) {
            throw new IllegalStateException("the codec cannot read a " + what + ": " + e, e);
        }
    }
}
