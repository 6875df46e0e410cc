package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Prepares nodes for transactions that write a key of each of two maps: {@code near} and {@code beside}, which one group orders, or {@code near}
 * and {@code remote}, each of which has a group of its own. Keys go to the second group as they always do, because they are read near it. Then
 * all nodes are started again with settings by which no key moves any more.
 */
final class PairBench {
    private static final MapSchema<String, byte[]> NEAR = schema("near");
    private static final MapSchema<String, byte[]> BESIDE = schema("beside");
    private static final MapSchema<String, byte[]> REMOTE = schema("remote");

    /** Both keys are ordered by the first group. */
    static final WritePair IN_ONE_GROUP = new WritePair(BESIDE);

    /** Each key is ordered by a group of its own. */
    static final WritePair IN_TWO_GROUPS = new WritePair(REMOTE);

    /** The less, the sooner keys move. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

    /** What is written under a key. */
    record Entry(String key, byte[] value) {}

    /** Writes an entry into two maps. */
    static final class WritePair implements MapTransaction<Entry, byte[]> {
        private static final PayloadCodec<Entry> ENTRIES = new PayloadCodec<>() {
            @Override
            public byte[] encode(Entry entry) {
                byte[] key = entry.key.getBytes(StandardCharsets.UTF_8);
                byte[] all = Arrays.copyOf(key, key.length + 1 + entry.value.length);
                System.arraycopy(entry.value, 0, all, key.length + 1, entry.value.length);
                return all;
            }

            /** A zero stands between them. */
            @Override
            public Entry decode(Slice bytes) {
                byte[] all = bytes.toArray();
                int end = 0;
                while (all[end] != 0) {
                    end++;
                }
                String key = new String(all, 0, end, StandardCharsets.UTF_8);
                return new Entry(key, Arrays.copyOfRange(all, end + 1, all.length));
            }
        };

        private final MapSchema<String, byte[]> other;

        WritePair(MapSchema<String, byte[]> other) {
            this.other = other;
        }

        @Override
        public String name() {
            return "near and " + other.name();
        }

        @Override
        public int version() {
            return 0;
        }

        @Override
        public PayloadCodec<Entry> arguments() {
            return ENTRIES;
        }

        @Override
        public PayloadCodec<byte[]> results() {
            return PayloadCodec.bytes();
        }

        @Override
        public void declare(Entry entry, Keys keys) {
            keys.writes(NEAR, entry.key);
            keys.writes(other, entry.key);
        }

        @Override
        public byte[] execute(Entry entry, View view) {
            view.put(NEAR, entry.key, entry.value);
            view.put(other, entry.key, entry.value);
            return new byte[0];
        }
    }

    private final OrderedMapSettings moving;
    private final OrderedMapSettings settled;
    private boolean isSettled;

    /** Each of the first two nodes is the home of a group. */
    PairBench(String... names) {
        String[] others = names.clone();
        others[0] = names[1];
        others[1] = names[0];
        OrderedMapSettings both =
                OrderedMapBench.settings(names).group(others).transactions(IN_ONE_GROUP, IN_TWO_GROUPS);
        moving = both.times(SHORT_LEASE, both.timeout()).placement(SHORT_LEASE);
        settled = both.placement(Duration.ZERO);
    }

    private static MapSchema<String, byte[]> schema(String name) {
        return new MapSchema<>(name, PayloadCodec.string(), PayloadCodec.bytes());
    }

    /** Returns the settings with which the next node starts. */
    OrderedMapSettings settings() {
        return isSettled ? settled : moving;
    }

    /** Fills the maps, moves one to the second group, and starts all nodes again. */
    void prepare(List<GeoRepNode> started, LoopbackBench.Restart restart, int keys, byte[] value) throws Exception {
        OrderedMaps first = maps(started.get(0));
        for (MapSchema<String, byte[]> map : List.of(NEAR, BESIDE, REMOTE)) {
            OrderedMapBench.fill(first.map(map), keys, value);
        }
        OrderedMap<String, byte[]> read = maps(started.get(1)).map(REMOTE);
        long began = System.nanoTime();
        while (!isPlaced(first)) {
            if (System.nanoTime() - began > 2 * LoopbackBench.START_WITHIN.toNanos()) {
                throw new TimeoutException("keys do not go to the second group though they are read there");
            }
            OrderedMapBench.each(keys, number -> read.get(LoopbackBench.key(number)));
        }
        isSettled = true;
        for (int node = started.size(); node > 0; node--) {
            restart.node(0);
        }
    }

    private static OrderedMaps maps(GeoRepNode node) {
        return node.service(OrderedMaps.class);
    }

    /** The first leaf may begin with keys of the map before. */
    private static boolean isPlaced(OrderedMaps maps) throws Exception {
        List<OrderedMapsPlacement.Leaf> leaves = new ArrayList<>();
        @Nullable Slice next = Slice.EMPTY;
        while (next != null) {
            OrderedMapsPlacement page = maps.readPlacement(REMOTE.name(), next, OrderedMapsPlacement.LEAVES_MAX)
                    .toCompletableFuture()
                    .get(LoopbackBench.START_WITHIN.toSeconds(), TimeUnit.SECONDS);
            leaves.addAll(page.leaves());
            next = page.next();
        }
        return leaves.size() > 1
                && leaves.stream().skip(1).allMatch(leaf -> leaf.groups().equals(List.of(1)));
    }
}
