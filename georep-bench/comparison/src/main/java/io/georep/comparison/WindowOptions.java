package io.georep.comparison;

import io.georep.bench.process.Range;
import picocli.CommandLine.Option;

/** Options about the time that is measured. */
final class WindowOptions {
    @Range(min = 0, max = 600)
    @Option(names = "--warm-up", defaultValue = "5", description = "Seconds before each measurement.")
    private int warmUp;

    @Range(min = 1, max = 600)
    @Option(names = "--seconds", defaultValue = "5", description = "Seconds of each measurement.")
    private int seconds;

    int warmUp() {
        return warmUp;
    }

    int seconds() {
        return seconds;
    }
}
