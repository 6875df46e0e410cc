package io.georep.geopaxos.core.map;

import io.georep.codec.Fnv;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.CallerReads.Part;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.map.MapOperation.Call;
import io.georep.geopaxos.core.map.MapOperation.Count;
import io.georep.geopaxos.core.map.MapOperation.Expire;
import io.georep.geopaxos.core.map.MapOperation.Get;
import io.georep.geopaxos.core.map.MapOperation.Merge;
import io.georep.geopaxos.core.map.MapOperation.Put;
import io.georep.geopaxos.core.map.MapOperation.PutFor;
import io.georep.geopaxos.core.map.MapOperation.Remove;
import io.georep.geopaxos.core.map.MapOperation.Scan;
import io.georep.geopaxos.core.map.MapOperation.Split;
import io.georep.geopaxos.core.map.MapOperation.Tick;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An ordered map whose leaves are the objects that operations are ordered by: see the package. */
public final class OrderedMapService implements Service {
    private static final int REASON_CHARS_MAX = 300;

    /** Keys that a call can add: declared ones, and those that it finds. */
    private static final long CALL_WRITES_MAX = 2 * MapOperation.KEYS_MAX;

    private final KnownProcedures procedures;
    private final Bounds bounds;
    private final OperationReader operations;
    private Leaves leaves = new Leaves();
    private MapWatch watch = MapWatch.NONE;

    /** What the clock shows, for those that look at it after each operation; null until it is asked for again. */
    private MapClock.@Nullable Reading clock;

    /** An empty map without bounds, with the procedures that may be called. */
    public OrderedMapService(Collection<? extends Procedure> procedures) {
        this(procedures, Bounds.NONE);
    }

    /** An empty map, with the procedures that may be called. */
    public OrderedMapService(Collection<? extends Procedure> procedures, Bounds bounds) {
        this.bounds = bounds;
        this.procedures = new KnownProcedures(procedures);
        operations = new OperationReader(this.procedures);
    }

    @Override
    public List<String> procedures() {
        return procedures.names();
    }

    @Override
    public @Nullable String procedure(Slice operation) {
        return operations.decode(operation) instanceof Call call ? KnownProcedures.id(call) : null;
    }

    /** Tells it of changes from now on. */
    public void watch(MapWatch by) {
        watch = by;
    }

    @Override
    public @Nullable String refusal(Slice operation) {
        try {
            MapOperation decoded = operations.decode(operation);
            if (decoded == null) {
                decoded = MapOperation.decode(operation); // says why
            }
            return decoded instanceof Call call ? refusal(call) : null;
        } catch (MalformedException e) {
            return reason(e);
        }
    }

    /** Returns why a call must not be ordered; null if it may be. Any thread may ask. */
    public @Nullable String refusal(Call call) {
        try {
            if (!procedures.has(call)) {
                return "no procedure " + KnownProcedures.id(call);
            }
            procedures.get(call).keys(call.argument());
            return null;
        } catch (Exception e) {
            return reason(e);
        }
    }

    @Override
    public @Nullable String noRoom(Slice operation) {
        boolean isCall = operations.decode(operation) instanceof Call;
        long most = isCall ? CALL_WRITES_MAX * MapOperation.VALUE_BYTES_MAX : operation.length();
        return bounds.allow(leaves.entries() + CALL_WRITES_MAX, leaves.bytes() + most)
                ? null
                : bounds.excess(this, operations.decode(operation));
    }

    /** Executes a procedure in the present state, which stays as it is. */
    DeclaredView written(Call call) throws Exception {
        Procedure procedure = procedures.get(call);
        DeclaredView view = new DeclaredView(procedure.keys(call.argument()), leaves, (leaf, write) -> true);
        view.result = procedure.execute(view, call.argument());
        return view;
    }

    @Override
    public void walk(Slice from, Walk walk) {
        leaves.walk(from, walk);
    }

    @Override
    public long keptBytesMax() {
        return Math.max(KEPT_BYTES, bounds.bytesMax());
    }

    @Override
    public long entries() {
        return leaves.entries() - (value(MapClock.KEY) == null ? 0 : 1);
    }

