package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a procedure sees: its declared keys. Its writes are kept here until it has returned. */
final class DeclaredView implements Procedure.View {
    private final Set<Slice> reads;
    private final Set<Slice> writes;
    private final Function<Slice, @Nullable Slice> state;

    /** In the order of writing; null for what was removed. */
    private final Map<Slice, @Nullable MapEntry> written = new LinkedHashMap<>();

    /** What the procedure returned. */
    Slice result = Slice.EMPTY;

    DeclaredView(Procedure.Keys keys, Function<Slice, @Nullable Slice> state) {
        this.reads = new HashSet<>(keys.reads());
        this.writes = new HashSet<>(keys.writes());
        this.state = state;
    }

    @Override
    public @Nullable Slice get(Slice key) {
        check(key, reads.contains(key) || writes.contains(key));
        MapEntry own = written.get(key);
        return own != null ? own.value() : written.containsKey(key) ? null : state.apply(key);
    }

    @Override
    public void put(MapEntry entry) {
        check(entry.key(), writes.contains(entry.key()));
        MapEntry copy = entry.copy();
        written.put(copy.key(), copy);
    }

    @Override
    public void remove(Slice key) {
        check(key, writes.contains(key));
        written.put(Slice.of(key.toArray()), null);
    }

    private static void check(Slice key, boolean declared) {
        if (!declared) {
            throw new IllegalArgumentException("a key that was not declared, of " + key.length() + " bytes");
        }
    }

    Map<Slice, @Nullable MapEntry> written() {
        return written;
    }
}
