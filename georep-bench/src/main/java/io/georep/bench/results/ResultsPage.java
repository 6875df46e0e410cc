package io.georep.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Writes the page of results and its plots from what is kept of the runs, and from nothing else. */
final class ResultsPage {
    /** The page. */
    static final String PAGE = "README.md";

    /** The machine, as JSON. */
    static final String MACHINE = "machine.json";

    /** The runs of the cluster benchmark. */
    static final String RUNS = "runs.jsonl";

    /** The runs of the comparison with other products. */
    static final String PEERS = "peers.jsonl";

    private static final String BEGIN = "<!-- results -->";
    private static final String END = "<!-- end of results -->";
    /** In a millisecond. */
    static final int MICROS = 1000;

    private final Path directory;
    private final StringBuilder page = new StringBuilder();

    ResultsPage(Path directory) {
        this.directory = directory;
    }

    /** Writes all files. */
    void write() throws IOException {
        JsonNode machine = new ObjectMapper().readTree(Files.readString(directory.resolve(MACHINE)));
        opening(machine);
        new PeersSection(this).write(Runs.read(directory.resolve(PEERS)));
        Runs runs = Runs.read(directory.resolve(RUNS));
        for (Sweep sweep : Sweep.all()) {
            Runs its = runs.with("sweep", sweep.name());
            if (!its.isEmpty()) {
                sweep(sweep, its);
            }
        }
        Files.writeString(directory.resolve(PAGE), page.toString());
    }

