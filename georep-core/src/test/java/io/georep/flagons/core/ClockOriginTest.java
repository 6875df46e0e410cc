package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The monotonic clock of a machine may begin anywhere, also far below zero. A node does the same whatever it reads; seed
 * 2800000000000000004 had nodes that never took stock of what they missed.
 */
class ClockOriginTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final long FAR = 1_000_000_000_000L;
    private static final Contact OTHER = new Contact(2, "b:1", 1L << 40, 0);

    /** What a node sends in ten minutes, in which it gets twenty operations by comparison only. */
    private static List<String> life(long origin) {
        List<String> seen = new ArrayList<>();
        Random random = new Random(1);
        FleetNode node = new FleetNode(
                new Contact(1, "a:1", 1L << 50, 0), FleetSettings.hardened(10), random::nextLong, new Outlet() {
                    @Override
                    public void send(Contact to, FleetMessage message) {
                        seen.add(message.toString());
                    }

                    @Override
                    public void answered(RequestId request, Outcome outcome) {}
                });
        node.start(List.of(), true, 0, origin, WALL);
        for (long at = 25; at <= 600_000; at += 25) {
            if (at % 1_000 == 0) {
                FleetMessage shuffle = new FleetMessage.Shuffle(OTHER, List.of(new Aged(OTHER, 0)), true, WALL + at);
                node.onMessage(OTHER.address(), shuffle, origin + at, WALL + at);
            }
            if (at == 20_000) {
                node.onMessage(OTHER.address(), new FleetMessage.Data(missed(WALL + at)), origin + at, WALL + at);
                assertThat(node.isCutOff()).as("it has missed a lot").isTrue();
            }
            if (node.nextDeadline() <= origin + at) {
                node.onTimer(origin + at, WALL + at);
            }
        }
        seen.add(node.status(0).toString());
        assertThat(node.isCutOff()).as("it has missed nothing for long").isFalse();
        return seen;
    }

    private static List<Event> missed(long now) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            FleetOperation put = new FleetOperation(
                    new RequestId(7, i), FleetOperation.Kind.PUT, Slice.utf8("key" + i), Slice.utf8("value"));
            events.add(new Event(new OrderKey(FleetClock.timeOf(now - 10_000 + i), OTHER.id()), OTHER, put));
        }
        return events;
    }

    @Test
    void aNodeDoesTheSameWhereverItsClockBegan() {
        assertThat(life(-FAR)).isEqualTo(life(FAR));
    }
}
