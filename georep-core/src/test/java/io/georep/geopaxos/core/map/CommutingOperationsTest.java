package io.georep.geopaxos.core.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Replicas execute operations that do not conflict in any order, and must end equal to the byte. */
class CommutingOperationsTest {
    private static final int KEYS = 500;
    private static final int BATCH = 30;
    private static final int BATCHES = 60;

    @Test
    void replicasThatExecuteInUnlikeOrdersEndEqual() {
        int overtaken = 0;
        int born = 0;
        for (int seed = 0; seed < 10; seed++) {
            RandomOperations operations = new RandomOperations(seed, KEYS);
            MapFixture one = new MapFixture();
            for (int turn = 0; turn < 2 * KEYS; turn++) {
                one.run(operations.next(0));
            }
            MapFixture other = one.copy();
            for (int batch = 0; batch < BATCHES; batch++) {
                List<MapOperation> order = new ArrayList<>();
                Map<Integer, MapResult> results = new HashMap<>();
                for (int i = 0; i < BATCH; i++) {
                    order.add(draw(operations, one, batch / 20 % 2 == 0 ? KEYS : 0));
                    results.put(i, one.run(order.get(i)));
                }

                overtaken += executeInOtherOrder(other, order, results, operations.random);

                assertThat(GeoAudit.state(other.service))
                        .as("seed %s, batch %s", seed, batch)
                        .isEqualTo(GeoAudit.state(one.service));
                assertThat(other.births).isEqualTo(one.births);
            }
            born += one.births.size();
        }
        assertThat(born).isGreaterThan(50);
        assertThat(overtaken).isGreaterThan(5_000);
    }

    /** Of the state that all earlier ones have led to: so they use leaves that were only just made. */
    private static MapOperation draw(RandomOperations operations, MapFixture map, int present) {
        int kind = operations.random.nextInt(10);
        if (kind == 0) {
            return operations.structural(map.service);
        }
        List<Slice> wanted = kind == 1 ? MapFixture.upkeepOf(map.service, 500, 2) : List.of();
        return wanted.isEmpty()
                ? operations.next(present)
                : MapOperation.decode(wanted.get(operations.random.nextInt(wanted.size())));
    }

    /** Executes any operation that conflicts with none before it, as the protocol does; returns how many others were overtaken. */
    private static int executeInOtherOrder(
            MapFixture map, List<MapOperation> order, Map<Integer, MapResult> results, RandomGenerator random) {
        List<Integer> waiting = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            waiting.add(i);
        }
        int overtaken = 0;
        while (!waiting.isEmpty()) {
            int place = random.nextInt(waiting.size());
            MapOperation operation = order.get(waiting.get(place));
            boolean blocked =
                    waiting.subList(0, place).stream().anyMatch(before -> conflict(map, order.get(before), operation));
            if (!blocked) {
                assertThat(map.run(operation)).as("%s", operation).isEqualTo(results.get(waiting.get(place)));
                overtaken += place;
                waiting.remove(place);
            }
        }
        return overtaken;
    }

    private static boolean conflict(MapFixture map, MapOperation one, MapOperation other) {
        Footprint first = map.service.footprint(MapOperation.encode(one));
        Footprint second = map.service.footprint(MapOperation.encode(other));
        return first.everything()
                || second.everything()
                || meet(first.writes(), second.writes())
                || meet(first.writes(), second.reads())
                || meet(first.reads(), second.writes())
                || meet(first.objects(), second.objects())
                || meet(first.objects(), objects(map, other))
                || meet(objects(map, one), second.objects());
    }

    private static long[] objects(MapFixture map, MapOperation operation) {
        return map.trace(operation).stream().mapToLong(MapFixture.Use::object).toArray();
    }

    private static boolean meet(long[] some, long[] others) {
        return LongStream.of(some).anyMatch(one -> LongStream.of(others).anyMatch(other -> other == one));
    }
}
