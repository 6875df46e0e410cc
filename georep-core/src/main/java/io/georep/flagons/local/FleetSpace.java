package io.georep.flagons.local;

import io.georep.flagons.FleetMaps;
import io.georep.flagons.core.Page;
import io.georep.model.ConfigurationException;
import io.georep.model.Slice;
import io.georep.runtime.BoundedCodec;
import io.georep.runtime.NamedSpace;
import io.georep.spi.PayloadCodec;

/** Where the keys of a map are among those of all maps of a fleet. */
final class FleetSpace<K, V> extends NamedSpace<K, V> {
    FleetSpace(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        super(
                checked(name),
                new BoundedCodec<>(keys, "key", FleetMaps.KEY_BYTES_MAX, "fleet maps"),
                new BoundedCodec<>(values, "value", FleetMaps.VALUE_BYTES_MAX, "fleet maps"));
    }

    private static String checked(String name) {
        int bytes = Slice.utf8(name).length();
        if (bytes < 1 || bytes > FleetMaps.NAME_BYTES_MAX) {
            throw new ConfigurationException("the name of fleet map '" + name + "' has " + bytes
                    + " bytes, allowed are 1 to " + FleetMaps.NAME_BYTES_MAX);
        }
        return name;
    }

    boolean has(Slice key) {
        return Page.begins(key, begin());
    }
}
