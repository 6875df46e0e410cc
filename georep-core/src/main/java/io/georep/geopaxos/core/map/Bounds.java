package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an ordered map may hold. The bounds are checked where an operation comes in, before it is ordered. When it is
 * executed no node could decide this, because the number of entries depends on operations that are not ordered with
 * it. Operations that are under way at the same time may exceed the bounds.
 *
 * @param keysMax entries
 * @param bytesMax of their keys and values
 */
public record Bounds(long keysMax, long bytesMax) {
    /** No bounds. */
    public static final Bounds NONE = new Bounds(Long.MAX_VALUE, Long.MAX_VALUE);

    boolean allow(long keys, long bytes) {
        return keys <= keysMax && bytes <= bytesMax;
    }

    /** Returns why an operation may not be executed in the present state. */
    @Nullable
    String excess(OrderedMapService maps, @Nullable MapOperation operation) {
        if (operation instanceof MapOperation.Put put) {
            return excess(maps, put.entry(), put.guard());
        } else if (operation instanceof MapOperation.PutFor put) {
            return excess(maps, put.entry(), put.guard());
        } else if (operation instanceof MapOperation.Call call) {
            try {
                return excess(maps, maps.written(call).written());
            } catch (Exception e) {
                return null; // it will fail
            }
        }
        return null;
    }

    /** Returns why an entry may not be stored. One that makes the maps no larger may be. */
    @Nullable
    String excess(OrderedMapService maps, MapEntry entry, Guard guard) {
        Slice present = maps.value(entry.key());
        if (!guard.allows(present)) {
            return null;
        }
        if (present == null) {
            return excess(
                    maps.entries() + 1,
                    maps.bytes() + entry.key().length() + entry.value().length());
        }
        int growth = entry.value().length() - present.length();
        return growth <= 0 ? null : excess(maps.entries(), maps.bytes() + growth);
    }

    /** Returns why a procedure may not write this; null for removals. One that makes the maps no larger may. */
    @Nullable
    String excess(OrderedMapService maps, Map<Slice, @Nullable MapEntry> written) {
        long keys = 0;
        long bytes = 0;
        for (Map.Entry<Slice, @Nullable MapEntry> each : written.entrySet()) {
            Slice present = maps.value(each.getKey());
            MapEntry entry = each.getValue();
            int key = each.getKey().length();
            keys += (entry == null ? 0 : 1) - (present == null ? 0 : 1);
            bytes +=
                    (entry == null ? 0 : key + entry.value().length()) - (present == null ? 0 : key + present.length());
        }
        return keys <= 0 && bytes <= 0 ? null : excess(maps.entries() + keys, maps.bytes() + bytes);
    }

    /** Returns why no more than this may be held; null if it may. */
    @Nullable
    String excess(long keys, long bytes) {
        return allow(keys, bytes)
                ? null
                : "the ordered maps would hold " + keys + " keys with " + bytes + " bytes, allowed are " + keysMax
                        + " (keysMax) with " + bytesMax + " (bytesMax): remove keys, or raise the bounds";
    }
}
