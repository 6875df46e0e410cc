package io.georep.simulation;

import java.util.EnumMap;
import java.util.EnumSet;

/** Runs seeds from the command line: {@code Replay first [count [calm|mutant|only=KIND,…]]}; prints one line each and the first failures. */
final class Replay {
    private Replay() {}

    private static EnumSet<Breadth.Kind> kinds(String names) {
        EnumSet<Breadth.Kind> kinds = EnumSet.noneOf(Breadth.Kind.class);
        for (String name : names.split(",")) {
            kinds.add(Breadth.Kind.valueOf(name));
        }
        return kinds;
    }

    /** Prints the hash and the figures of each run. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        String variant = arguments.length > 2 ? arguments[2] : "";
        long runs = 0;
        long repetitions = 0;
        EnumMap<Fault, Long> causes = new EnumMap<>(Fault.class);
        for (long seed = first; seed < first + count; seed++) {
            SimulationOptions options = variant.startsWith("only=")
                    ? Swarm.swarm(seed, kinds(variant.substring("only=".length())))
                    : Swarm.swarm(seed);
            try {
                Simulation.Result result = Simulation.run(
                        switch (variant) {
                            case "calm" -> options.withFaults();
                            case "mutant" -> options.thatRemovesOnReturn();
                            default -> options;
                        });
                runs++;
                repetitions += result.duplicates();
                result.causes().forEach((cause, times) -> causes.merge(cause, times, Long::sum));
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
        System.out.println(runs + " runs, " + repetitions + " repetitions " + causes);
    }
}
