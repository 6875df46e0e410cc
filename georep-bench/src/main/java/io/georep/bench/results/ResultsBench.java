package io.georep.bench.results;

import io.georep.bench.cluster.ClusterBench;
import io.georep.bench.cluster.ClusterResult;
import io.georep.bench.cluster.StartedCluster;
import io.georep.bench.process.MachineMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;

/**
 * Measures everything that the page of results shows and writes the page. The nodes of a plot are started and warmed up, then its
 * runs take turns: all of them once, then all of them again, so that a slow minute of the machine does not fall on all runs of one
 * kind.
 */
@Command(
        name = "georep-bench/run ResultsBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Measures what the page of results shows, and writes it.")
final class ResultsBench implements Callable<Integer>, Program.Checked {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Seconds until a load on warm nodes is the one that is measured. */
    private static final String SETTLING = "2";

    @Spec
    private @Nullable CommandSpec spec;

    @Range(min = 0, max = 100)
    @Option(names = "--rounds", defaultValue = "3", description = "Runs of each; 0 writes the page of earlier ones.")
    private int rounds;

    @Range(min = 0, max = 3600)
    @Option(
            names = "--warm-up",
            defaultValue = "60",
            description = "Seconds of 300 clients per node before the first round.")
    private int warmUpSeconds;

    @Range(min = 1, max = 3600)
    @Option(names = "--seconds", defaultValue = "6", description = "Seconds measured.")
    private int seconds;

    @Option(names = "--sweeps", split = ",", description = "Only these: the names of the plots.")
    private List<String> sweeps = new ArrayList<>();

    @Option(names = "--directory", defaultValue = "docs/results", description = "Where the page and its data are.")
    private Path directory = Path.of("");

    @Option(names = "--readme", defaultValue = "README.md", description = "Where a plot and a table of it go, too.")
    private Path readme = Path.of("");

    private final PrintStream out;

    ResultsBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new ResultsBench(System.out), args);
    }

    @Override
    public void check() {
        List<String> names = Sweep.all().stream().map(Sweep::name).toList();
        for (String name : sweeps) {
            if (!names.contains(name)) {
                throw Program.refuse(
                        Objects.requireNonNull(spec),
                        "--sweeps has '" + name + "', there are " + String.join(", ", names));
            }
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Files.createDirectories(directory);
        List<Sweep> chosen = Sweep.all().stream()
                .filter(sweep -> sweeps.isEmpty() || sweeps.contains(sweep.name()))
                .toList();
        boolean sound = true;
        if (rounds > 0) {
            sound = measure(chosen);
        }
        new ResultsPage(directory).write();
        if (Files.exists(readme)) {
            Files.writeString(readme, ResultsPage.placed(Files.readString(readme), directory));
        }
        out.println("written: " + directory.resolve(ResultsPage.PAGE));
        return sound ? 0 : 1;
    }

    /** Runs of sweeps that are not chosen stay. Nothing is written before all is measured. */
    private boolean measure(List<Sweep> chosen) throws IOException, InterruptedException {
        Map<String, String> machine = MachineMeter.description();
        String origin = "\"commit\":\"" + machine.remove("commit") + "\",\"date\":\"" + machine.remove("date") + "\",";
        List<String> names = chosen.stream().map(Sweep::name).toList();
        List<String> lines =
                new ArrayList<>(Runs.read(directory.resolve(ResultsPage.RUNS)).linesWithout("sweep", names));
        boolean sound = true;
        for (Sweep sweep : chosen) {
            sound &= measure(sweep, origin, lines);
        }
        Files.writeString(
                directory.resolve(ResultsPage.MACHINE),
                JSON.writerWithDefaultPrettyPrinter().writeValueAsString(machine) + "\n");
        Files.write(directory.resolve(ResultsPage.RUNS), lines);
        return sound;
    }

    /** All nodes of a sweep stay from the warm-up to the end; those without a load do next to nothing. */
    private boolean measure(Sweep sweep, String origin, List<String> lines) throws IOException {
        Map<String, StartedCluster> clusters = new HashMap<>();
        boolean sound = true;
        try {
            for (Sweep.Case each : sweep.cases()) {
                if (!clusters.containsKey(each.nodes())) {
                    ClusterBench warmUp = bench(
                            each.options("--clients", "300", "--warm-up", seconds(warmUpSeconds), "--seconds", "1"));
                    StartedCluster cluster = warmUp.start();
                    clusters.put(each.nodes(), cluster);
                    warmUp.measure(cluster);
                }
            }
            for (int round = 1; round <= rounds; round++) {
                for (Sweep.Case each : sweep.cases()) {
                    ClusterResult result = bench(each.options("--warm-up", SETTLING, "--seconds", seconds(seconds)))
                            .measure(Objects.requireNonNull(clusters.get(each.nodes())));
                    sound &= result.sound();
                    String line = "{\"sweep\":\"" + sweep.name() + "\",\"category\":\"" + each.category()
                            + "\",\"line\":\"" + each.line() + "\",\"round\":" + round + ",\"warmUp\":" + warmUpSeconds
                            + "," + origin + result.json().substring(1);
                    out.println(line);
                    lines.add(line);
                }
            }
            return sound;
        } finally {
            for (StartedCluster cluster : clusters.values()) {
                cluster.close();
            }
        }
    }

    private static ClusterBench bench(String... options) {
        return Program.parse(new ClusterBench(new PrintStream(OutputStream.nullOutputStream())), options);
    }

    private static String seconds(int count) {
        return Integer.toString(count);
    }
}
