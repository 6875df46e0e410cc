package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An ordered map as simple as it can be: what each operation must return. */
public final class ModelOfMap {
    public final TreeMap<Slice, MapEntry> entries =
            new TreeMap<>((one, other) -> Arrays.compareUnsigned(one.toArray(), other.toArray()));

    private @Nullable Slice value(Slice key) {
        MapEntry entry = entries.get(key);
        return entry == null ? null : entry.value();
    }

    private long time() {
        Slice value = value(MapClock.KEY);
        return value == null ? 0 : new BinReader(value).i64();
    }

    private MapResult put(MapEntry entry, Guard guard) {
        Slice present = value(entry.key());
        if (!allows(guard, present)) {
            return new MapResult.Written(false, present);
        }
        entries.put(entry.key(), entry);
        return new MapResult.Written(true, null);
    }

    public MapResult run(MapOperation operation) {
        if (operation instanceof MapOperation.Get get) {
            return new MapResult.Value(value(get.key()));
        } else if (operation instanceof MapOperation.Put put) {
            return put(put.entry(), put.guard());
        } else if (operation instanceof MapOperation.PutFor put) {
            MapEntry entry = new MapEntry(put.entry().key(), put.entry().value(), time() + 2_000 + put.millis());
            return put(entry, put.guard());
        } else if (operation instanceof MapOperation.Tick tick) {
            if (time() != tick.from()) {
                return new MapResult.Written(false, null);
            }
            BinWriter value = new BinWriter().i64(tick.to()).raw(tick.by());
            return put(new MapEntry(MapClock.KEY, value.toSlice(), 0), Guard.NONE);
        } else if (operation instanceof MapOperation.Remove remove) {
            Slice present = value(remove.key());
            return allows(remove.guard(), present)
                    ? new MapResult.Written(entries.remove(remove.key()) != null, null)
                    : new MapResult.Written(false, present);
        } else if (operation instanceof MapOperation.Scan scan) {
            NavigableMap<Slice, MapEntry> range = range(scan.from(), scan.to());
            List<MapEntry> page = new ArrayList<>((scan.descending() ? range.descendingMap() : range).values());
            boolean more = page.size() >= scan.limit();
            return new MapResult.Page(page.subList(0, Math.min(page.size(), scan.limit())), more);
        } else if (operation instanceof MapOperation.Count count) {
            return new MapResult.Counted(range(count.from(), count.to()).size());
        } else if (operation instanceof MapOperation.Expire expire) {
            int before = entries.size();
            expire.keys()
                    .forEach(key -> entries.computeIfPresent(
                            key,
                            (same, entry) ->
                                    entry.expiresAt() > 0 && entry.expiresAt() <= expire.time() ? null : entry));
            return new MapResult.Counted(before - entries.size());
        }
        return call((MapOperation.Call) operation);
    }

    private static boolean allows(Guard guard, @Nullable Slice present) {
        return guard.equals(Guard.NONE)
                || (guard.equals(Guard.ABSENT)
                        ? present == null
                        : guard.expected().equals(present));
    }

    private NavigableMap<Slice, MapEntry> range(Slice from, @Nullable Slice to) {
        if (to == null) {
            return entries.tailMap(from, true);
        }
        return entries.comparator().compare(from, to) >= 0
                ? new TreeMap<>(entries.comparator())
                : entries.subMap(from, true, to, false);
    }

    private MapResult follow(Slice key) {
        Slice found = value(key);
        if (found == null) {
            return new MapResult.Returned(Slice.utf8("no key"));
        }
        MapEntry there = entries.remove(found);
        if (there == null) {
            entries.put(found, new MapEntry(found, key, 0));
        }
        return new MapResult.Returned(there == null ? Slice.EMPTY : there.value());
    }

    private MapResult call(MapOperation.Call call) {
        if (call.name().equals("fails")) {
            return new MapResult.Failed("IOException: by design");
        } else if (call.name().equals("strays")) {
            return new MapResult.Failed("IllegalArgumentException: a key that was not declared, of 9 bytes");
        }
        Procedure.Keys keys = Procedures.ALL.stream()
                .filter(procedure -> procedure.name().equals(call.name()))
                .findFirst()
                .orElseThrow()
                .keys(call.argument());
        if (call.name().equals("follows")) {
            return follow(keys.reads().get(0));
        }
        if (call.name().equals("lengths")) {
            BinWriter out = new BinWriter();
            keys.reads().forEach(key -> {
                Slice value = value(key);
                out.varint(value == null ? 0 : 1 + value.length());
            });
            return new MapResult.Returned(out.toSlice());
        }
        List<Slice> values = new ArrayList<>();
        keys.writes().forEach(key -> values.add(value(key)));
        for (int i = 0; i < values.size(); i++) {
            Slice value = values.get((i + values.size() - 1) % values.size());
            if (value == null) {
                entries.remove(keys.writes().get(i));
            } else {
                entries.put(keys.writes().get(i), new MapEntry(keys.writes().get(i), value, 0));
            }
        }
        return new MapResult.Returned(Slice.utf8("rotated " + values.size()));
    }
}
