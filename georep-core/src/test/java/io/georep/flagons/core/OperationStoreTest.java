package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a store says is what its operations give, and it does not go through all of them to say it. */
class OperationStoreTest {
    private final SplittableRandom random = new SplittableRandom(25);
    private final OperationStore store = new OperationStore(new FleetRules(), new Quiet());
    private final List<Event> events = new ArrayList<>();
    private long requests;

    /** Tells nobody anything. */
    static class Quiet implements Outlet {
        @Override
        public void send(Contact to, FleetMessage message) {}

        @Override
        public void answered(RequestId request, Outcome outcome) {}
    }

    private Event event(long time, String key, FleetOperation.Kind kind, long request) {
        boolean puts = kind == FleetOperation.Kind.PUT || kind == FleetOperation.Kind.PUT_IF_ABSENT;
        FleetOperation operation = new FleetOperation(
                new RequestId(7, request), kind, Slice.utf8(key), puts ? Slice.utf8("v" + request) : null);
        Contact origin = new Contact(random.nextInt(3), "n", 0, 0);
        return new Event(new OrderKey(time, origin.id()), origin, operation);
    }

    /** Some requests come at several places. */
    private void addDrawn(int count, int keys, int times) {
        FleetOperation.Kind[] kinds = {
            FleetOperation.Kind.PUT, FleetOperation.Kind.REMOVE, FleetOperation.Kind.PUT_IF_ABSENT
        };
        for (int i = 0; i < count; i++) {
            Event again =
                    !events.isEmpty() && random.nextInt(5) == 0 ? events.get(random.nextInt(events.size())) : null;
            Event event =
                    event(random.nextInt(times), "key" + random.nextInt(keys), kinds[random.nextInt(3)], requests++);
            if (again != null) {
                event = new Event(event.key(), event.origin(), again.operation());
            }
            if (store.add(event)) {
                events.add(event);
            }
        }
    }

    private void looksAreRight(int times) {
        Oracle oracle = new Oracle(events);
        for (Event event : events) {
            Slice key = event.operation().key();
            Event first = oracle.first(event.operation());
            OrderKey at = new OrderKey(random.nextInt(times), 0);
            assertThat(store.look(key, at).version()).isEqualTo(Oracle.version(oracle.writer(key, at, each -> true)));
            Outcome outcome = store.outcome(event);
            assertThat(outcome.status() == Outcome.Status.APPLIED).isEqualTo(oracle.hasEffect(first));
            assertThat(outcome.version()).isEqualTo(Oracle.version(oracle.before(first)));
        }
    }

    private void sumsAreRight(OrderKey from, OrderKey bound) {
        for (int depth = 0; depth < 10; depth += 3) {
            Range range = Range.around(random.nextLong(), depth);
            long[] sums = new long[KeyTree.SLICES];
            for (Event event : events) {
                long position = event.operation().position();
                boolean isIn = event.key().compareTo(from) >= 0 && event.key().compareTo(bound) <= 0;
                if (isIn && range.has(position)) {
                    sums[KeyTree.slice(range, position)] += event.key().hash();
                }
            }
            assertThat(store.sums(range, from, bound).hashes)
                    .as("%s from %s to %s", range, from, bound)
                    .isEqualTo(sums);
        }
    }

    @Test
    void whateverOrderOperationsComeInLooksAndSumsAreWhatTheyGive() {
        for (int i = 0; i < 20; i++) {
            addDrawn(30, 12, 300);
            looksAreRight(300);
            sumsAreRight(OrderKey.FIRST, new OrderKey(random.nextInt(300), 1));
            sumsAreRight(new OrderKey(random.nextInt(150), 1), new OrderKey(random.nextInt(150, 300), 1));
        }
    }

    @Test
    void whatIsTrimmedIsNeitherSeenNorCompared() {
        addDrawn(600, 40, 3_000);
        for (int cut = 100; cut < 3_000; cut += 100) {
            OrderKey before = new OrderKey(cut, Long.MIN_VALUE);
            Oracle oracle = new Oracle(events);
            store.trim(before);
            events.removeIf(event -> event.key().compareTo(before) < 0
                    && (event.operation().kind() == FleetOperation.Kind.REMOVE
                            || !event.equals(oracle.writer(event.operation().key(), before, each -> true))));

            assertThat(events).allMatch(event -> store.has(event.key()));
            assertThat(store.size()).isEqualTo(events.size());
            sumsAreRight(before, OrderKey.LAST);
            sumsAreRight(OrderKey.FIRST, OrderKey.LAST);
            sumsAreRight(new OrderKey(cut - 50, 0), new OrderKey(cut + 50, 0));
            addDrawn(3, 40, 3_000);
            store.trim(before);
            events.removeIf(event -> !store.has(event.key()));
        }
        looksAreRight(3_000);
    }

    /** A day of operations costs neither a look nor a comparison anything. */
    @Test
    void theWorkOfALookAndAComparisonDoesNotGrowWithTheOperations() {
        for (int time = 0; time < 20_000; time++) {
            store.add(event(time, "key" + time % 50, FleetOperation.Kind.PUT, time));
        }
        store.trim(new OrderKey(1_000, 0));
        long before = store.visited();

        store.look(Slice.utf8("key7"), new OrderKey(15_000, 0));
        store.sums(Range.ALL, new OrderKey(1_000, 0), new OrderKey(19_990, 0));
        store.sums(Range.ALL, OrderKey.FIRST, new OrderKey(19_990, 0));

        assertThat(store.visited() - before).isLessThan(200);
    }
}
