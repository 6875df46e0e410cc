package io.georep.bench.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Properties;

/**
 * Runs the demo: {@code ./mvnw -Pdemo}. Its options are system properties that start with {@code demo.}; see
 * {@code docs/how-it-works/testing.md}. Exit code: 0 when nothing acknowledged was lost, 1 otherwise, 2 for options that are not valid.
 */
public final class DemoMain {
    private DemoMain() {}

    /** Takes no arguments. */
    public static void main(String[] args) throws IOException {
        System.exit(run(System.getProperties(), System.out));
    }

    static int run(Properties properties, PrintStream out) throws IOException {
        DemoOptions options;
        try {
            options = DemoOptions.of(properties);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return 2;
        }
        return Demo.run(options, out);
    }
}
