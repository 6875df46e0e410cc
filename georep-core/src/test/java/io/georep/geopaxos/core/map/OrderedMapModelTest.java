package io.georep.geopaxos.core.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of operations against a simple map, with what the protocol relies on checked at each. */
class OrderedMapModelTest {
    private static final int OPERATIONS = 3_000;

    @ParameterizedTest
    @ValueSource(ints = {40, 300, 767})
    void operationsReturnWhatASimpleMapReturns(int keys) {
        for (int seed = 0; seed < 4; seed++) {
            RandomOperations operations = new RandomOperations(seed, keys);
            MapFixture map = new MapFixture();
            ModelOfMap model = new ModelOfMap();
            for (int turn = 0; turn < OPERATIONS; turn++) {
                // It grows, shrinks, and grows again.
                int present = turn / 700 % 2 == 0 ? model.entries.size() / 2 : keys;
                boolean structural = operations.random.nextInt(10) == 0;
                MapOperation operation = structural ? operations.structural(map.service) : operations.next(present);

                MapResult result = runChecked(map, operation);

                if (!structural) {
                    assertThat(result)
                            .as("%s of seed %s, turn %s", operation, seed, turn)
                            .isEqualTo(model.run(operation));
                }
                map.check();
                if (turn % 50 == 0) {
                    map.upkeep(0, 3);
                }
            }
            assertThat(map.leaves().stream()
                            .flatMap(leaf -> IntStream.range(0, leaf.size()).mapToObj(leaf::entry)))
                    .containsExactlyElementsOf(model.entries.values());
        }
    }

    /** What is not traced is not changed, and each new leaf comes from one that was written. */
    private static MapResult runChecked(MapFixture map, MapOperation operation) {
        List<MapFixture.Use> told = map.trace(operation);
        Set<Long> written = new HashSet<>();
        told.stream().filter(MapFixture.Use::write).forEach(use -> written.add(use.object()));
        Set<Leaf> before = new HashSet<>(map.leaves());
        map.births.clear();
        map.deaths.clear();

        MapResult result = map.run(operation);

        List<Leaf> changed = new ArrayList<>(map.leaves());
        changed.removeAll(before);
        assertThat(changed)
                .allSatisfy(leaf -> assertThat(written).contains(map.births.getOrDefault(leaf.number, leaf.number)));
        // A leaf that is made is named, or what is ordered by its number would not wait for its birth.
        map.births
                .keySet()
                .forEach(born -> assertThat(map.service
                                .footprint(MapOperation.encode(operation))
                                .objects())
                        .contains(born));
        Set<Long> gone = numbers(before);
        gone.removeAll(numbers(map.leaves()));
        assertThat(map.deaths).isEqualTo(gone);
        before.removeAll(new HashSet<>(map.leaves()));
        assertThat(before).allSatisfy(leaf -> assertThat(written).contains(leaf.number));
        return result;
    }

    private static Set<Long> numbers(Collection<Leaf> leaves) {
        return leaves.stream().map(leaf -> leaf.number).collect(Collectors.toCollection(HashSet::new));
    }

    /**
     * Objects that an operation has not told of are different on some other replica, because operations on them are not ordered with
     * it. It must tell the same and return the same there, however far the trace may go.
     */
    @ParameterizedTest
    @ValueSource(ints = {300, 767})
    void nothingIsLookedUpInWhatWasNotTold(int keys) {
        RandomOperations operations = new RandomOperations(77, keys);
        MapFixture map = filled(operations, keys);
        for (int turn = 0; turn < 2_000; turn++) {
            if (turn % 100 == 0) {
                emptySome(map, operations);
            }
            boolean structural = operations.random.nextInt(5) == 0;
            MapOperation operation = structural ? operations.structural(map.service) : operations.next(keys / 2);
            int most = operations.random.nextBoolean() ? Integer.MAX_VALUE : operations.random.nextInt(1, 4);
            List<MapFixture.Use> told = map.trace(operation, most);
            assertThat(told).hasSizeLessThanOrEqualTo(most);
            Set<Long> objects = new HashSet<>();
            told.forEach(use -> objects.add(use.object()));
            MapFixture other = map.copy();
            disturb(other, objects, operations);

            assertThat(other.trace(operation, most)).as("%s", operation).isEqualTo(told);
            if (most == Integer.MAX_VALUE) {
                assertThat(other.run(operation)).as("%s", operation).isEqualTo(map.run(operation));
                other.check();
            }
        }
    }

    /** Changes whatever other leaves contain, and which leaves there are beside those. */
    private static void disturb(MapFixture map, Set<Long> spared, RandomOperations operations) {
        for (int change = 0; change < 30; change++) {
            MapOperation operation = operations.random.nextInt(4) == 0
                    ? operations.structural(map.service)
                    : operations.next(operations.random.nextBoolean() ? 0 : 1_000);
            if (map.trace(operation).stream().noneMatch(use -> use.write() && spared.contains(use.object()))) {
                map.run(operation);
            }
        }
    }

    private static MapFixture filled(RandomOperations operations, int keys) {
        MapFixture map = new MapFixture();
        for (int turn = 0; turn < 4 * keys; turn++) {
            map.run(operations.next(0));
            map.upkeep(0, 1);
        }
        assertThat(map.leaves()).hasSizeGreaterThan(3);
        return map;
    }

    private static void emptySome(MapFixture map, RandomOperations operations) {
        for (Leaf leaf : map.leaves()) {
            for (int place = 0; place < leaf.size() && operations.random.nextInt(40) > 0; place++) {
                map.run(new MapOperation.Remove(leaf.key(place), Guard.NONE));
            }
        }
    }
}
