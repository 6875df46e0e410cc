package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What groups say of the keys that begin alike. */
class PageTest {
    private static final Slice PREFIX = Slice.utf8("card/");
    private static final Contact SOURCE = Contact.at(1, "a:1");

    private final OperationStore store = new OperationStore(new FleetRules(), new Outlet() {
        @Override
        public void send(Contact to, FleetMessage message) {}

        @Override
        public void answered(RequestId request, Outcome outcome) {}
    });
    private long places;

    private void add(FleetOperation.Kind kind, String key, int bytes) {
        Slice value = kind == FleetOperation.Kind.PUT ? Slice.of(new byte[bytes]) : null;
        FleetOperation operation = new FleetOperation(new RequestId(7, places), kind, Slice.utf8(key), value);
        store.add(new Event(new OrderKey(++places, SOURCE.id()), SOURCE, operation));
    }

    private List<Page> walk(Range range, long from, long last) {
        return walk(PREFIX, range, from, last);
    }

    private List<Page> walk(Slice prefix, Range range, long from, long last) {
        List<Page> pages = new ArrayList<>();
        Slice after = Slice.EMPTY;
        Page page;
        do {
            page = Page.read(Page.of(store, Page.question(from, after, last, prefix), range, OrderKey.LAST)
                    .write());
            pages.add(page);
            from = page.next();
            after = page.after();
        } while (!page.isLast() && range.has(from) && pages.size() < 1_000);
        return pages;
    }

    @Test
    void pagesHaveEachKeyWithAValueOnceInOrder() {
        for (int i = 0; i < 300; i++) {
            add(FleetOperation.Kind.PUT, "card/" + i, i % 50 == 0 ? FleetOperation.VALUE_BYTES_MAX : 300);
            add(FleetOperation.Kind.PUT, "other" + i, 10);
        }
        add(FleetOperation.Kind.REMOVE, "card/7", 0);
        List<Page> pages = walk(Range.ALL, 0, -1);

        assertThat(pages).hasSizeBetween(8, 20).allMatch(page -> page.write().length() <= Page.BYTES_MAX);
        List<Page.Entry> all = new ArrayList<>();
        pages.forEach(page -> all.addAll(page.entries()));
        assertThat(all).extracting(Page.Entry::key).doesNotHaveDuplicates().hasSize(299);
        assertThat(all).extracting(Page.Entry::key).allMatch(key -> Page.begins(key, PREFIX));
        assertThat(all)
                .extracting(entry -> FleetOperation.positionOf(entry.key()))
                .isSortedAccordingTo(Long::compareUnsigned);
    }

    /** Such keys may be made on purpose. These two have the same hash. */
    @Test
    void keysAtOnePositionAreInPagesAllOfThem() {
        Slice one = Slice.utf8("8yn0iYCKYHlIj4-BwPqk");
        Slice other = Slice.utf8("GReLUrM4wMqfg9yzV3KQ");
        assertThat(FleetOperation.positionOf(one)).isEqualTo(FleetOperation.positionOf(other));
        add(FleetOperation.Kind.PUT, "8yn0iYCKYHlIj4-BwPqk", FleetOperation.VALUE_BYTES_MAX);
        add(FleetOperation.Kind.PUT, "GReLUrM4wMqfg9yzV3KQ", FleetOperation.VALUE_BYTES_MAX);
        List<Page> pages = walk(Slice.EMPTY, Range.ALL, 0, -1);

        assertThat(pages.stream().flatMap(page -> page.entries().stream()))
                .extracting(Page.Entry::key)
                .containsExactly(one, other);
    }