    @Override
    public long bytes() {
        return leaves.bytes();
    }

    /**
     * Returns operations that a node should propose: divisions and joins. Proposing one twice or too late does no harm.
     *
     * @param most of each kind
     * @param births tells which leaves have the same groups: others are not joined, the keys of one of them would change groups
     */
    public List<Slice> upkeep(int most, Births births) {
        List<Slice> wanted = new ArrayList<>();
        leaves.upkeep(most, births, operation -> wanted.add(MapOperation.encode(operation)));
        return wanted;
    }

    /** Returns removals of entries whose time is over when the clock shows this, the first ones first. Somebody should propose them. */
    public List<Slice> expired(long time, int most) {
        List<Slice> wanted = new ArrayList<>();
        leaves.expired(time, most, operation -> wanted.add(MapOperation.encode(operation)));
        return wanted;
    }

    /** Returns whether any entry expires. */
    public boolean hasMortals() {
        return leaves.hasMortals();
    }

    /** Returns what the clock of the maps shows. */
    public MapClock.Reading clock() {
        if (clock == null) {
            clock = MapClock.Reading.of(value(MapClock.KEY));
        }
        return clock;
    }

    @Override
    public Footprint footprint(Slice operation) {
        return operations.footprint(operation);
    }

    @Override
    public void trace(Slice operation, Accesses accesses) {
        MapOperation decoded = operations.decode(operation);
        if (decoded instanceof Scan scan) {
            Ranges.scan(leaves, scan, accesses);
        } else if (decoded instanceof Count count) {
            Ranges.count(leaves, count, accesses);
        } else if (decoded instanceof Split split) {
            if (leaves.numbered(split.leaf()) != null) {
                accesses.use(split.leaf(), true);
            }
        } else if (decoded instanceof Merge merge) {
            Leaf left = leaves.numbered(merge.left());
            if (left != null && accesses.use(left.number, true) && isNext(left, merge.right())) {
                accesses.use(merge.right(), true);
            }
        } else {
            Procedure.Keys keys = operations.keys(operation);
            if (KeyTraces.declared(leaves, keys, accesses) && keys.finds() && decoded instanceof Call call) {
                KeyTraces.found(leaves, procedures.get(call), call.argument(), keys, accesses);
            }
        }
    }

    @Override
    public void traceUse(Slice operation, Accesses accesses) {
        MapOperation decoded = operations.decode(operation);
        if (decoded instanceof PutFor put) {
            accesses.use(leaves.of(put.entry().key()).number, true); // and not that of the clock
        } else if (decoded != null && !decoded.isUpkeep()) {
            trace(operation, accesses);
        }
    }

    @Override
    public @Nullable Part part(byte[] begin, byte[] rest) {
        return leaves.find(begin, rest);
    }

    @Override
    public long hash(byte[] begin, byte[] rest) {
        return Fnv.hash(Fnv.hash(begin), rest); // of the bytes of a key, one after the other
    }

    private boolean isNext(Leaf left, long right) {
        Leaf next = leaves.next(left);
        return next != null && next.number == right;
    }

    @Override
    public Slice execute(Slice operation, Births births) {
        return MapResult.encode(execute(operations.decode(operation), births));
    }

    private MapResult execute(@Nullable MapOperation operation, Births births) {
        if (operation instanceof Get get) {
            return new MapResult.Value(value(get.key()));
        } else if (operation instanceof Put put) {
            return put(put.entry(), put.guard());
        } else if (operation instanceof PutFor put) {
            return put(put.entry().until(clock().end(put.millis())), put.guard());
        } else if (operation instanceof Tick tick) {
            boolean isNext = clock().time() == tick.from();
            if (isNext) {
                put(MapClock.entry(tick));
            }
            return new MapResult.Written(isNext, null);
        } else if (operation instanceof Remove remove) {
            Slice present = value(remove.key());
            return remove.guard().allows(present)
                    ? new MapResult.Written(remove(remove.key()), null)
                    : new MapResult.Written(false, present);
        } else if (operation instanceof Scan scan) {
            return Ranges.scan(leaves, scan, (object, write) -> true);
        } else if (operation instanceof Count count) {
            return new MapResult.Counted(Ranges.count(leaves, count, (object, write) -> true));
        } else if (operation instanceof Expire expire) {
            return new MapResult.Counted(expire(expire));
        } else if (operation instanceof Call call) {
            return call(call);
        } else if (operation instanceof Split split) {
            return new MapResult.Counted(split(split, births));
        } else if (operation instanceof Merge merge) {
            return new MapResult.Counted(merge(merge, births));
        }
        return new MapResult.Failed("not an operation");
    }

