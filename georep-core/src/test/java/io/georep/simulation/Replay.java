package io.georep.simulation;

/** Runs seeds from the command line: {@code Replay first [count]}; prints one line each and the first failures. */
final class Replay {
    private Replay() {}

    /** Prints the hash and the figures of each run. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        boolean audited = arguments.length > 2;
        for (long seed = first; seed < first + count; seed++) {
            SimulationOptions options = SimulationOptions.swarm(seed);
            try {
                Simulation.Result result = Simulation.run(audited ? options.audited() : options);
                if (count <= 20) {
                    System.out.println(result);
                }
            } catch (SimulationFailure failure) {
                if (count > 1) {
                    System.out.println(seed + " "
                            + failure.getMessage().lines().findFirst().orElse(""));
                } else {
                    failure.printStackTrace(System.out);
                }
            }
        }
    }
}
