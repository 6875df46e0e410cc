package io.georep.flagons.local;

import io.georep.codec.BinWriter;
import io.georep.flagons.FleetMaps;
import io.georep.model.ConfigurationException;
import io.georep.model.Slice;
import io.georep.runtime.BoundedCodec;
import io.georep.spi.PayloadCodec;

/** Where the keys of a map are among those of all maps of a fleet: after the length of the map's name, and the name. */
final class FleetSpace<K, V> {
    final String name;
    private final BoundedCodec<K> keys;
    private final BoundedCodec<V> values;
    private final Slice prefix;

    FleetSpace(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        Slice bytes = Slice.utf8(name);
        if (bytes.length() < 1 || bytes.length() > FleetMaps.NAME_BYTES_MAX) {
            throw new ConfigurationException("the name of fleet map '" + name + "' has " + bytes.length()
                    + " bytes, allowed are 1 to " + FleetMaps.NAME_BYTES_MAX);
        }
        this.name = name;
        this.keys = new BoundedCodec<>(keys, "key", FleetMaps.KEY_BYTES_MAX, "fleet maps");
        this.values = new BoundedCodec<>(values, "value", FleetMaps.VALUE_BYTES_MAX, "fleet maps");
        prefix = new BinWriter(1 + bytes.length()).u8(bytes.length()).raw(bytes).toSlice();
    }

    /** Returns a key, or the beginning of some, among those of all maps. */
    Slice key(K key) {
        Slice own = keys.encode(key);
        return new BinWriter(prefix.length() + own.length())
                .raw(prefix)
                .raw(own)
                .toSlice();
    }

    /** Returns the key of this map; only for one for which {@link #has} is true. */
    K own(Slice key) {
        return keys.decode(new Slice(key.array(), key.offset() + prefix.length(), key.length() - prefix.length()));
    }

    boolean has(Slice key) {
        return Watch.begins(key, prefix);
    }

    Slice value(V value) {
        return values.encode(value);
    }

    V value(Slice bytes) {
        return values.decode(bytes);
    }
}
