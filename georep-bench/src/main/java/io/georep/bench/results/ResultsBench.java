package io.georep.bench.results;

import io.georep.bench.cluster.ClusterBench;
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
 * Measures everything that the page of results shows and writes the page. The runs take turns: all of them once, then all of them
 * again, so that a slow minute of the machine does not fall on all runs of one kind.
 */
@Command(
        name = "georep-bench/run ResultsBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Measures what the page of results shows, and writes it.")
final class ResultsBench implements Callable<Integer>, Program.Checked {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Spec
    private @Nullable CommandSpec spec;

    @Range(min = 0, max = 100)
    @Option(names = "--rounds", defaultValue = "3", description = "Runs of each; 0 writes the page of earlier ones.")
    private int rounds;

    @Range(min = 0, max = 3600)
    @Option(names = "--warm-up", defaultValue = "60", description = "Seconds before the measured window.")
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
        for (int round = 1; round <= rounds; round++) {
            sound &= round("\"round\":" + round + ",\"warmUp\":" + warmUpSeconds + "," + origin, chosen, lines);
        }
        Files.writeString(
                directory.resolve(ResultsPage.MACHINE),
                JSON.writerWithDefaultPrettyPrinter().writeValueAsString(machine) + "\n");
        Files.write(directory.resolve(ResultsPage.RUNS), lines);
        return sound;
    }

    /** What several plots show is run once in a round. */
    private boolean round(String fields, List<Sweep> chosen, List<String> lines) throws IOException {
        Map<List<String>, String> ran = new HashMap<>();
        boolean sound = true;
        for (Sweep sweep : chosen) {
            for (Sweep.Case each : sweep.cases()) {
                String line = ran.get(each.options());
                if (line == null) {
                    Path file = Files.createTempFile("georep-results-", ".json");
                    sound &= run(each.options(), file);
                    line = Files.readString(file).strip();
                    Files.delete(file);
                    ran.put(each.options(), line);
                }
                String whole = "{\"sweep\":\"" + sweep.name() + "\",\"category\":\"" + each.category()
                        + "\",\"line\":\"" + each.line() + "\"," + fields + line.substring(1);
                out.println(whole);
                lines.add(whole);
            }
        }
        return sound;
    }

    private boolean run(List<String> options, Path file) throws IOException {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(
                "--warm-up", Integer.toString(warmUpSeconds),
                "--seconds", Integer.toString(seconds),
                "--json", file.toString()));
        PrintStream silent = new PrintStream(OutputStream.nullOutputStream());
        return Program.parse(new ClusterBench(silent), all.toArray(new String[0]))
                        .call()
                == 0;
    }
}
