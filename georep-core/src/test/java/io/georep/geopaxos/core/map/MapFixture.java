package io.georep.geopaxos.core.map;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.execution.Service;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** One replica of an ordered map, outside any protocol. */
final class MapFixture {
    /** An object that an operation told of. */
    record Use(long object, boolean write) {}

    final OrderedMapService service = new OrderedMapService(Procedures.ALL);

    /** Which objects came from which. */
    final Map<Long, Long> births = new TreeMap<>();

    final Set<Long> deaths = new TreeSet<>();

    private final Service.Births listener = new Service.Births() {
        @Override
        public void born(long object, long from) {
            births.put(object, from);
        }

        @Override
        public void died(long object) {
            deaths.add(object);
        }
    };

    /** Says only which objects have the same groups. */
    static Service.Births groups(BiPredicate<Long, Long> alike) {
        return new Service.Births() {
            @Override
            public void born(long object, long from) {}

            @Override
            public boolean alike(long object, long other) {
                return alike.test(object, other);
            }
        };
    }

    static Slice key(String text) {
        return Slice.utf8(text);
    }

    static MapEntry entry(String key, String value) {
        return new MapEntry(Slice.utf8(key), Slice.utf8(value), 0);
    }

    static @Nullable String text(@Nullable Slice bytes) {
        return bytes == null ? null : new String(bytes.toArray(), StandardCharsets.UTF_8);
    }

    MapResult run(MapOperation operation) {
        return MapResult.decode(service.execute(MapOperation.encode(operation), listener));
    }

    void put(String key, String value) {
        run(new MapOperation.Put(entry(key, value), Guard.NONE));
    }

    @Nullable
    String get(String key) {
        return text(((MapResult.Value) run(new MapOperation.Get(key(key)))).value());
    }

    /** Returns what the operation tells until it has told so many. */
    List<Use> trace(MapOperation operation, int most) {
        List<Use> told = new ArrayList<>();
        service.trace(MapOperation.encode(operation), (object, write) -> {
            told.add(new Use(object, write));
            return told.size() < most;
        });
        return told;
    }

    List<Use> trace(MapOperation operation) {
        return trace(operation, Integer.MAX_VALUE);
    }

    /** Returns what a map wants. */
    static List<Slice> upkeepOf(OrderedMapService service, long time, int most) {
        List<Slice> wanted = new ArrayList<>(service.upkeep(most, (born, from) -> {}));
        wanted.addAll(service.expired(time, most));
        return wanted;
    }

    /** Executes what the map wants; returns how many operations that were. */
    int upkeep(long time, int most) {
        List<Slice> wanted = upkeepOf(service, time, most);
        wanted.forEach(operation -> service.execute(operation, listener));
        return wanted.size();
    }

    MapFixture copy() {
        MapFixture copy = new MapFixture();
        GeoAudit.copy(service, copy.service);
        return copy;
    }

    List<Leaf> leaves() {
        return List.copyOf(service.leaves().all());
    }

    /** J10, for leaves without a tree: keys in order and each in the leaf that has its range. */
    void check() {
        Slice last = null;
        TreeMap<Long, Leaf> numbers = new TreeMap<>();
        long entries = 0;
        long bytes = 0;
        for (Leaf leaf : leaves()) {
            entries += leaf.size();
            require(last == null ? leaf.low.length() == 0 : Leaf.compare(last, leaf.low) < 0, "bounds", leaf);
            require(numbers.put(leaf.number, leaf) == null, "numbers", leaf);
            require(service.leaves().numbered(leaf.number) == leaf, "index", leaf);
            long earliest = 0;
            last = leaf.low;
            for (int place = 0; place < leaf.size(); place++) {
                Slice key = leaf.key(place);
                require(Leaf.compare(last, key) < (place == 0 ? 1 : 0), "keys", leaf);
                require(leaf.find(leaf.key(place)) == place, "search", leaf);
                last = key;
                bytes += key.length() + leaf.entry(place).value().length();
                long expiry = leaf.expiresAt(place);
                earliest = expiry > 0 && (earliest == 0 || expiry < earliest) ? expiry : earliest;
            }
            require(leaf.earliest == earliest, "expiries", leaf);
        }
        require(service.leaves().entries() == entries, "entries", leaves().get(0));
        require(service.bytes() == bytes, "bytes", leaves().get(0));
    }

    private static void require(boolean condition, String what, Leaf leaf) {
        if (!condition) {
            throw new AssertionError(what + " of " + leaf);
        }
    }
}
