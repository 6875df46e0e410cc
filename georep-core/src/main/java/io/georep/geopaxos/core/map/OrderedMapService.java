package io.georep.geopaxos.core.map;

import io.georep.codec.BinWriter;
import io.georep.codec.Fnv;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.Footprint;
import io.georep.geopaxos.core.Service;
import io.georep.geopaxos.core.map.MapOperation.Call;
import io.georep.geopaxos.core.map.MapOperation.Count;
import io.georep.geopaxos.core.map.MapOperation.Expire;
import io.georep.geopaxos.core.map.MapOperation.Get;
import io.georep.geopaxos.core.map.MapOperation.Merge;
import io.georep.geopaxos.core.map.MapOperation.Put;
import io.georep.geopaxos.core.map.MapOperation.Remove;
import io.georep.geopaxos.core.map.MapOperation.Scan;
import io.georep.geopaxos.core.map.MapOperation.Split;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** An ordered map whose leaves are the objects that operations are ordered by: see the package. */
public final class OrderedMapService implements Service {
    private static final int MAX_REASON = 300;

    private final TreeMap<String, Procedure> procedures = new TreeMap<>();
    private Leaves leaves = new Leaves();

    /** What was decoded last, and what it was read from. */
    private Slice lastRead = Slice.EMPTY;

    private @Nullable MapOperation last;

    /** An empty map, with the procedures that may be called. */
    public OrderedMapService(Collection<? extends Procedure> procedures) {
        for (Procedure procedure : procedures) {
            if (this.procedures.put(id(procedure.name(), procedure.version()), procedure) != null) {
                throw new IllegalArgumentException("two procedures are " + id(procedure.name(), procedure.version()));
            }
        }
    }

    /** Returns the procedures of this node as name and version, sorted: nodes that agree on operations agree on these. */
    public List<String> procedures() {
        return List.copyOf(procedures.keySet());
    }

    private static String id(String name, int version) {
        return name + "/" + version;
    }

    @Override
    public @Nullable String refusal(Slice operation) {
        try {
            if (MapOperation.decode(operation) instanceof Call call) {
                Procedure procedure = procedures.get(id(call.name(), call.version()));
                if (procedure == null) {
                    return "no procedure " + id(call.name(), call.version());
                }
                procedure.keys(call.argument());
            }
            return null;
        } catch (Exception e) {
            return reason(e);
        }
    }

    /**
     * Returns operations that a node should propose: divisions, joins, and removals of expired entries. Proposing one twice or
     * too late does no harm.
     *
     * @param time the clock that expiries are compared with
     * @param most of each kind
     */
    public List<Slice> upkeep(long time, int most) {
        List<Slice> wanted = new ArrayList<>();
        leaves.upkeep(time, most, operation -> wanted.add(MapOperation.encode(operation)));
        return wanted;
    }

    @Override
    public Footprint footprint(Slice operation) {
        MapOperation decoded = decode(operation);
        if (decoded instanceof Scan || decoded instanceof Count) {
            return Footprint.EVERYTHING;
        } else if (decoded instanceof Split split) {
            return Footprint.objects(LongStream.concat(LongStream.of(split.leaf()), LongStream.of(Leaf.born(split)))
                    .toArray());
        } else if (decoded instanceof Merge merge) {
            return Footprint.objects(merge.left(), merge.right());
        }
        Procedure.Keys keys = keys(decoded);
        return Footprint.keys(hashes(keys.reads()), hashes(keys.writes()));
    }

    private static long[] hashes(List<Slice> keys) {
        return keys.stream().mapToLong(Fnv::hash).toArray();
    }

    /** Returns the keys of an operation that has no others; none if it will fail. */
    private Procedure.Keys keys(@Nullable MapOperation operation) {
        List<Slice> none = List.of();
        if (operation instanceof Get get) {
            return new Procedure.Keys(List.of(get.key()), none);
        } else if (operation instanceof Put put) {
            return new Procedure.Keys(none, List.of(put.entry().key()));
        } else if (operation instanceof Remove remove) {
            return new Procedure.Keys(none, List.of(remove.key()));
        } else if (operation instanceof Expire expire) {
            return new Procedure.Keys(none, expire.keys());
        } else if (operation instanceof Call call) {
            try {
                return procedure(call).keys(call.argument());
            } catch (Exception e) {
                return new Procedure.Keys(none, none);
            }
        }
        return new Procedure.Keys(none, none);
    }

    @Override
    public void trace(Slice operation, Accesses accesses) {
        MapOperation decoded = decode(operation);
        if (decoded instanceof Scan scan) {
            scan(scan, accesses);
        } else if (decoded instanceof Count count) {
            count(count, accesses);
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
            Procedure.Keys keys = keys(decoded);
            Map<Long, Boolean> objects = new LinkedHashMap<>();
            keys.writes().forEach(key -> objects.put(leaves.of(key).number, true));
            keys.reads().forEach(key -> objects.putIfAbsent(leaves.of(key).number, false));
            for (Map.Entry<Long, Boolean> object : objects.entrySet()) {
                if (!accesses.use(object.getKey(), object.getValue())) {
                    return;
                }
            }
        }
    }

    private boolean isNext(Leaf left, long right) {
        Leaf next = leaves.next(left);
        return next != null && next.number == right;
    }

    @Override
    public Slice execute(Slice operation, Births births) {
        return MapResult.encode(execute(decode(operation), births));
    }

