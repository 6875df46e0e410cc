package io.georep.simulation;

/** Runs seeds from the command line: {@code Replay first [count [audited|calm|mutant|paper]]}; prints one line each and the first failures. */
final class Replay {
    private Replay() {}

    /** Prints the hash and the figures of each run. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        String variant = arguments.length > 2 ? arguments[2] : "";
        for (long seed = first; seed < first + count; seed++) {
            SimulationOptions options = SimulationOptions.swarm(seed);
            try {
                Simulation.Result result = Simulation.run(
                        switch (variant) {
                            case "audited" -> options.audited();
                            case "calm" -> options.withFaults();
                            case "mutant" -> options.thatRemovesOnReturn();
                            case "paper" -> options.withPaperRules().withFaults(Fault.CRASH, Fault.DEATH);
                            default -> options;
                        });
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
