package io.georep.runtime;

import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Where the entries of a map are among those of all maps: after a prefix, with the length of the name before the name.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public class NamedSpace<K, V> {
    private final String name;
    private final BoundedCodec<K> keys;
    private final BoundedCodec<V> values;
    private final Slice begin;

    /** Creates the space of a map whose name has up to 255 bytes. */
    protected NamedSpace(String name, BoundedCodec<K> keys, BoundedCodec<V> values) {
        this.name = name;
        this.keys = keys;
        this.values = values;
        Slice bytes = Slice.utf8(name);
        begin = new BinWriter(1 + bytes.length()).u8(bytes.length()).raw(bytes).toSlice();
    }

    /** Returns the name of the map. */
    public final String name() {
        return name;
    }

    /** Returns what all its keys begin with. */
    public final Slice begin() {
        return begin;
    }

    /** Returns a key among those of all maps. */
    public final Slice key(K key) {
        return full(keys.encode(key));
    }

    /** Returns the bytes of a key among those of all maps. */
    public final Slice full(Slice own) {
        return new BinWriter(begin.length() + own.length()).raw(begin).raw(own).toSlice();
    }

    /** Returns the bytes of a key of this map without what all of them begin with. */
    protected final Slice rest(Slice full) {
        return new Slice(full.array(), full.offset() + begin.length(), full.length() - begin.length());
    }

    /** Returns the bytes of a key without what all of them begin with. They may change: nobody must keep them. */
    public final byte[] bytes(K key) {
        return keys.bytes(key);
    }

    /** Returns a key of this map. */
    public final K key(Slice full) {
        return keys.decode(rest(full));
    }

    /** Returns the bytes of a value. */
    public final Slice value(V value) {
        return values.encode(value);
    }

    /** Returns a value. */
    public final V value(Slice bytes) {
        return values.decode(bytes);
    }

    /** Returns a value; null if there are no bytes. */
    public final @Nullable V valueOrNull(@Nullable Slice bytes) {
        return bytes == null ? null : value(bytes);
    }
}