    /** The reader takes no longer ones, and would refuse the node that sends them. */
    @Test
    void aPageIsNeverTooLongWhateverTheKeyIsBehindWhichTheNextOneBegins() {
        String tail = "x".repeat(FleetOperation.KEY_BYTES_MAX - 20);
        String one = "8yn0iYCKYHlIj4-BwPqk" + tail;
        String other = "GReLUrM4wMqfg9yzV3KQ" + tail;
        assertThat(FleetOperation.positionOf(Slice.utf8(one))).isEqualTo(FleetOperation.positionOf(Slice.utf8(other)));
        String before = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "b" + i)
                .filter(key -> Long.compareUnsigned(
                                FleetOperation.positionOf(Slice.utf8(key)), FleetOperation.positionOf(Slice.utf8(one)))
                        < 0)
                .findFirst()
                .orElseThrow();
        int splits = 0;
        for (int bytes = 7_000; bytes <= FleetOperation.VALUE_BYTES_MAX; bytes += 10) {
            add(FleetOperation.Kind.PUT, before, 8_000);
            add(FleetOperation.Kind.PUT, one, bytes);
            add(FleetOperation.Kind.PUT, other, bytes);
            List<Page> pages = walk(Slice.EMPTY, Range.ALL, 0, -1);
            assertThat(pages).allMatch(page -> page.write().length() <= Page.BYTES_MAX);
            assertThat(pages.stream().mapToInt(page -> page.entries().size()).sum())
                    .isEqualTo(3);
            splits += pages.stream().anyMatch(page -> page.after().length() > 0) ? 1 : 0;
        }
        assertThat(splits).isPositive();
    }

    @Test
    void aPageHasNothingThatComesBehindItsPlace() {
        add(FleetOperation.Kind.PUT, "card/1", 10);
        add(FleetOperation.Kind.PUT, "card/2", 20);
        Slice question = Page.question(0, Slice.EMPTY, -1, PREFIX);

        assertThat(Page.of(store, question, Range.ALL, new OrderKey(1, SOURCE.id()))
                        .entries())
                .extracting(Page.Entry::key)
                .containsExactly(Slice.utf8("card/1"));
    }

    @Test
    void aGroupAnswersForItsRangeAndSaysWhereTheNextOneBegins() {
        for (int i = 0; i < 100; i++) {
            add(FleetOperation.Kind.PUT, "card/" + i, 10);
        }
        Range quarter = Range.around(1L << 62, 2);
        Page page = Page.of(store, Page.question(1L << 62, Slice.EMPTY, -1, PREFIX), quarter, OrderKey.LAST);
        assertThat(page.isLast()).isFalse();
        assertThat(page.next()).isEqualTo(1L << 63);
        assertThat(page.entries()).hasSizeBetween(10, 40);

        Range last = Range.around(-1, 2);
        assertThat(Page.of(store, Page.question(last.start(), Slice.EMPTY, -1, PREFIX), last, OrderKey.LAST)
                        .isLast())
                .isTrue();
        Page part = Page.of(
                store,
                Page.question(1L << 62, Slice.EMPTY, (1L << 62) + (1L << 60) - 1, PREFIX),
                quarter,
                OrderKey.LAST);
        assertThat(part.isLast()).isTrue();
        assertThat(part.entries()).hasSizeLessThan(page.entries().size());
    }

    @Test
    void aPageIsCutShortWhenTooManyKeysBeginOtherwise() {
        for (int i = 0; i < 10_000; i++) {
            add(FleetOperation.Kind.PUT, "other" + i, 1);
        }
        long before = store.visited();
        Page page = Page.of(store, Page.question(0, Slice.EMPTY, -1, PREFIX), Range.ALL, OrderKey.LAST);

        assertThat(page.isLast()).isFalse();
        assertThat(page.entries()).isEmpty();
        assertThat(store.visited() - before).isEqualTo(Page.KEYS_MAX + 1);
        assertThat(walk(Range.ALL, 0, -1)).hasSize(3);
    }

    @Test
    void aQuestionWithoutPositionsIsRefused() {
        assertThatThrownBy(() ->
                        new FleetOperation(new RequestId(1, 1), FleetOperation.Kind.LIST, Slice.utf8("short"), null))
                .isInstanceOf(MalformedException.class);
    }

    /** Otherwise who passes it on would be refused by the next node, in place of its author. */
    @Test
    void aQuestionIsReadWholeByWhoHearsItFirst() {
        Slice span = new BinWriter().i64(1).i64(2).toSlice();
        Slice cut = new BinWriter().raw(span).u8(100).u8(1).toSlice();
        Slice endless = new BinWriter().raw(span).u8(0x80).toSlice();
        Slice longPrefix = Page.question(1, Slice.EMPTY, 2, Slice.of(new byte[FleetOperation.KEY_BYTES_MAX + 1]));
        for (Slice key : List.of(span, cut, endless, longPrefix)) {
            BinWriter out = new BinWriter();
            FleetOperation question = new FleetOperation(new RequestId(1, 1), FleetOperation.Kind.LIST, key, null);
            EventCodec.event(out, new Event(new OrderKey(1, 7), Contact.at(7, "a:1"), question));
            assertThatThrownBy(() -> EventCodec.readEvent(new BinReader(out.toSlice())))
                    .as("%s", key)
                    .isInstanceOf(MalformedException.class);
        }
    }

    /** From any node, of groups that it is not in, while nodes are replaced. */
    @Test
    void aNodeHearsOfTheKeysOfAllGroups() {
        Map<Slice, OrderKey> put = new HashMap<>();
        Map<Slice, OrderKey> found = new HashMap<>();
        boolean[] isEnded = new boolean[1];
        FleetRun run = new FleetRun();
        run.nodes = 60;
        run.rate = 0;
        run.millis = 40_000;
        run.script = fleet -> {
            if (fleet.now >= 3_000 && fleet.now < 9_000 && fleet.now % 100 == 0) {
                FleetOperation operation = fleet.operation(FleetOperation.Kind.PUT, Slice.utf8("card/" + fleet.now));
                fleet.submit(fleet.any(), operation, FleetConsistency.ORDERED, OrderKey.FIRST, 1, outcome -> {
                    put.put(operation.key(), outcome.place());
                });
            } else if (fleet.now > 9_000 && fleet.now < 30_000 && fleet.now % 1_000 == 0) {
                Member victim = fleet.any();
                if (victim != fleet.members.get(0)) {
                    fleet.replace(victim);
                }
            } else if (fleet.now == 14_500) {
                ask(fleet, fleet.members.get(0), Page.question(0, Slice.EMPTY, -1, PREFIX), found, isEnded);
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();

        assertThat(fleet.members.get(0).node.group().range().depth())
                .as("there are several groups")
                .isPositive();
        assertThat(judge.answers.wrong).isEmpty();
        assertThat(isEnded[0]).isTrue();
        assertThat(put).hasSizeGreaterThan(50);
        assertThat(found).isEqualTo(put);
    }

    /** It passes by at nobody. */
    @Test
    void whatWasPutPastTheOrderAMomentAgoIsInAPage() {
        Map<Slice, OrderKey> put = new HashMap<>();
        Map<Slice, OrderKey> found = new HashMap<>();
        boolean[] isEnded = new boolean[1];
        FleetRun run = new FleetRun();
        run.nodes = 40;
        run.rate = 0;
        run.lan = true;
        run.millis = 12_000;
        run.script = fleet -> {
            if (fleet.now == 9_000) {
                FleetOperation operation = fleet.operation(FleetOperation.Kind.PUT, Slice.utf8("card/new"));
                fleet.submit(fleet.any(), operation, FleetConsistency.ANY, OrderKey.FIRST, 1, outcome -> {
                    put.put(operation.key(), outcome.place());
                    ask(fleet, fleet.members.get(0), Page.question(0, Slice.EMPTY, -1, PREFIX), found, isEnded);
                });
            }
        };
        new FleetSimulation(run).run();

        assertThat(isEnded[0]).isTrue();
        assertThat(put).hasSize(1);
        assertThat(found).isEqualTo(put);
    }

    /** Before that, changes pass it by that are in no page yet. */
    @Test
    void aNodeThatJoinsMissesNothingFromWhenItSaysSo() {
        Map<Slice, OrderKey> early = new HashMap<>();
        Map<Slice, OrderKey> found = new HashMap<>();
        boolean[] isEnded = new boolean[1];
        Member[] fresh = new Member[1];
        long[] hearsAt = new long[1];
        FleetRun run = new FleetRun();
        run.nodes = 60;
        run.rate = 0;
        run.skew = 100;
        run.millis = 36_000;
        run.script = fleet -> {
            if (fleet.now >= 5_000 && fleet.now < 24_000 && fleet.now % 50 == 0) {
                Member any = fleet.members.get(1 + fleet.random.nextInt(59));
                FleetOperation operation = fleet.operation(FleetOperation.Kind.PUT, Slice.utf8("card/" + fleet.now));
                fleet.submit(any, operation, FleetConsistency.ORDERED, OrderKey.FIRST, 1, outcome -> {});
            }
            if (fleet.now == 10_000) {
                fleet.replace(fleet.members.get(0));
                fresh[0] = fleet.members.get(60);
            } else if (fleet.now == 10_200) {
                assertThat(fresh[0].node.hearsAll()).isFalse();
                ask(fleet, fresh[0], Page.question(0, Slice.EMPTY, -1, PREFIX), early, isEnded);
            } else if (fleet.now > 10_200 && hearsAt[0] == 0 && fresh[0].node.hearsAll()) {
                hearsAt[0] = fleet.now;
                ask(fleet, fresh[0], Page.question(0, Slice.EMPTY, -1, PREFIX), found, isEnded);
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        Set<Slice> made = new HashSet<>();
        judge.made().stream().filter(FleetOperation::changes).forEach(each -> made.add(each.key()));
        early.keySet().forEach(key -> assertThat(made).contains(key));
        Set<Slice> missing = new HashSet<>(made);
        missing.removeAll(judge.deliveredKeys(fresh[0]));
        assertThat(made).hasSizeGreaterThan(300);
        assertThat(missing.size()).as("what it did not deliver").isGreaterThan(50);
        Set<Slice> missingAtFirst = new HashSet<>(missing);
        missingAtFirst.removeAll(early.keySet());
        missing.removeAll(found.keySet());

        assertThat(hearsAt[0]).isBetween(14_000L, 20_000L);
        assertThat(missingAtFirst).as("what passed by between").isNotEmpty();
        assertThat(missing).isEmpty();
    }

    private static void ask(
            FleetSimulation fleet, Member at, Slice question, Map<Slice, OrderKey> found, boolean[] isEnded) {
        FleetOperation operation =
                new FleetOperation(new RequestId(8, fleet.random.nextLong()), FleetOperation.Kind.LIST, question, null);
        fleet.submit(at, operation, FleetConsistency.CONVERGING, OrderKey.FIRST, 1, outcome -> {
            if (outcome.status() == Outcome.Status.UNSURE) {
                ask(fleet, at, question, found, isEnded); // as who asks would
                return;
            }
            Page page = Page.read(outcome.value());
            page.entries().forEach(entry -> found.put(entry.key(), entry.version()));
            isEnded[0] = page.isLast();
            if (!page.isLast()) {
                ask(fleet, at, Page.question(page.next(), page.after(), -1, PREFIX), found, isEnded);
            }
        });
    }
}
