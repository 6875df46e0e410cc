package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The node that began a fleet, whose clock is set wrong, and right again while it knows nobody; seed 2800000000000000506. */
class FounderClockTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final long HOUR = 3_600_000;
    private static final Contact OTHER = new Contact(2, "b:1", 1L << 40, 0);

    private final FleetSettings settings = FleetSettings.hardened(10);
    private final Random random = new Random(1);
    private final List<OrderKey> delivered = new ArrayList<>();
    private final FleetNode node =
            new FleetNode(new Contact(1, "a:1", 1L << 50, 0), settings, random::nextLong, new Outlet() {
                @Override
                public void send(Contact to, FleetMessage message) {}

                @Override
                public void answered(RequestId request, Outcome outcome) {}

                @Override
                public void delivered(Event event) {
                    delivered.add(event.key());
                }
            });

    private void hears(long now, FleetMessage message) {
        node.onMessage(OTHER.address(), message, now, WALL + now);
    }

    @Test
    void whatItMayHaveMissedDoesNotReachUntilTheWrongTime() {
        node.start(List.of(), true, 0, 0, WALL);
        hears(100, new FleetMessage.Shuffle(OTHER, List.of(new Aged(OTHER, 0)), false, WALL + 100));
        node.onTimer(200, WALL + 200 + HOUR);
        assertThat(node.coverage().covers(Range.ALL))
                .as("it may have missed something")
                .isFalse();
        node.unreachable(OTHER.address(), 300, WALL + 300 + HOUR);
        assertThat(node.acquaintances()).isEmpty();

        node.onTimer(400, WALL + 400);

        OrderKey bound = node.coverage().boundOf(Range.ALL);
        assertThat(FleetClock.millisOf(bound.time())).isBetween(WALL, WALL + 10_000);
        node.coverage().confirmed(OTHER.address(), Range.ALL, bound, true, 1, 1_000);
        assertThat(node.coverage().covers(Range.ALL)).isTrue();
    }

    private static FleetOperation put(int number) {
        return new FleetOperation(
                new RequestId(7, number), FleetOperation.Kind.PUT, Slice.utf8("key" + number), Slice.utf8("value"));
    }

    private OrderKey asks(int number, long now, long wall) {
        return node.submit(put(number), FleetConsistency.ORDERED, OrderKey.FIRST, 1, now + 10_000, now, wall);
    }

    private void runs(long from, long to, long ahead) {
        for (long now = from; now <= to; now += 25) {
            node.onTimer(now, WALL + ahead + now);
        }
    }

    /** Seed 2800000000000000116: it went on by the wrong time for as long as that was ahead, and nobody took what it made. */
    @Test
    void whatItMadeByAWrongTimeDoesNotDecideWhatItMakesOrTakesLater() {
        node.start(List.of(), true, 0, 0, WALL);
        OrderKey wrong = asks(1, 100, WALL + HOUR);
        runs(200, 9_000, HOUR);
        assertThat(delivered).as("it is alone, and does what it is asked for").containsExactly(wrong);
        OrderKey waits = asks(2, 9_500, WALL + 9_500);
        assertThat(waits).as("it cannot know which time is right").isGreaterThan(wrong);

        hears(10_000, new FleetMessage.Shuffle(OTHER, List.of(new Aged(OTHER, 0)), true, WALL + 10_000));
        OrderKey own = asks(3, 10_100, WALL + 10_100);
        OrderKey theirs = new OrderKey(FleetClock.timeOf(WALL + 10_200), OTHER.id());
        hears(10_300, new Ball(List.of(new Event(theirs, OTHER, put(4))), new long[] {100}));
        runs(10_325, 14_000, 0);

        assertThat(FleetClock.millisOf(own.time())).as("by the right time").isEqualTo(WALL + 10_100);
        assertThat(delivered).containsExactly(wrong, own, theirs);
        assertThat(node.status(0).holes())
                .as("what waited is no part of the order")
                .isEqualTo(1);
        assertThat(node.store().has(waits)).as("but it counts").isTrue();
    }

    @Test
    void aloneItDoesNotGoBackInItsOrderWhateverItsClockSays() {
        node.start(List.of(), true, 0, 0, WALL);
        OrderKey first = asks(1, 100, WALL + 100);
        runs(125, 4_000, 0);
        OrderKey second = asks(2, 4_000, WALL + 4_000 - HOUR);
        runs(4_025, 8_000, -HOUR);

        assertThat(delivered).containsExactly(first, second);
        assertThat(second).isGreaterThan(first);
    }
}