    /** Returns this text with the plot and the table of clients in the place that is marked for them. */
    static String placed(String text, Path directory) throws IOException {
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException("no place is marked with " + BEGIN + " and " + END);
        }
        return text.substring(0, begin + BEGIN.length()) + "\n" + summary(directory) + text.substring(end);
    }

    private static String summary(Path directory) throws IOException {
        JsonNode machine = new ObjectMapper().readTree(Files.readString(directory.resolve(MACHINE)));
        Runs all = Runs.read(directory.resolve(RUNS));
        Map<String, Runs> levels = all.with("sweep", "clients").by("line");
        StringBuilder text = new StringBuilder(
                "![Entries per CPU-second by clients per node](docs/results/clients.svg)\n\n" + "| clients per node |");
        levels.keySet()
                .forEach(level -> text.append(" `").append(level).append("`: entries per CPU-second | p50, p99 ms |"));
        text.append("\n|---|").append("---|---|".repeat(levels.size())).append("\n");
        for (String clients : all.with("sweep", "clients").values("category")) {
            text.append("| ").append(clients).append(" |");
            for (Runs level : levels.values()) {
                Runs its = level.with("category", clients);
                if (its.isEmpty()) {
                    text.append(" | |");
                    continue;
                }
                text.append(" ").append(its.spread("cyclesPerCpuSecond").text()).append(" | ");
                text.append(median(its, "sendP50Micros", MICROS)).append(", ");
                text.append(median(its, "sendP99Micros", MICROS)).append(" |");
            }
            text.append("\n");
        }
        return text.append("\nThree nodes on one machine (")
                .append(machine.path("cores").asString(""))
                .append(" cores), f = 1, payloads of 300 bytes, whole cycles. ")
                .append(origin(all.with("sweep", "clients")))
                .append(" [Results](docs/results/README.md) has more:")
                .append(sections(all))
                .append(".\n")
                .toString();
    }

    /** Links to what the page has. */
    private static String sections(Runs runs) {
        return Sweep.all().stream()
                .filter(sweep -> !runs.with("sweep", sweep.name()).isEmpty())
                .map(sweep -> " [" + sweep.title().toLowerCase(Locale.ROOT) + "](docs/results/README.md#"
                        + sweep.title().toLowerCase(Locale.ROOT).replace(' ', '-') + ")")
                .collect(Collectors.joining(","));
    }

    /** How often, for how long, of which state of the code and when. */
    static String origin(Runs runs) {
        int rounds = runs.values("round").size();
        return rounds + (rounds == 1 ? " round" : " rounds") + " with windows of "
                + median(runs, "seconds", 1) + " s after " + median(runs, "warmUp", 1) + " s of warm-up, commit "
                + String.join(", ", runs.values("commit")) + ", "
                + String.join(", ", runs.values("date")) + ".";
    }

    private void opening(JsonNode machine) {
        add("# Results");
        add("This page and its plots are written by the benchmark from [the runs](" + RUNS + "); nothing in it is"
                + " written by hand. `georep-bench/run ResultsBench` measures everything again, with `--sweeps` only some of"
                + " it, and with `--rounds 0` it writes the page from the runs that are there.");
        add(
                "A figure is the median of the rounds, with the smallest and the largest where they differ. In a round all is run"
                        + " once, so that a slow minute of the machine does not fall on all runs of one kind."
                        + " *Entries* are whole cycles: stored, copied to f other nodes, acknowledged, forwarded to a handler that"
                        + " does nothing, and deleted everywhere. *Per CPU-second* counts the processor time of all node processes,"
                        + " clients, garbage collector and JIT compiler included; *without compiler* leaves out the last one, whose"
                        + " work ends when a process has run for a minute. *Others* is what the machine's processors did beside them:"
                        + " kernel threads that write to the disk, the network between the nodes, other people.");
        StringBuilder table = new StringBuilder("| machine | |\n|---|---|\n");
        for (String field : List.of("processor", "cores", "memory", "kernel", "jdk")) {
            table.append("| ")
                    .append(field)
                    .append(" | ")
                    .append(machine.path(field).asString(""))
                    .append(" |\n");
        }
        add(table.toString().strip());
        add("Compare figures of this page with each other only. How to measure is told in"
                + " [Benchmarks](../how-it-works/benchmarks.md).");
    }

    private void sweep(Sweep sweep, Runs runs) throws IOException {
        add("## " + sweep.title());
        add(sweep.text() + " " + origin(runs));
        Map<String, Map<String, Spread>> lines = new LinkedHashMap<>();
        if (sweep.figures().size() == 1) {
            String field = sweep.figures().values().iterator().next();
            runs.by("line").forEach((line, its) -> lines.put(line, spreads(its, field)));
        } else {
            sweep.figures().forEach((line, field) -> lines.put(line, spreads(runs, field)));
        }
        plot(
                sweep.name() + ".svg",
                sweep.title(),
                sweep.axis(),
                sweep.unit(),
                runs.values("category"),
                lines,
                sweep.bars());
        StringBuilder table = new StringBuilder("| " + sweep.axis()
                + " | | entries/s | per CPU-second | without compiler | p50 ms | p99 ms | bytes on the wire | allocated |"
                + " processors | others |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
        runs.by("line")
                .forEach((line, ofLine) -> ofLine.by("category")
                        .forEach((category, its) -> table.append(cells(
                                category,
                                line + unsound(its),
                                its.spread("cyclesPerSecond").text(),
                                its.spread("cyclesPerCpuSecond").text(),
                                median(its, "cyclesPerCpuSecondWithoutCompiler", 1),
                                median(its, "sendP50Micros", MICROS),
                                median(its, "sendP99Micros", MICROS),
                                median(its, "wireBytesPerEntry", 1),
                                median(its, "allocatedBytesPerEntry", 1),
                                median(its, "cpus", 1),
                                median(its, "otherCpus", 1)))));
        add(table.toString().strip());
    }

    void plot(
            String file,
            String title,
            String axis,
            String unit,
            List<String> categories,
            Map<String, Map<String, Spread>> lines,
            boolean bars)
            throws IOException {
        Files.writeString(directory.resolve(file), new SpreadPlot(unit + " by " + axis, categories, lines).svg(bars));
        add("![" + title + ": " + unit + " by " + axis + "](" + file + ")");
    }

    private static Map<String, Spread> spreads(Runs runs, String field) {
        Map<String, Spread> spreads = new LinkedHashMap<>();
        runs.by("category").forEach((category, its) -> spreads.put(category, its.spread(field)));
        return spreads;
    }

    /** Runs in which sends failed or something was left over are not hidden. */
    private static String unsound(Runs runs) {
        int sound = runs.with("sound", "true").size();
        return sound == runs.size() ? "" : " (not all runs are sound)";
    }

    static String median(Runs runs, String field, double unit) {
        return Spread.number(runs.spread(field).median() / unit);
    }

    static String cells(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    void add(String paragraph) {
        page.append(page.isEmpty() ? "" : "\n").append(paragraph).append("\n");
    }
}
