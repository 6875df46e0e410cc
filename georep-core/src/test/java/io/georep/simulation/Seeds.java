package io.georep.simulation;

import java.util.function.LongFunction;

/** Runs seeds from the command line. */
final class Seeds {
    /** Of so many runs each says what it amounts to. */
    private static final int LINES_MAX = 20;

    private Seeds() {}

    /**
     * Runs seeds one after the other, and says which fail; of a single one, says why.
     *
     * @param arguments the first seed, and how many
     * @param run runs a seed and returns a line; throws {@link AssertionError} when a promise was broken
     */
    static void run(String[] arguments, LongFunction<String> run) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        int failures = 0;
        for (long seed = first; seed < first + count; seed++) {
            try {
                String line = run.apply(seed);
                if (count <= LINES_MAX) {
                    System.out.println(seed + " " + line);
                }
            } catch (AssertionError e) {
                failures++;
                String message = String.valueOf(e.getMessage());
                System.out.println(
                        count == 1 ? message : message.lines().findFirst().orElse(""));
                if (count == 1) {
                    e.printStackTrace(System.out);
                }
            }
        }
        System.out.println(count + " runs, " + failures + " failures");
    }
}
