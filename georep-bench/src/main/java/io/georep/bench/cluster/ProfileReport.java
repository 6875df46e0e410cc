package io.georep.bench.cluster;

import io.georep.bench.process.Program;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Where processor time went, by thread, from flight recordings of node processes ({@code ClusterBench --jfr}): which
 * methods were on top of the stack, and under which of our methods. Samples of threads in native code are not taken
 * while they wait, and not at all in some system calls; the driver's "processor time by thread" shows those.
 */
public final class ProfileReport {
    private static final int LINES = 25;

    /** What a user says. */
    @Command(
            name = "georep-bench/run ProfileReport",
            description = "Where processor time went, by thread, from flight recordings.")
    private static final class Files implements Callable<Integer> {
        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Recordings of ClusterBench --jfr.")
        private List<Path> files = List.of();

        @Override
        public Integer call() throws IOException {
            FlightProfile profile = new FlightProfile();
            for (Path file : files) {
                profile.read(file);
            }
            print(profile, System.out);
            return 0;
        }
    }

    private final FlightProfile profile;
    private final PrintStream out;

    private ProfileReport(FlightProfile profile, PrintStream out) {
        this.profile = profile;
        this.out = out;
    }

    /** Arguments: recording files. */
    public static void main(String[] args) {
        Program.run(new Files(), args);
    }

    static void print(FlightProfile profile, PrintStream out) {
        ProfileReport report = new ProfileReport(profile, out);
        profile.threads().entrySet().stream()
                .sorted((a, b) ->
                        Long.compare(b.getValue().samples(), a.getValue().samples()))
                .forEach(entry -> report.print(entry.getKey(), entry.getValue()));
        out.println();
        out.println("allocated, by class and our innermost method");
        report.print(profile.allocated(), profile.allocatedBytes());
        out.flush();
    }

    private void print(String name, FlightProfile.ThreadProfile thread) {
        out.println();
        out.printf(
                Locale.ROOT,
                "%s: %d samples, %.1f%% of all%n",
                name,
                thread.samples(),
                100.0 * thread.samples() / profile.samples());
        if (thread.samples() * 100 < profile.samples()) {
            return;
        }
        out.println(" on top");
        print(thread.top(), thread.samples());
        out.println(" under");
        print(thread.under(), thread.samples());
    }

    private void print(Map<String, Long> counts, long whole) {
        List<Map.Entry<String, Long>> largest = counts.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
                .limit(LINES)
                .toList();
        for (Map.Entry<String, Long> entry : largest) {
            out.printf(Locale.ROOT, "  %5.1f%%  %s%n", 100.0 * entry.getValue() / whole, entry.getKey());
        }
    }
}
