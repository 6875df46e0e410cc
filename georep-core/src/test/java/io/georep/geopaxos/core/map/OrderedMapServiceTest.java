package io.georep.geopaxos.core.map;

import static io.georep.geopaxos.core.map.MapFixture.entry;
import static io.georep.geopaxos.core.map.MapFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Service;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An ordered map: what single operations do, and what they use. */
class OrderedMapServiceTest {
    private final MapFixture map = new MapFixture();

    private static String name(int number) {
        return "k%05d".formatted(number);
    }

    private void fill(int entries) {
        for (int i = 0; i < entries; i++) {
            map.put(name(i), "v" + i);
        }
        while (map.upkeep(0, 100) > 0) {
            map.check();
        }
    }

    private List<String> scan(MapOperation.Scan scan) {
        return ((MapResult.Page) map.run(scan))
                .entries().stream().map(entry -> MapFixture.text(entry.key())).toList();
    }

    @Test
    void guardsDecide() {
        assertThat(map.run(new MapOperation.Put(entry("a", "1"), Guard.equalTo(Slice.EMPTY))))
                .isEqualTo(new MapResult.Written(false, null));
        assertThat(map.run(new MapOperation.Put(entry("a", "1"), Guard.ABSENT)))
                .isEqualTo(new MapResult.Written(true, null));
        assertThat(map.run(new MapOperation.Put(entry("a", "2"), Guard.ABSENT)))
                .isEqualTo(new MapResult.Written(false, Slice.utf8("1")));
        assertThat(map.run(new MapOperation.Put(entry("a", "2"), Guard.equalTo(Slice.utf8("1")))))
                .isEqualTo(new MapResult.Written(true, null));
        assertThat(map.run(new MapOperation.Remove(key("a"), Guard.equalTo(Slice.utf8("1")))))
                .isEqualTo(new MapResult.Written(false, Slice.utf8("2")));
        assertThat(map.get("a")).isEqualTo("2");
        assertThat(map.run(new MapOperation.Remove(key("a"), Guard.NONE))).isEqualTo(new MapResult.Written(true, null));
        assertThat(map.run(new MapOperation.Remove(key("a"), Guard.NONE)))
                .isEqualTo(new MapResult.Written(false, null));
    }

    @Test
    void neighboursAndEnds() {
        fill(200);

        assertThat(scan(MapOperation.Scan.next(key(name(63)), null))).containsExactly(name(64));
        assertThat(scan(MapOperation.Scan.next(key(name(199)), null))).isEmpty();
        assertThat(scan(MapOperation.Scan.next(key(name(63)), key(name(64))))).isEmpty();
        assertThat(scan(MapOperation.Scan.previous(Slice.EMPTY, key(name(64))))).containsExactly(name(63));
        assertThat(scan(MapOperation.Scan.previous(Slice.EMPTY, key(name(0))))).isEmpty();
        assertThat(scan(new MapOperation.Scan(Slice.EMPTY, null, 1, false))).containsExactly(name(0));
        assertThat(scan(new MapOperation.Scan(Slice.EMPTY, null, 1, true))).containsExactly(name(199));
        assertThat(map.run(new MapOperation.Count(key(name(10)), key(name(150)))))
                .isEqualTo(new MapResult.Counted(140));
    }

    @Test
    void pagesEndWhereTheyAreFull() {
        String large = "x".repeat(60 * 1024);
        for (int i = 0; i < 10; i++) {
            map.put(name(i), large);
        }

        MapResult.Page page = (MapResult.Page) map.run(new MapOperation.Scan(Slice.EMPTY, null, 100, false));
        assertThat(page.entries()).hasSize(4);
        assertThat(page.more()).isTrue();
        page = (MapResult.Page) map.run(new MapOperation.Scan(key(name(4)), null, 5, false));
        assertThat(page.entries()).hasSize(4);
        page = (MapResult.Page) map.run(new MapOperation.Scan(key(name(8)), null, 2, false));
        assertThat(page.more()).isTrue();
        page = (MapResult.Page) map.run(new MapOperation.Scan(key(name(8)), null, 3, false));
        assertThat(page.entries()).hasSize(2);
        assertThat(page.more()).isFalse();
    }

