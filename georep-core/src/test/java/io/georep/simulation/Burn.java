package io.georep.simulation;

/** Scratch: many seeds, failures listed. */
final class Burn {
    public static void main(String[] a) {
        long first = Long.parseLong(a[0]), last = Long.parseLong(a[1]);
        boolean mixed = a.length > 2;
        int failed = 0;
        for (long s = first; s <= last; s++) {
            try {
                Simulation.run(mixed ? SimulationOptions.mixed(s) : SimulationOptions.swarm(s));
            } catch (SimulationFailure e) {
                failed++;
                System.out.println("SEED " + s + " "
                        + e.getMessage()
                                .lines()
                                .limit(3)
                                .map(l -> l.length() > 900 ? l.substring(0, 900) : l)
                                .toList());
            }
        }
        System.out.println("failed " + failed);
    }
}