    private MapResult execute(@Nullable MapOperation operation, Births births) {
        if (operation instanceof Get get) {
            return new MapResult.Value(value(get.key()));
        } else if (operation instanceof Put put) {
            Slice present = value(put.entry().key());
            if (!put.guard().allows(present)) {
                return new MapResult.Written(false, present);
            }
            put(put.entry());
            return new MapResult.Written(true, null);
        } else if (operation instanceof Remove remove) {
            Slice present = value(remove.key());
            return remove.guard().allows(present)
                    ? new MapResult.Written(remove(remove.key()), null)
                    : new MapResult.Written(false, present);
        } else if (operation instanceof Scan scan) {
            return scan(scan, (object, write) -> true);
        } else if (operation instanceof Count count) {
            return new MapResult.Counted(count(count, (object, write) -> true));
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

    private @Nullable Slice value(Slice key) {
        return leaves.of(key).value(key);
    }

    private void put(MapEntry entry) {
        Leaf leaf = leaves.of(entry.key());
        leaves.replace(leaf, leaf.with(entry));
    }

    private boolean remove(Slice key) {
        Leaf leaf = leaves.of(key);
        int place = leaf.find(key);
        if (place < 0) {
            return false;
        }
        leaves.replace(leaf, leaf.without(place));
        return true;
    }

    private int expire(Expire expire) {
        int removed = 0;
        for (Slice key : expire.keys()) {
            Leaf leaf = leaves.of(key);
            int place = leaf.find(key);
            if (place >= 0 && leaf.expiresAt(place) > 0 && leaf.expiresAt(place) <= expire.time()) {
                leaves.replace(leaf, leaf.without(place));
                removed++;
            }
        }
        return removed;
    }

    private MapResult.Page scan(Scan scan, Accesses accesses) {
        List<MapEntry> entries = new ArrayList<>();
        int bytes = 0;
        Leaf leaf = scan.descending() ? leaves.before(scan.to()) : leaves.of(scan.from());
        while (leaf != null && accesses.use(leaf.number, false)) {
            int low = leaf.rank(scan.from());
            int high = scan.to() == null ? leaf.size() : leaf.rank(scan.to());
            for (int done = 0; done < high - low; done++) {
                MapEntry entry = leaf.entry(scan.descending() ? high - 1 - done : low + done);
                bytes += entry.size();
                if (!entries.isEmpty() && bytes > MapOperation.MAX_PAGE_BYTES) {
                    return new MapResult.Page(entries, true);
                }
                entries.add(entry);
                if (entries.size() == scan.limit()) {
                    return new MapResult.Page(entries, true);
                }
            }
            leaf = scan.descending() ? lower(leaf, scan.from()) : higher(leaf, scan.to());
        }
        return new MapResult.Page(entries, false);
    }

    private long count(Count count, Accesses accesses) {
        long entries = 0;
        Leaf leaf = leaves.of(count.from());
        while (leaf != null && accesses.use(leaf.number, false)) {
            int high = count.to() == null ? leaf.size() : leaf.rank(count.to());
            entries += Math.max(0, high - leaf.rank(count.from()));
            leaf = higher(leaf, count.to());
        }
        return entries;
    }

    /** The next leaf, if it may have keys before the end. */
    private @Nullable Leaf higher(Leaf leaf, @Nullable Slice end) {
        Leaf next = leaves.next(leaf);
        return next == null || (end != null && Leaf.compare(next.low, end) >= 0) ? null : next;
    }

    /** The leaf before, if this one has not got the lower end of the range. */
    private @Nullable Leaf lower(Leaf leaf, Slice from) {
        return Leaf.compare(leaf.low, from) <= 0 ? null : leaves.previous(leaf);
    }

    private MapResult call(Call call) {
        Procedure procedure = procedure(call);
        DeclaredView view;
        Slice result;
        try {
            view = new DeclaredView(procedure.keys(call.argument()), this::value);
            result = procedure.execute(view, call.argument());
            if (result.length() > MapOperation.MAX_ARGUMENT) {
                return new MapResult.Failed("a result of " + result.length() + " bytes");
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
        return new MapResult.Returned(result);
    }

    /** Without the procedure that was ordered, this node would get another state than all others. It must stop. */
    private Procedure procedure(Call call) {
        Procedure procedure = procedures.get(id(call.name(), call.version()));
        if (procedure == null) {
            throw new MissingProcedureError(id(call.name(), call.version()));
        }
        return procedure;
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

    /** Null for what is no operation. Each one is asked about several times in a row. */
    private @Nullable MapOperation decode(Slice operation) {
        if (operation != lastRead) {
            try {
                last = MapOperation.decode(operation);
            } catch (MalformedException e) {
                last = null;
            }
            lastRead = operation;
        }
        return last;
    }

    private static String reason(Exception e) {
        String reason = e.getClass().getSimpleName();
        try {
            reason += ": " + e.getMessage();
        } catch (Exception unfit) {
            // the class has to do
        }
        return reason.substring(0, Math.min(MAX_REASON, reason.length()));
    }

    @Override
    public boolean has(long object) {
        return leaves.numbered(object) != null;
    }

    @Override
    public Slice content(long object) {
        return content(Objects.requireNonNull(leaves.numbered(object)));
    }

    private static Slice content(Leaf leaf) {
        BinWriter out = new BinWriter();
        leaf.write(out);
        return out.toSlice();
    }

    /** Costs a reference for each leaf. */
    @Override
    public Iterator<Content> contents() {
        return List.copyOf(leaves.all()).stream()
                .map(leaf -> new Content(leaf.number, content(leaf)))
                .iterator();
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
            }
        };
    }

    /** For tests. */
    Leaves leaves() {
        return leaves;
    }
}