    @Test
    void anOperationUsesTheLeavesItPasses() {
        fill(400);
        List<Leaf> leaves = map.leaves();
        assertThat(leaves).hasSizeGreaterThan(8);
        // Empties all but the outer ones, and does not join them.
        for (Leaf leaf : leaves.subList(1, leaves.size() - 1)) {
            for (int place = 0; place < leaf.size(); place++) {
                map.run(new MapOperation.Remove(leaf.key(place), Guard.NONE));
            }
        }
        Slice last = leaves.get(0).key(leaves.get(0).size() - 1);
        List<MapFixture.Use> all = leaves.stream()
                .map(leaf -> new MapFixture.Use(leaf.number, false))
                .toList();

        assertThat(map.trace(MapOperation.Scan.next(last, null))).isEqualTo(all);
        assertThat(map.trace(MapOperation.Scan.next(last, null), 3)).isEqualTo(all.subList(0, 3));
        assertThat(map.trace(new MapOperation.Scan(Slice.EMPTY, null, 1, false)))
                .isEqualTo(all.subList(0, 1));
        assertThat(map.trace(new MapOperation.Get(last))).isEqualTo(all.subList(0, 1));
        assertThat(map.trace(new MapOperation.Remove(last, Guard.ABSENT)))
                .containsExactly(new MapFixture.Use(leaves.get(0).number, true));
        assertThat(map.trace(new MapOperation.Merge(leaves.get(0).number, leaves.get(1).number)))
                .containsExactly(
                        new MapFixture.Use(leaves.get(0).number, true), new MapFixture.Use(leaves.get(1).number, true));
        assertThat(map.trace(new MapOperation.Merge(leaves.get(0).number, leaves.get(2).number)))
                .as("not neighbours: only the first is looked at")
                .containsExactly(new MapFixture.Use(leaves.get(0).number, true));
        assertThat(map.trace(new MapOperation.Split(12345, 0, 2))).isEmpty();
        assertThat(map.trace(Procedures.call(Procedures.LENGTHS, List.of(last, Slice.EMPTY))))
                .isEqualTo(all.subList(0, 1));
    }

    /** A queue in order of time: what is emptied does not stay, or the first entry were behind ever more leaves. */
    @Test
    void leavesThatWereEmptiedGo() {
        int most = 0;
        for (int i = 0; i < 20_000; i++) {
            map.put(name(i), "");
            if (i >= 300) {
                map.run(new MapOperation.Remove(key(name(i - 300)), Guard.NONE));
            }
            if (i % 20 == 0) {
                map.upkeep(0, 10);
            }
            most = Math.max(most, map.leaves().size());
        }
        assertThat(most).isLessThan(25);
        map.check();
        for (int i = 0; i < 20_000; i++) {
            map.run(new MapOperation.Remove(key(name(i)), Guard.NONE));
        }
        while (map.upkeep(0, 10) > 0) {
            map.check();
        }
        assertThat(map.leaves()).hasSize(1);
    }

    @Test
    void crowdedLeavesAreDividedIntoAsManyAsItTakes() {
        for (int i = 0; i < 1_000; i++) {
            map.put(name(i), "v" + i);
        }
        assertThat(map.leaves()).hasSize(1);

        MapOperation.Split split = map.leaves().get(0).split();
        assertThat(map.run(new MapOperation.Split(Leaf.FIRST, 1, 2))).isEqualTo(new MapResult.Counted(0));
        assertThat(map.run(split)).isEqualTo(new MapResult.Counted(31));
        assertThat(map.run(split)).isEqualTo(new MapResult.Counted(0));

        assertThat(map.leaves())
                .hasSize(32)
                .allSatisfy(leaf -> assertThat(leaf.size()).isBetween(Leaf.CAPACITY / 4 + 1, Leaf.CAPACITY / 2));
        assertThat(map.births)
                .hasSize(31)
                .allSatisfy((born, from) -> assertThat(from).isEqualTo(Leaf.FIRST));
        assertThat(map.service.footprint(MapOperation.encode(split)).objects())
                .hasSize(32)
                .contains(Leaf.FIRST)
                .contains(map.births.keySet().toArray(Long[]::new));
        assertThat(map.upkeep(0, 10)).isZero();
        map.check();
    }

    /** The keys of one of them would change groups, and both groups would have to order it. */
    @Test
    void leavesOfDifferentGroupsAreNotJoined() {
        fill(100);
        for (int i = 0; i < 100; i++) {
            map.run(new MapOperation.Remove(key(name(i)), Guard.NONE));
        }
        Service.Births all = MapFixture.groups((one, other) -> true);
        Service.Births none = MapFixture.groups((one, other) -> false);
        assertThat(map.copy().service.upkeep(10, all)).isNotEmpty();
        assertThat(map.service.upkeep(10, none)).isEmpty();
    }

