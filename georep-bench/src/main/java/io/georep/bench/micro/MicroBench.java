package io.georep.bench.micro;

import io.georep.bench.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs the benchmarks of this package with JMH: {@code georep-bench/run MicroBench}. Each is measured in a JVM of its
 * own, with the bytes it allocates.
 */
@Command(
        name = "georep-bench/run MicroBench",
        sortOptions = false,
        description = "Times and allocations of single parts, measured with JMH.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:every benchmark ran", "1:one failed", "2:options not valid, or no benchmark matches"})
public final class MicroBench implements Callable<Integer> {
    private static final String PACKAGE = "\\.bench\\.micro\\.";

    /** How long a run takes. */
    public enum Length {
        /** Every benchmark once, in this JVM, with few parameters: shows that all work, measures nothing. */
        SMOKE,
        /** One JVM for each, 4 s. */
        QUICK,
        /** Three JVMs for each, 30 s together. */
        FULL
    }

    @Parameters(
            paramLabel = "PATTERN",
            description =
                    "Regular expression; benchmarks with a name in which one of them is found are run. None: all.")
    private List<String> patterns = new ArrayList<>();

    @Option(names = "--length", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private Length length = Length.QUICK;

    @Option(
            names = "--param",
            paramLabel = "NAME=VALUE[,VALUE]",
            description = "Values of a parameter instead of its own; may be repeated.")
    private Map<String, String> params = new LinkedHashMap<>();

    @Option(names = "--json", paramLabel = "FILE", description = "Writes all results as JSON into this file.")
    private @Nullable Path json;

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new MicroBench(), args);
    }

    @Override
    public Integer call() {
        try {
            run(patterns, length, params, json);
            return 0;
        } catch (NoBenchmarksException e) {
            System.err.println("No benchmark has a name in which " + String.join(" or ", patterns)
                    + " is found; names are those of the classes and methods in io.georep.bench.micro");
            return 2;
        } catch (RunnerException e) {
            System.err.println("A benchmark failed:");
            e.printStackTrace();
            return 1;
        }
    }

    /**
     * Runs the benchmarks whose names match any of the patterns, or all.
     *
     * @throws RunnerException when one of them failed or none matches
     */
    static Collection<RunResult> run(
            List<String> patterns, Length length, Map<String, String> params, @Nullable Path json)
            throws RunnerException {
        ChainedOptionsBuilder options =
                new OptionsBuilder().shouldFailOnError(true).shouldDoGC(length != Length.SMOKE);
        if (patterns.isEmpty()) {
            options.include(PACKAGE);
        }
        patterns.forEach(options::include);
        switch (length) {
            case SMOKE -> smoke(options);
            case QUICK -> measure(options, 1, 3, 5, TimeValue.milliseconds(500));
            case FULL -> measure(options, 3, 5, 5, TimeValue.seconds(1));
        }
        params.forEach((name, values) -> options.param(name, values.split(",", -1)));
        if (json != null) {
            options.resultFormat(ResultFormatType.JSON).result(json.toString());
        }
        return new Runner(options.build()).run();
    }

    private static void smoke(ChainedOptionsBuilder options) {
        // Nothing is measured, so others may measure on this machine.
        System.setProperty("jmh.ignoreLock", "true");
        options.forks(0)
                .mode(Mode.SingleShotTime)
                .warmupIterations(0)
                .measurementIterations(1)
                .verbosity(VerboseMode.SILENT)
                .param("entries", "10")
                .param("peers", "3");
    }

    private static void measure(
            ChainedOptionsBuilder options, int forks, int warmUps, int measurements, TimeValue each) {
        options.forks(forks)
                .warmupIterations(warmUps)
                .warmupTime(each)
                .measurementIterations(measurements)
                .measurementTime(each)
                .jvmArgsAppend("-Xms1g", "-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .addProfiler(GCProfiler.class);
    }
}
