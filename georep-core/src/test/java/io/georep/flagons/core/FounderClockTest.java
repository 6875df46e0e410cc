package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

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
    private final FleetNode node =
            new FleetNode(new Contact(1, "a:1", 1L << 50, 0), settings, random::nextLong, new Outlet() {
                @Override
                public void send(Contact to, FleetMessage message) {}

                @Override
                public void answered(RequestId request, Outcome outcome) {}
            });

    private void hears(long now, FleetMessage message) {
        node.onMessage(message, now, WALL + now);
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
        hears(1_000, new FleetMessage.Same(OTHER.id(), Range.ALL, bound, true));
        hears(1_000, new FleetMessage.Same(3, Range.ALL, bound, true));
        assertThat(node.coverage().covers(Range.ALL)).isTrue();
    }
}