    /** An operation that names a leaf must not find another one. */
    @Test
    void numbersAreNotUsedAgain() {
        fill(100);
        List<Long> ever = new ArrayList<>();
        for (int round = 0; round < 50; round++) {
            map.births.clear();
            fill(100);
            ever.addAll(map.births.keySet());
            for (int i = 0; i < 100; i++) {
                map.run(new MapOperation.Remove(key(name(i)), Guard.NONE));
            }
            while (map.upkeep(0, 10) > 0) {
                map.check();
            }
        }
        assertThat(ever).hasSizeGreaterThan(50).doesNotHaveDuplicates();
    }

    @Test
    void entriesExpireByOperationsOnly() {
        map.run(new MapOperation.Put(new MapEntry(key("a"), Slice.EMPTY, 100), Guard.NONE));
        map.run(new MapOperation.Put(new MapEntry(key("b"), Slice.EMPTY, 200), Guard.NONE));
        map.put("c", "");

        assertThat(map.upkeep(99, 10)).isZero();
        assertThat(map.upkeep(100, 10)).isOne();
        assertThat(map.get("a")).isNull();
        assertThat(map.get("b")).isEmpty();
        assertThat(map.run(new MapOperation.Expire(199, List.of(key("b"), key("c")))))
                .isEqualTo(new MapResult.Counted(0));
        map.put("b", "for good");
        assertThat(map.upkeep(1_000, 10)).isZero();
        assertThat(map.get("b")).isEqualTo("for good");
        assertThatThrownBy(() -> new MapEntry(key("a"), Slice.EMPTY, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFailedProcedureHasNoEffect() {
        fill(100);
        Slice before = GeoAudit.state(map.service);
        List<Slice> keys = List.of(key(name(3)), key(name(90)), key("elsewhere, too"));

        for (Procedure procedure :
                List.of(Procedures.FAILS, Procedures.STRAYS, Procedures.WRITES_WHAT_IT_READS, Procedures.TALKS)) {
            assertThat(map.run(Procedures.call(procedure, keys)))
                    .as(procedure.name())
                    .isInstanceOf(MapResult.Failed.class);
        }

        assertThat(GeoAudit.state(map.service)).isEqualTo(before);
        assertThat(map.run(Procedures.call(Procedures.ROTATE, keys)))
                .isEqualTo(new MapResult.Returned(Slice.utf8("rotated 3")));
        assertThat(map.get("elsewhere, too")).isEqualTo("v90");
        assertThat(map.get(name(90))).isEqualTo("v3");
        assertThat(map.get(name(3))).isNull();
    }

    /** An exception whose message throws as well is a failure as any other. */
    @Test
    void aFailureThatCannotSayWhatItIsIsOne() {
        Procedure unspeakable = new Procedure() {
            @Override
            public String name() {
                return "unspeakable";
            }

            @Override
            public int version() {
                return 1;
            }

            @Override
            public Keys keys(Slice argument) {
                return new Keys(List.of(), List.of());
            }

            @Override
            public Slice execute(View view, Slice argument) {
                throw new RuntimeException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException();
                    }
                };
            }
        };
        OrderedMapService service = new OrderedMapService(List.of(unspeakable));
        Slice call = MapOperation.encode(new MapOperation.Call("unspeakable", 1, Slice.EMPTY));

        assertThat(MapResult.decode(service.execute(call, map.births::put))).isInstanceOf(MapResult.Failed.class);
    }

    @Test
    void whatThisNodeCannotExecuteStopsIt() {
        Slice missing = MapOperation.encode(new MapOperation.Call("rotate", 2, Slice.EMPTY));
        Slice keysThatCannotBeRead = MapOperation.encode(new MapOperation.Call("rotate", 1, Slice.utf8("x")));

        assertThat(map.service.refusal(missing)).isEqualTo("no procedure rotate/2");
        assertThat(map.service.refusal(keysThatCannotBeRead)).contains("MalformedException");
        assertThat(map.service.refusal(Slice.of(new byte[] {77}))).contains("kind 77");
        assertThat(map.service.refusal(MapOperation.encode(Procedures.call(Procedures.FAILS, List.of()))))
                .isNull();
        assertThat(map.service.procedures()).startsWith("fails/1", "follows/1").hasSize(7);

        assertThatThrownBy(() -> map.service.execute(missing, map.births::put))
                .isInstanceOf(MissingProcedureError.class);
        assertThat(MapResult.decode(map.service.execute(keysThatCannotBeRead, map.births::put)))
                .isInstanceOf(MapResult.Failed.class);
        assertThat(map.trace(MapOperation.decode(keysThatCannotBeRead))).isEmpty();
    }

    private static void load(MapFixture into, List<Service.Content> contents) {
        Service.Loading loading = into.service.load();
        contents.forEach(each -> loading.add(each.object(), each.bytes()));
        loading.finish();
    }

    @Test
    void snapshotsAreOfOneMoment() {
        fill(1_000);
        map.run(new MapOperation.Put(new MapEntry(key(name(7)), Slice.utf8("mortal"), 5), Guard.NONE));
        Slice whole = GeoAudit.state(map.service);
        MapFixture before = map.copy();
        Iterator<Service.Content> contents = map.service.contents();
        Service.Content first = contents.next();
        fill(3_000);
        List<Service.Content> read = new ArrayList<>(List.of(first));
        contents.forEachRemaining(read::add);
        assertThat(read).hasSizeGreaterThan(10);

        MapFixture other = new MapFixture();
        Collections.reverse(read);
        load(other, read);

        assertThat(GeoAudit.state(other.service)).isEqualTo(whole);
        other.check();
        assertThat(other.upkeep(5, 10)).isOne();
        assertThat(other.get(name(7))).isNull();
        GeoAudit.copy(before.service, map.service);
        assertThat(map.upkeep(5, 10)).isOne();
        assertThat(GeoAudit.state(map.service)).isEqualTo(GeoAudit.state(other.service));
        // What is split later gets the same numbers: how often a leaf was split is part of the state.
        fill(2_000);
        IntStream.range(0, 2_000).forEach(i -> other.put(name(i), "v" + i));
        while (other.upkeep(0, 100) > 0) {
            other.check();
        }
        assertThat(GeoAudit.state(map.service)).isEqualTo(GeoAudit.state(other.service));
    }

    @Test
    void damagedSnapshotsAreRefused() {
        fill(200);
        Slice whole = GeoAudit.state(map.service);
        List<Service.Content> all = new ArrayList<>();
        map.service.contents().forEachRemaining(all::add);
        Service.Content first = all.get(0);
        Service.Content second = all.get(1);
        Slice less = new Slice(second.bytes().array(), 0, second.bytes().length() - 1);

        for (List<Service.Content> bad : List.of(
                List.<Service.Content>of(),
                List.of(second),
                List.of(first, second, second),
                List.of(first, new Service.Content(first.object(), second.bytes())),
                List.of(first, new Service.Content(second.object(), less)))) {
            assertThatThrownBy(() -> load(map, bad)).isInstanceOf(MalformedException.class);
        }
        assertThat(GeoAudit.state(map.service)).isEqualTo(whole);
    }

    @Test
    void footprintsAreFunctionsOfTheOperation() {
        Slice put = MapOperation.encode(new MapOperation.Put(entry("a", "1"), Guard.NONE));
        Slice get = MapOperation.encode(new MapOperation.Get(key("a")));

        assertThat(map.service.footprint(put).writes())
                .hasSize(1)
                .isEqualTo(map.service.footprint(get).reads());
        assertThat(map.service.footprint(MapOperation.encode(new MapOperation.Count(Slice.EMPTY, null))))
                .isSameAs(Footprint.EVERYTHING);
        assertThat(map.service
                        .footprint(MapOperation.encode(new MapOperation.Merge(3, 4)))
                        .objects())
                .containsExactly(3, 4);
        assertThat(map.service
                        .footprint(MapOperation.encode(Procedures.call(Procedures.ROTATE, List.of(key("a"), key("b")))))
                        .writes())
                .hasSize(2);
    }

    /** Callers ask on any thread, so that must touch nothing that belongs to one: here what was read last. */
    @Test
    void whetherACallMayBeIsAskedOnAnyThread() {
        Slice operation = MapOperation.encode(Procedures.call(Procedures.ROTATE, List.of(Slice.utf8("a"))));
        Footprint read = map.service.footprint(operation);
        assertThat(map.service.refusal(Procedures.call(Procedures.FAILS, List.of())))
                .isNull();
        assertThat(map.service.footprint(operation)).isSameAs(read);
    }
}
