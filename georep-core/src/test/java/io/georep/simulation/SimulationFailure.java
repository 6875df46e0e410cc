package io.georep.simulation;

import java.util.List;

/** A run that went wrong, with what is needed to see it again. */
final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    SimulationFailure(SimulatedCluster cluster, Throwable cause) {
        super(text(cluster, cause), cause);
    }

    /** With the last turns in words. */
    SimulationFailure(SimulatedCluster cluster, Throwable cause, String turns) {
        super(text(cluster, cause) + "  last turns:\n" + turns.indent(4), cause);
    }

    private static String text(SimulatedCluster cluster, Throwable cause) {
        World world = cluster.world();
        List<String> tail = world.trace().tail();
        return "%s%n  at step %d, %.6f s%n  %s%n  faults:%n    %s%n  last events:%n    %s%n  replay: %s%n"
                .formatted(
                        cause instanceof InvariantViolation ? cause.getMessage() : cause.toString(),
                        world.steps(),
                        world.now() / 1e9,
                        cluster.options().describe(),
                        String.join(
                                System.lineSeparator() + "    ",
                                cluster.trouble().items().stream()
                                        .map(Object::toString)
                                        .toList()),
                        String.join(System.lineSeparator() + "    ", tail),
                        replay(cluster.options().seed));
    }

    /** The one command that shows a run again. */
    static String replay(long seed) {
        return "./mvnw -q -pl georep-core test -Dtest=SimulationTest#replay -Dseed=" + seed;
    }
}