    @Nullable
    Slice value(Slice key) {
        return leaves.of(key).value(key);
    }

    private MapResult put(MapEntry entry, Guard guard) {
        Slice present = value(entry.key());
        if (!guard.allows(present)) {
            return new MapResult.Written(false, present);
        }
        put(entry);
        return new MapResult.Written(true, null);
    }

    private void put(MapEntry entry) {
        Leaf leaf = leaves.of(entry.key());
        leaves.replace(leaf, leaf.with(entry));
        changed(entry.key(), entry.value());
    }

    private boolean remove(Slice key) {
        Leaf leaf = leaves.of(key);
        int place = leaf.find(key);
        if (place < 0) {
            return false;
        }
        leaves.replace(leaf, leaf.without(place));
        changed(key, null);
        return true;
    }

    private void changed(Slice key, @Nullable Slice value) {
        clock = key.equals(MapClock.KEY) ? null : clock;
        watch.changed(key, value);
    }

    private int expire(Expire expire) {
        int removed = 0;
        for (Slice key : expire.keys()) {
            Leaf leaf = leaves.of(key);
            int place = leaf.find(key);
            if (place >= 0 && leaf.expiresAt(place) > 0 && leaf.expiresAt(place) <= expire.time()) {
                removed += remove(key) ? 1 : 0;
            }
        }
        return removed;
    }

    private MapResult call(Call call) {
        DeclaredView view;
        try {
            view = written(call);
            if (view.result.length() > MapOperation.ARGUMENT_BYTES_MAX) {
                return new MapResult.Failed("a result of " + view.result.length() + " bytes");
            }
        } catch (Exception e) { // also those that the application's language need not declare
            return new MapResult.Failed(reason(e));
        }
        view.written().forEach((key, entry) -> {
            if (entry == null) {
                remove(key);
            } else {
                put(entry);
            }
        });
        return new MapResult.Returned(view.result);
    }

    private int split(Split split, Births births) {
        Leaf leaf = leaves.numbered(split.leaf());
        if (leaf == null || !leaf.admits(split)) {
            return 0;
        }
        leaves.divide(leaf, split.parts());
        for (long born : Leaf.born(split)) {
            births.born(born, leaf.number);
        }
        return split.parts() - 1;
    }

    private int merge(Merge merge, Births births) {
        Leaf left = leaves.numbered(merge.left());
        Leaf right = left == null ? null : leaves.next(left);
        if (left == null || right == null || right.number != merge.right() || !Leaves.fit(left, right)) {
            return 0;
        }
        leaves.join(left, right);
        births.died(right.number);
        return 1;
    }

    private static String reason(Exception e) {
        String reason = e.getClass().getSimpleName();
        try {
            reason += ": " + e.getMessage();
        } catch (Exception unfit) {
            // the class has to do
        }
        return reason.substring(0, Math.min(REASON_CHARS_MAX, reason.length()));
    }

    @Override
    public boolean has(long object) {
        return leaves.numbered(object) != null;
    }

    @Override
    public Slice content(long object) {
        return Objects.requireNonNull(leaves.numbered(object)).content();
    }

    /** Costs a reference for each leaf. */
    @Override
    public Iterator<Content> contents() {
        return leaves.contents();
    }

    @Override
    public Loading load() {
        Leaves loaded = Leaves.none();
        return new Loading() {
            @Override
            public void add(long object, Slice content) {
                loaded.load(object, content);
            }

            @Override
            public void finish() {
                loaded.check();
                leaves = loaded;
                clock = null;
                watch.reloaded();
            }
        };
    }

    /** For tests. */
    Leaves leaves() {
        return leaves;
    }
}
