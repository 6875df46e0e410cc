package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two nodes with an hour of operations, of which the second lacks one. */
class AntiEntropyTest {
    private static final long HOUR = 3_600_000;

    private static FleetSimulation compared(int operations, int keys, int lacking) {
        FleetRun run = new FleetRun();
        run.nodes = 2;
        run.rate = 0;
        run.millis = 10_000;
        run.script = fleet -> {
            if (fleet.now == 1) {
                List<Event> events = events(fleet, operations, keys);
                fleet.members.get(0).node.load(events);
                events.remove(lacking);
                fleet.members.get(1).node.load(events);
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        fleet.run();
        return fleet;
    }

    private static List<Event> events(FleetSimulation fleet, int count, int keys) {
        Contact source = fleet.members.get(0).contact;
        long begin = fleet.wall(fleet.members.get(0)) - HOUR;
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            OrderKey place = new OrderKey(FleetClock.timeOf(begin + i), source.id());
            events.add(
                    new Event(place, source, fleet.operation(FleetOperation.Kind.PUT, Slice.utf8("key" + i % keys))));
        }
        return events;
    }

    @Test
    void oneOfManyIsFoundWithoutGoingThroughThem() {
        FleetSimulation fleet = compared(20_000, 400, 12_345);

        assertThat(fleet.alive).allSatisfy(each -> {
            assertThat(each.node.store().size()).isEqualTo(20_000);
            assertThat(each.node.store().visited()).isLessThan(1_400);
        });
    }

    /** Not all places of a key fit into a message; what is behind the first ones is compared then. */
    @Test
    void oneOfManyOnTheSameKeyIsFound() {
        FleetSimulation fleet = compared(5_000, 1, 4_990);

        assertThat(fleet.alive)
                .allSatisfy(each -> assertThat(each.node.store().size()).isEqualTo(5_000));
    }
}
