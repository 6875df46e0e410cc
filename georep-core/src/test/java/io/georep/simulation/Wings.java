package io.georep.simulation;

import io.georep.funnel.FunnelSettings;
import io.georep.rumour.RumourWing;
import java.util.List;
import java.util.random.RandomGenerator;

/** All wings of the house but the outbox, which is always there. A new one is added here. */
final class Wings {
    private Wings() {}

    /** With clients that are drawn for the seed. */
    static List<Wing> all(Machines machines, SimulationOptions options) {
        RandomGenerator random = machines.world().random("wings");
        return List.of(keys(machines, options, random), maps(machines, options, random), new RumourWing(machines));
    }

    private static Wing keys(Machines machines, SimulationOptions options, RandomGenerator random) {
        KeyWing.Load load = KeyWing.Load.draw(random, options.nodes()).anew(hasNames(options) ? 30 : 0);
        return new KeyWing(machines, KeyWing.quick())
                .load(load, machines.world().random("keys"));
    }

    private static boolean hasNames(SimulationOptions options) {
        return options.breadth().has(Breadth.Kind.NAMES);
    }

    private static Wing maps(Machines machines, SimulationOptions options, RandomGenerator random) {
        FunnelCluster.Shape shape = FunnelCluster.Shape.of(options.seed(), options.nodes(), 3);
        shape = shape.founders(1 + random.nextInt(options.nodes()));
        FunnelSettings settings = shape.settings().commitOnChain(random.nextInt(4) == 0);
        shape = shape.settings(settings).stepping();
        return new FunnelWing(machines, shape, machines.world().random("maps' losses"))
                .load(
                        FunnelClients.Load.draw(random).slower(10).anew(hasNames(options) ? 30 : 0),
                        machines.world().random("maps"));
    }
}
