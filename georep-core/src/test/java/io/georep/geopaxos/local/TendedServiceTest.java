package io.georep.geopaxos.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapClock;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TendedServiceTest {
    private final List<MapClock.Reading> readings = new ArrayList<>();

    private final ChangeFeed feed = new ChangeFeed("n1");

    private final TendedService.Clock clock = new TendedService.Clock() {
        @Override
        public void shows(MapClock.@Nullable Reading reading) {
            readings.add(reading);
        }

        @Override
        public boolean isMine(MapClock.Reading reading) {
            return reading.by().equals(Slice.utf8("me"));
        }
    };

    @Test
    void aLeafThatGrowsIsWishedToBeDivided() {
        List<Slice> wishes = new ArrayList<>();
        TendedService service = new TendedService(new OrderedMapService(List.of()), wishes::add, clock, feed);
        for (int i = 0; i < 64; i++) {
            put(service, i);
        }
        assertThat(wishes).isEmpty();

        for (int i = 64; i < 80; i++) {
            put(service, i);
        }
        assertThat(wishes).hasSize(1);
        List<Long> born = new ArrayList<>();
        service.execute(wishes.get(0), (object, from) -> born.add(object));
        assertThat(born).isNotEmpty().allMatch(service::has);
    }

    /** What is missing on this node is noticed before it is ordered. */
    @Test
    void anOperationThatTheMapsDoNotTakeIsRefused() {
        TendedService service = new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed);

        assertThat(service.refusal(MapOperation.encode(new MapOperation.Call("none", 1, Slice.EMPTY))))
                .contains("none/1");
    }

    /** What is missing in between is told. */
    @Test
    void listenersAreToldOfChangesAndThatAnotherStateWasLoaded() {
        TendedService service = new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed);
        List<String> told = new ArrayList<>();
        feed.add(Slice.utf8("\1m"), new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value) {
                told.add(key.length() + (value == null ? " gone" : " there"));
            }

            @Override
            public void missed() {
                told.add("missed");
            }
        });
        execute(service, mortal("\1ma"));
        execute(service, mortal("\1nb"));
        execute(service, new MapOperation.Expire(99_999, List.of(Slice.utf8("\1ma"))));
        assertThat(told).as("before it is taken").isEmpty();
        feed.tell(Objects.requireNonNull(service.news()));
        assertThat(told).containsExactly("3 there", "3 gone");
        assertThat(service.news()).isNull();

        GeoAudit.copy(service, service);
        feed.tell(Objects.requireNonNull(service.news()));
        assertThat(told).last().isEqualTo("missed");
    }

    private static void execute(TendedService service, MapOperation operation) {
        service.execute(MapOperation.encode(operation), (object, from) -> {});
    }

    private static MapOperation mortal(String key) {
        return new MapOperation.PutFor(new MapEntry(Slice.utf8(key), Slice.EMPTY, 0), Guard.NONE, 1);
    }

    /** Only who has set the clock last wishes for removals, one batch after the other. */
    @Test
    void entriesWhoseTimeIsOverAreWishedToBeRemovedByOneNode() {
        List<Slice> wishes = new ArrayList<>();
        TendedService service = new TendedService(new OrderedMapService(List.of()), wishes::add, clock, feed);
        execute(service, mortal("a"));
        assertThat(readings).containsExactly(new MapClock.Reading(0, Slice.EMPTY));

        execute(service, new MapOperation.Tick(0, 1_500, Slice.utf8("me")));
        execute(service, new MapOperation.Tick(1_500, 2_001, Slice.utf8("other")));
        assertThat(wishes).isEmpty();
        execute(service, new MapOperation.Tick(2_001, 2_002, Slice.utf8("me")));
        Slice expire = MapOperation.encode(new MapOperation.Expire(2_002, List.of(Slice.utf8("a"))));
        assertThat(wishes).containsExactly(expire);
        put(service, 1);
        assertThat(wishes).as("while it is under way").hasSize(1);
        execute(service, new MapOperation.Tick(2_002, 2_003, Slice.utf8("me")));
        assertThat(wishes).as("it may have been lost").hasSize(2);

        service.execute(wishes.get(1), (object, from) -> {});
        assertThat(readings).hasSize(6).last().isNull();
        put(service, 2);
        assertThat(wishes).hasSize(2);
    }

    /** A batch takes a round trip: what expires faster than that would pile up. */
    @Test
    void whatExpiresInManyLeavesIsRemovedInAFewBatches() {
        List<Slice> wishes = new ArrayList<>();
        TendedService service = new TendedService(new OrderedMapService(List.of()), wishes::add, clock, feed);
        for (int i = 0; i < 6_000; i++) {
            execute(service, mortal("k" + (10_000 + i)));
            List.copyOf(wishes).forEach(wish -> service.execute(wish, (object, from) -> {}));
            wishes.clear();
        }
        execute(service, new MapOperation.Tick(0, 1_500, Slice.utf8("me")));
        wishes.clear();
        execute(service, new MapOperation.Tick(1_500, 3_000, Slice.utf8("me")));

        int batches = 0;
        while (service.entries() > 0 && ++batches < 10) {
            List<Slice> batch = List.copyOf(wishes);
            wishes.clear();
            assertThat(batch.stream().mapToInt(Slice::length).sum()).isLessThan(80 << 10);
            batch.forEach(wish -> service.execute(wish, (object, from) -> {}));
        }
        assertThat(batches).isLessThan(3);
    }

    /** A node that takes the state of another one knows of its entries. */
    @Test
    void whatIsLoadedExpiresAsWell() {
        TendedService service = new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed);
        execute(service, mortal("a"));
        readings.clear();

        GeoAudit.copy(service, new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed));
        assertThat(readings).hasSize(1);
    }

    private static void put(TendedService service, int number) {
        MapEntry entry = new MapEntry(Slice.utf8("k" + (100 + number)), Slice.EMPTY, 0);
        service.execute(MapOperation.encode(new MapOperation.Put(entry, Guard.NONE)), (object, from) -> {});
    }

    /** Of an older image, for example: what it forgot may be executed once more. */
    @Test
    void listenersAreToldThatTheStateBeganAnew() {
        List<String> told = new ArrayList<>();
        new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed);
        feed.add(Slice.utf8("\1m"), new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value) {
                told.add("changed");
            }

            @Override
            public void missed() {
                told.add("missed");
            }
        });
        assertThat(feed.take()).isNull();
        new TendedService(new OrderedMapService(List.of()), wish -> {}, clock, feed);
        feed.tell(Objects.requireNonNull(feed.take()));
        assertThat(told).containsExactly("missed");
    }
}
