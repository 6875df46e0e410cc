package io.georep.keys.core;

import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The records of local spaces: they are on this node only. */
final class LocalRecords {
    private final TreeMap<String, TreeMap<byte[], byte[]>> spaces = new TreeMap<>();
    private long records;
    private long bytes;

    void boot(EntryStore store) {
        store.scanNow(KeyLayout.first('L'), KeyLayout.behind('L'), (stored, value) -> {
            KeyLayout.Place place = KeyLayout.place(stored);
            keep(place.space(), place.key(), value.toArray());
            return true;
        });
    }

    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the records of a space; null if it has none. */
    @Nullable
    NavigableMap<byte[], byte[]> space(String name) {
        return spaces.get(name);
    }

    /** Returns the bytes of a key and its value; 0 if there is no such key. */
    int bytesOf(String space, byte[] key) {
        TreeMap<byte[], byte[]> content = spaces.get(space);
        byte[] value = content == null ? null : content.get(key);
        return value == null ? 0 : key.length + value.length;
    }

    void put(String space, byte[] key, byte[] value, Turn turn) {
        keep(space, key, value);
        turn.store().put(KeyLayout.local(space, key), Slice.of(value));
    }

    void delete(String space, byte[] key, Turn turn) {
        TreeMap<byte[], byte[]> content = spaces.get(space);
        byte[] before = content == null ? null : content.remove(key);
        if (content != null && before != null) {
            records--;
            bytes -= key.length + before.length;
            if (content.isEmpty()) {
                spaces.remove(space);
            }
            turn.store().delete(KeyLayout.local(space, key));
        }
    }

    private void keep(String space, byte[] key, byte[] value) {
        byte[] before = spaces.computeIfAbsent(space, none -> new TreeMap<>(Arrays::compareUnsigned))
                .put(key, value);
        if (before == null) {
            records++;
            bytes += key.length + value.length;
        } else {
            bytes += value.length - before.length;
        }
    }
}
