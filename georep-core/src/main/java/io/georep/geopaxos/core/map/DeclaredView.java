package io.georep.geopaxos.core.map;

import io.georep.geopaxos.core.execution.Service.Accesses;
import io.georep.model.Slice;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a procedure sees: its declared keys, and those that it finds. Its writes are kept here until it has returned. */
final class DeclaredView implements Procedure.View {
    /** The next leaf must not be looked at: on other nodes it may be another one. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StoppedException() {
            super("not executed yet", null, false, false);
        }
    }

    private final Procedure.Keys keys;
    private final Set<Slice> reads;
    private final Set<Slice> writes;
    private final Set<Slice> found = new HashSet<>();
    private final Leaves leaves;
    private final Accesses accesses;

    /** Whether an object must not be looked at; stays set if the procedure catches the exception that says so. */
    private boolean isStopped;

    /** In the order of writing; null for what was removed. */
    private final Map<Slice, @Nullable MapEntry> written = new LinkedHashMap<>();

    /** What the procedure returned. */
    Slice result = Slice.EMPTY;

    /**
     * A view of the present state.
     *
     * @param accesses is told of the leaf of each key before that is looked at
     */
    DeclaredView(Procedure.Keys keys, Leaves leaves, Accesses accesses) {
        this.keys = keys;
        this.reads = new HashSet<>(keys.reads());
        this.writes = new HashSet<>(keys.writes());
        this.leaves = leaves;
        this.accesses = accesses;
    }

    @Override
    public @Nullable Slice get(Slice key) {
        use(key, reads.contains(key) || writes.contains(key), false);
        MapEntry own = written.get(key);
        return own != null
                ? own.value()
                : written.containsKey(key) ? null : leaves.of(key).value(key);
    }

    @Override
    public void put(MapEntry entry) {
        use(entry.key(), writes.contains(entry.key()), true);
        MapEntry copy = entry.copy();
        written.put(copy.key(), copy);
    }

    @Override
    public void remove(Slice key) {
        use(key, writes.contains(key), true);
        written.put(Slice.of(key.toArray()), null);
    }

    private void use(Slice key, boolean isDeclared, boolean write) {
        if (!isDeclared && !keys.finds()) {
            throw new IllegalArgumentException("a key that was not declared, of " + key.length() + " bytes");
        }
        if (!isDeclared && !found.contains(key)) {
            MapOperation.checkKey(key, MapOperation.KEY_BYTES_MAX);
            if (found.size() >= MapOperation.KEYS_MAX) {
                throw new IllegalArgumentException("more than " + MapOperation.KEYS_MAX + " keys were found");
            }
            found.add(Slice.of(key.toArray()));
        }
        if (isStopped || !accesses.use(leaves.of(key).number, write)) {
            isStopped = true;
            throw new StoppedException();
        }
    }

    Map<Slice, @Nullable MapEntry> written() {
        return written;
    }
}
