package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** One node, and what somebody may send it whom it has not asked. */
class StrangersTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final Contact OTHER = new Contact(2, "b:1", -1L << 50, 0);
    private static final String LIAR = "liar:1";

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<FleetMessage> sent = new ArrayList<>();
    private final List<Outcome> told = new ArrayList<>();
    private final FleetSettings settings = FleetSettings.hardened(1_000);
    private final FleetNode node =
            new FleetNode(new Contact(1, "a:1", 1L << 50, 0), settings, random::nextLong, new Outlet() {
                @Override
                public void send(Contact to, FleetMessage message) {
                    sent.add(message);
                }

                @Override
                public void answered(RequestId request, Outcome outcome) {
                    told.add(outcome);
                }
            });

    private void hears(String from, long now, FleetMessage message) {
        node.onMessage(from, message, now, WALL + now);
    }

    private void runs(long from, long to) {
        for (long now = from; now <= to; now += 25) {
            node.onTimer(now, WALL + now);
        }
    }

    private static FleetOperation put(int number, int bytes) {
        return new FleetOperation(
                new RequestId(7, number),
                FleetOperation.Kind.PUT,
                Slice.utf8("key" + number),
                Slice.of(new byte[bytes]));
    }

    /** Otherwise it would say that values are not there which it has not got yet. */
    @Test
    void theWordOfSomebodyWhomItHasNotAskedMakesNobodyComplete() {
        node.start(List.of(OTHER), false, 0, 0, WALL);
        OrderKey bound = node.coverage().boundOf(Range.ALL);
        FleetMessage.Same same = new FleetMessage.Same(Range.ALL, bound, true);
        hears(LIAR, 100, same);
        hears("liar:2", 100, same);
        assertThat(node.coverage().covers(Range.ALL)).isFalse();
        assertThat(node.status(0).refused()).isEqualTo(2);

        runs(200, 1_500);
        assertThat(sent).hasAtLeastOneElementOfType(FleetMessage.Digest.class);
        hears(LIAR, 1_600, same);
        assertThat(node.coverage().covers(Range.ALL)).isFalse();
        hears(OTHER.address(), 1_600, same);
        assertThat(node.coverage().covers(Range.ALL)).isTrue();
    }

    /** It asks the node first, which asks it back about parts of what differs. */
    @Test
    void norDoesTheWordOfSomebodyWhoHasAskedIt() {
        hasOperations(20_000, 5_000, 1, List.of(OTHER), false);
        runs(25, 200);
        OrderKey bound = node.coverage().boundOf(Range.ALL);
        Long[] hashes = new Long[KeyTree.SLICES];
        Arrays.fill(hashes, 1L);
        for (String liar : List.of(LIAR, "liar:2")) {
            sent.clear();
            hears(
                    liar,
                    300,
                    new FleetMessage.Digest(Contact.at(9, liar), Range.ALL, OrderKey.FIRST, HOUR_AGO, List.of(hashes)));
            hears(
                    liar,
                    300,
                    new FleetMessage.Digest(
                            Contact.at(9, liar),
                            Range.ALL,
                            OrderKey.FIRST,
                            new OrderKey(FleetClock.timeOf(WALL - 60_000), 0),
                            List.of(hashes)));
            assertThat(sent).as("it asks back").hasAtLeastOneElementOfType(FleetMessage.Digest.class);
            hears(liar, 300, new FleetMessage.Same(Range.ALL, bound, true));
        }

        assertThat(node.coverage().covers(Range.ALL)).isFalse();
    }

    /** A quorum is of so many members. */
    @Test
    void aMemberThatAnswersAgainAndAgainCountsOnce() {
        node.start(List.of(OTHER), false, 0, 0, WALL);
        FleetOperation get = new FleetOperation(new RequestId(7, 1), FleetOperation.Kind.GET, Slice.utf8("k"), null);
        node.submit(get, FleetConsistency.ORDERED, OrderKey.FIRST, 2, 10_000, 100, WALL + 100);
        Outcome wrong = new Outcome(Outcome.Status.FOUND, new OrderKey(1, 1), Slice.utf8("lie"), OrderKey.FIRST);
        hears(LIAR, 200, new FleetMessage.Answer(get.request(), wrong));
        hears(LIAR, 300, new FleetMessage.Answer(get.request(), wrong));
        assertThat(told).isEmpty();

        hears(OTHER.address(), 300, new FleetMessage.Answer(get.request(), wrong));
        assertThat(told).containsExactly(wrong);
    }

    @Test
    void whoAsksForMuchByNameIsSentOneBall() {
        node.start(List.of(), true, 0, 0, WALL);
        List<Long> names = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            OrderKey place =
                    node.submit(put(i, 4_000), FleetConsistency.ORDERED, OrderKey.FIRST, 1, 10_000, 100, WALL + 100);
            names.addAll(Collections.nCopies(50, place.hash()));
        }
        sent.clear();
        hears(LIAR, 200, new FleetMessage.Want(LIAR, names));

        assertThat(sent).hasSize(1);
        assertThat(((Ball) sent.get(0)).size()).isBetween(8, 12);
    }

    @Test
    void madeUpSourcesOfOneNeighbourTakeNoMoreThanItsShare() {
        node.start(List.of(), true, 0, 0, WALL);
        for (int i = 0; i < 4_000; i++) {
            Contact source = Contact.at(1_000 + i, LIAR);
            OrderKey place = new OrderKey(FleetClock.timeOf(WALL + 100), source.id());
            Event lie = new Event(place, source, put(i, FleetOperation.VALUE_BYTES_MAX));
            hears(LIAR, 100, new Ball(List.of(lie), new long[1]));
        }
        assertThat(node.epidemic().bytes()).isBetween(Room.SHARE_MAX / 2, Room.SHARE_MAX);
        long refused = node.status(0).refused();
        assertThat(refused).isGreaterThan(2_000);

        OrderKey honest = new OrderKey(FleetClock.timeOf(WALL + 150), OTHER.id());
        hears(OTHER.address(), 200, new Ball(List.of(new Event(honest, OTHER, put(5_000, 10))), new long[] {50}));
        assertThat(node.epidemic().find(honest)).isNotNull();
        assertThat(node.status(0).refused()).isEqualTo(refused);

        runs(225, 12_000);
        assertThat(node.epidemic().bytes()).as("what was forgotten").isZero();
    }

    private static Event from(Contact source, int number) {
        return new Event(new OrderKey(FleetClock.timeOf(WALL + 100) + number, source.id()), source, put(number, 10));
    }

    private void hearsAll(String from, Contact source, int first, int count) {
        for (int i = first; i < first + count; i++) {
            hears(from, 100, new Ball(List.of(from(source, i)), new long[1]));
        }
    }

    /** Otherwise a liar decides whose operations others take. */
    @Test
    void whoNamesAnotherNodeAsTheSourceTakesNothingFromIt() {
        node.start(List.of(), true, 0, 0, WALL);
        hearsAll(LIAR, OTHER, 0, 600);
        assertThat(node.status(0).refused()).as("beyond 512 of one source").isEqualTo(88);

        hearsAll(OTHER.address(), OTHER, 1_000, 10);
        assertThat(node.epidemic().find(from(OTHER, 1_009).key())).isNotNull();
        assertThat(node.status(0).refused()).isEqualTo(88);
    }

    /** Of its own events it knows all that it can be told of. */
    @Test
    void aNodeTakesNoEventThatItIsSaidToHaveMade() {
        node.start(List.of(), true, 0, 0, WALL);
        hearsAll(LIAR, node.self(), 0, 600);
        assertThat(node.epidemic().find(from(node.self(), 1).key())).isNull();
        assertThat(node.status(0).refused()).isEqualTo(600);
        assertThat(node.isFull()).isFalse();

        OrderKey own = node.submit(put(700, 10), FleetConsistency.ORDERED, OrderKey.FIRST, 1, 10_000, 200, WALL + 200);
        Event event = node.epidemic().find(own);
        assertThat(event).isNotNull();
        hears(OTHER.address(), 300, new Ball(List.of(event), new long[] {100}));
        assertThat(node.status(0).refused()).as("it comes back").isEqualTo(600);
    }

    private static FleetMessage.Errand list(OrderKey after, int number) {
        FleetOperation list = new FleetOperation(
                new RequestId(9, number),
                FleetOperation.Kind.LIST,
                Page.question(0, Slice.EMPTY, -1, Slice.utf8("key")),
                null);
        return new FleetMessage.Errand(
                new Event(new OrderKey(FleetClock.timeOf(WALL), OTHER.id()), OTHER, list), after, false, false, 0);
    }

    /** A node beside it brings those of many others. */
    @Test
    void whoBringsManyQuestionsForKeysIsStillComparedWith() {
        hasOperations(100, 100, 10);
        for (int i = 0; i < 1_000; i++) {
            hears(OTHER.address(), 100, list(OrderKey.FIRST, i));
        }
        assertThat(sent).as("pages").hasSizeBetween(300, 450);

        sent.clear();
        hears(OTHER.address(), 100, digestOfNothing(OTHER));
        assertThat(sent).isNotEmpty();
    }

    @Test
    void aQuestionForKeysThatIsPassedOnCostsLittle() {
        node.start(List.of(OTHER), false, 0, 0, WALL);
        hears(OTHER.address(), 50, new FleetMessage.Members(List.of(new Aged(OTHER, 0))));
        sent.clear();
        for (int i = 0; i < 2_000; i++) {
            hears(OTHER.address(), 100, list(OrderKey.FIRST, i));
        }
        assertThat(sent).hasSize(2_000);
        assertThat(node.status(0).refused()).isZero();
    }

    /** It would go from node to node until it has gone too far. */
    @Test
    void aQuestionThatNobodyCanAnswerIsNotPassedOn() {
        node.start(List.of(OTHER), false, 0, 0, WALL);
        hears(OTHER.address(), 50, new FleetMessage.Members(List.of(new Aged(OTHER, 0))));
        sent.clear();
        hears(LIAR, 100, list(new OrderKey(FleetClock.timeOf(WALL + 60_000), 0), 1));
        assertThat(sent).isEmpty();
        assertThat(node.status(0).refused()).isEqualTo(1);
    }

    /** Only nodes list keys, and no list waits for the order. */
    @Test
    void aQuestionForKeysInAnyOtherMessageIsRefused() {
        hasOperations(100, 100, 10);
        Event event = list(OrderKey.FIRST, 1).event();
        Contact client = Contact.at(9, LIAR);
        for (FleetConsistency each : FleetConsistency.values()) {
            hears(LIAR, 100, new FleetMessage.Ask(client, event.operation(), each, OrderKey.FIRST));
        }
        hears(LIAR, 100, new Ball(List.of(event), new long[] {100}));
        assertThat(node.epidemic().find(event.key())).isNull();
        assertThat(node.status(0).refused()).isEqualTo(4);
        runs(200, 12_000);
        assertThat(sent).doesNotHaveAnyElementsOfTypes(FleetMessage.Answer.class);
    }

    private static FleetMessage digestOfNothing(Contact from) {
        Long[] hashes = new Long[KeyTree.SLICES];
        Arrays.fill(hashes, 0L);
        return new FleetMessage.Digest(from, Range.ALL, HOUR_AGO, HOUR_AGO, List.of(hashes));
    }

    private static final OrderKey HOUR_AGO = new OrderKey(FleetClock.timeOf(WALL - 3_600_000), 0);

    private void hasOperations(int count, int keys, int bytes) {
        hasOperations(count, keys, bytes, List.of(), true);
    }

    private void hasOperations(int count, int keys, int bytes, List<Contact> seeds, boolean founds) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FleetOperation put = new FleetOperation(
                    new RequestId(7, i),
                    FleetOperation.Kind.PUT,
                    Slice.utf8("key" + i % keys),
                    Slice.of(new byte[bytes]));
            events.add(new Event(new OrderKey(HOUR_AGO.time() + i, OTHER.id()), OTHER, put));
        }
        node.load(events);
        node.start(seeds, founds, 0, 0, WALL);
    }

    private static FleetMessage.Keys nothingOfAll() {
        Contact liar = Contact.at(9, LIAR);
        return new FleetMessage.Keys(liar, Range.ALL, OrderKey.FIRST, OrderKey.LAST, -1, List.of(), false);
    }

    @Test
    void whoSaysThatItHasNothingIsSentOneMessageAndNotGoneThroughAll() {
        hasOperations(20_000, 5_000, 1_000);
        hears(LIAR, 100, nothingOfAll());

        assertThat(sent).hasSize(1);
        assertThat(((FleetMessage.Data) sent.get(0)).events()).hasSizeBetween(30, 48);
        assertThat(node.store().visited()).isLessThan(200);
    }

    /** It begins elsewhere each time, so that what the other one refuses does not hide the rest. */
    @Test
    void whatIsSentIsNotTheSameEachTime() {
        hasOperations(2_000, 2_000, 1_000);
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            hears(LIAR, 100 + i, nothingOfAll());
        }
        sent.forEach(each -> all.addAll(((FleetMessage.Data) each).events()));

        assertThat(all.stream().distinct().count()).isGreaterThan(300);
    }

    @Test
    void whoComparesAgainAndAgainIsHeardAgainWhenItHasMadeUpForThat() {
        hasOperations(50_000, 200, 10);
        FleetMessage digest = digestOfNothing(Contact.at(9, LIAR));
        for (int i = 0; i < 1_000; i++) {
            hears(LIAR, 100, digest);
        }
        assertThat(node.store().visited())
                .as("operations gone through")
                .isBetween(Allowance.OWED_MAX / 2, 2 * Allowance.OWED_MAX);
        assertThat(node.status(0).refused()).isGreaterThan(900);

        sent.clear();
        hears(OTHER.address(), 100, digest);
        assertThat(sent).as("the others are answered").isNotEmpty();
        sent.clear();
        hears(LIAR, 5_100, digest);
        assertThat(sent).as("and it is later").isNotEmpty();
    }

    @Test
    void whoWantsThingsAgainAndAgainIsHeardAgainWhenItHasMadeUpForThat() {
        node.start(List.of(), true, 0, 0, WALL);
        OrderKey place =
                node.submit(put(1, 4_000), FleetConsistency.ORDERED, OrderKey.FIRST, 1, 10_000, 100, WALL + 100);
        sent.clear();
        FleetMessage want = new FleetMessage.Want(LIAR, List.of(place.hash()));
        for (int i = 0; i < 10_000; i++) {
            hears(LIAR, 200, want);
        }
        assertThat(sent).hasSizeBetween(100, 200);
        sent.clear();
        hears(LIAR, 5_200, want);
        assertThat(sent).hasSize(1);
    }

    /** Somebody may say its name, and many thousand words with it. */
    @Test
    void whoWasRefusedMuchHasNothingToMakeUpForThat() {
        node.start(List.of(), true, 0, 0, WALL);
        OrderKey place = node.submit(put(1, 10), FleetConsistency.ORDERED, OrderKey.FIRST, 1, 10_000, 100, WALL + 100);
        sent.clear();
        FleetMessage wants = new FleetMessage.Want(LIAR, Collections.nCopies(10_000, place.hash()));
        for (int i = 0; i < 1_000; i++) {
            hears(LIAR, 200, wants);
        }
        assertThat(sent).hasSizeBetween(10, 100);
        sent.clear();
        hears(LIAR, 5_200, wants);
        assertThat(sent).hasSize(1);
    }
}
