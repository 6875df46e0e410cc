package io.georep.geopaxos.core.map;

import static io.georep.geopaxos.core.map.MapFixture.entry;
import static io.georep.geopaxos.core.map.MapFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an ordered map does not let in, and what goes by itself. */
class ClockAndBoundsTest {
    private final MapFixture map = new MapFixture();

    /** The clock is a part of the state; times are counted from its next tick on, and half a second more. */
    @Test
    void theClockOfTheMapsGoesByTicks() {
        MapOperation put = new MapOperation.PutFor(entry("a", "1"), Guard.ABSENT, 10_000);
        assertThat(map.run(put)).isEqualTo(new MapResult.Written(true, null));
        assertThat(map.run(put)).isEqualTo(new MapResult.Written(false, Slice.utf8("1")));
        assertThat(map.service.hasMortals()).isTrue();
        assertThat(map.service.expired(11_999, 1)).isEmpty();
        assertThat(map.service.expired(12_000, 1)).hasSize(1);

        Slice me = Slice.utf8("me");
        assertThat(map.run(new MapOperation.Tick(0, 1_500, me))).isEqualTo(new MapResult.Written(true, null));
        assertThat(map.run(new MapOperation.Tick(0, 1_400, me))).isEqualTo(new MapResult.Written(false, null));
        assertThat(map.service.clock()).isEqualTo(new MapClock.Reading(1_500, me));
        map.run(new MapOperation.PutFor(entry("b", "2"), Guard.NONE, 1));
        map.put("a", "for good");
        assertThat(map.service.expired(3_500, 1)).isEmpty();
        assertThat(map.upkeep(3_501, 1)).isOne();
        assertThat(map.get("b")).isNull();
        assertThat(map.service.hasMortals()).isFalse();
    }

    /** Asked where an operation comes in. What makes the maps no larger is always taken. */
    @Test
    void fullMapsHaveNoRoomForMore() {
        OrderedMapService small = new OrderedMapService(
                List.of(Procedures.ROTATE, Procedures.LENGTHS, Procedures.MARKS, Procedures.FAILS), new Bounds(2, 100));
        Function<MapOperation, @Nullable String> noRoom = each -> small.noRoom(MapOperation.encode(each));
        Consumer<MapOperation> run = each -> small.execute(MapOperation.encode(each), map.births::put);
        run.accept(new MapOperation.PutFor(entry("a", "1"), Guard.NONE, 1));
        run.accept(new MapOperation.Tick(0, 1, Slice.utf8("me")));
        assertThat(small.entries()).isOne();
        assertThat(noRoom.apply(new MapOperation.Put(entry("b", "2"), Guard.NONE)))
                .isNull();
        run.accept(new MapOperation.Put(entry("b", "2"), Guard.NONE));

        assertThat(small.entries()).isEqualTo(2);
        assertThat(noRoom.apply(new MapOperation.Put(entry("c", "3"), Guard.NONE)))
                .contains("3 keys", "keysMax");
        assertThat(noRoom.apply(new MapOperation.PutFor(entry("c", "3"), Guard.NONE, 1)))
                .isNotNull();
        assertThat(noRoom.apply(new MapOperation.Put(entry("c", "3"), Guard.equalTo(Slice.EMPTY))))
                .as("without effect")
                .isNull();
        assertThat(noRoom.apply(Procedures.call(Procedures.MARKS, List.of(key("b"), key("c")))))
                .contains("3 keys", "keysMax");
        assertThat(noRoom.apply(Procedures.call(Procedures.ROTATE, List.of(key("b"), key("c")))))
                .as("one goes where one comes")
                .isNull();
        assertThat(noRoom.apply(Procedures.call(Procedures.FAILS, List.of(key("b"), key("c")))))
                .as("it says why itself")
                .isNull();
        assertThat(small.entries()).as("after these questions").isEqualTo(2);
        assertThat(noRoom.apply(Procedures.call(Procedures.LENGTHS, List.of(key("b"), key("c")))))
                .isNull();
        assertThat(noRoom.apply(new MapOperation.Put(entry("b", "x".repeat(100)), Guard.NONE)))
                .contains("bytesMax");
        assertThat(noRoom.apply(new MapOperation.Put(entry("b", "x".repeat(85)), Guard.NONE)))
                .isNull();
        run.accept(new MapOperation.Put(entry("b", "x".repeat(200)), Guard.NONE));
        assertThat(small.bytes()).isEqualTo(2 + 201 + 11);
        assertThat(noRoom.apply(new MapOperation.Put(entry("b", "x".repeat(200)), Guard.NONE)))
                .isNull();
        assertThat(noRoom.apply(new MapOperation.Put(entry("a", "2"), Guard.NONE)))
                .isNull();
        assertThat(noRoom.apply(new MapOperation.Remove(key("a"), Guard.NONE))).isNull();
        run.accept(new MapOperation.Remove(key("a"), Guard.NONE));
        assertThat(noRoom.apply(Procedures.call(Procedures.MARKS, List.of(key("c")))))
                .as("no byte is free")
                .contains("bytesMax");
    }

    /** The clock is in a leaf of its own site or of any other: that follows from nothing that an application has asked for. */
    @Test
    void whereKeysBelongIsDecidedByWhatApplicationsAskFor() {
        for (int i = 100; i < 300; i++) {
            map.run(new MapOperation.Put(entry("k" + i, ""), Guard.NONE));
            map.upkeep(0, 8);
        }
        assertThat(map.leaves()).hasSizeGreaterThan(1);
        MapEntry entry = entry("k299", "");
        MapOperation mortal = new MapOperation.PutFor(entry, Guard.NONE, 1);
        MapFixture.Use own = new MapFixture.Use(map.leaves().get(map.leaves().size() - 1).number, true);
        MapFixture.Use ofClock = new MapFixture.Use(map.leaves().get(0).number, false);

        assertThat(map.trace(mortal)).containsExactly(own, ofClock);
        assertThat(used(mortal)).containsExactly(own);
        assertThat(used(new MapOperation.Put(entry, Guard.NONE))).containsExactly(own);
        assertThat(used(new MapOperation.Tick(0, 1, Slice.utf8("me")))).isEmpty();
        assertThat(used(new MapOperation.Expire(1, List.of(entry.key())))).isEmpty();
    }

    private List<MapFixture.Use> used(MapOperation operation) {
        List<MapFixture.Use> uses = new ArrayList<>();
        map.service.traceUse(
                MapOperation.encode(operation), (leaf, write) -> uses.add(new MapFixture.Use(leaf, write)));
        return uses;
    }
}
