package io.georep.bench.demo;

import io.georep.bench.history.Checker;
import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import io.georep.bench.history.Page;
import io.georep.bench.history.Totals;
import io.georep.bench.history.Verdict;
import io.georep.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * Runs rounds of chaos: {@code ./mvnw -Dgroups=chaos}. Its options are system properties that start with {@code chaos.}; see
 * {@code docs/how-it-works/testing.md}. Exit code: 0 when all promises were kept, 1 otherwise, 2 for options that are not valid.
 */
public final class ChaosMain {
    private static final int FINDINGS_SHOWN = 20;

    /** So many findings of each failed round are printed once more at the end. */
    private static final int FINDINGS_NAMED = 5;

    private final ChaosOptions options;
    private final PrintStream out;
    private final Page page = new Page();
    private final Map<String, Totals> sums = new LinkedHashMap<>();
    private final List<String> failed = new ArrayList<>();

    private ChaosMain(ChaosOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /** Takes no arguments. */
    public static void main(String[] args) throws IOException {
        System.exit(run(System.getProperties(), System.out));
    }

    static int run(Properties properties, PrintStream out) throws IOException {
        ChaosOptions options;
        try {
            options = ChaosOptions.of(properties);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return 2;
        }
        return new ChaosMain(options, out).run();
    }

    private int run() throws IOException {
        Files.createDirectories(options.directory());
        Path old = options.history();
        if (old != null) {
            judge(History.read(old), 0);
        } else {
            long end = System.nanoTime() + options.time().toNanos();
            int round = 0;
            while (options.rounds() > 0 ? round < options.rounds() : System.nanoTime() < end) {
                play(options.seed() + round);
                round++;
            }
            print("%d rounds, from seed %d on", round, options.seed());
        }
        table(List.copyOf(sums.values()));
        print("Verdict: %s", options.directory().resolve("index.html").toAbsolutePath());
        failed.forEach(command -> print("FAILED: %s", command));
        if (failed.isEmpty()) {
            print("Nothing was lost, nothing was unexpected, and every repetition has its cause.");
        }
        return failed.isEmpty() ? 0 : 1;
    }

    private void play(int seed) throws IOException {
        DemoOptions drawn = options.round(seed);
        String command = options.command(seed);
        print("Round with seed %d. To repeat it: %s", seed, command);
        History history = History.recording();
        history.add(new Event.Run(
                0,
                seed,
                drawn.nodes(),
                drawn.f(),
                drawn.suspectAfter().toNanos() / 1000,
                drawn.terminateAfter().toNanos() / 1000,
                command));
        int exitCode = Demo.run(drawn, out, history);
        history.write(options.directory().resolve("history-" + seed + ".jsonl.gz"));
        judge(history.events(), exitCode);
    }

    private void judge(List<Event> events, int exitCode) throws IOException {
        Verdict verdict = Checker.judge(events);
        page.add(verdict, events);
        Files.writeString(options.directory().resolve("index.html"), page.html());
        show(verdict);
        verdict.byKind()
                .forEach(kind -> sums.computeIfAbsent(kind.kind, Totals::new).add(kind));
        if (exitCode != 0 || !verdict.holds()) {
            failed.add(verdict.run().command());
            verdict.findings().stream().limit(FINDINGS_NAMED).forEach(finding -> failed.add("  for " + finding));
        }
    }

    private void show(Verdict verdict) {
        table(verdict.byKind());
        verdict.duplicates().forEach((cause, count) -> print("  repeated because of %s: %,d", cause, count));
        print(
                "  repetitions announced %,d, note lost %,d; suspected though alive %,d; overloads compared %,d",
                verdict.announced(), verdict.excused(), verdict.suspicions(), verdict.throughputs());
        verdict.findings().stream().limit(FINDINGS_SHOWN).forEach(finding -> print("%s", finding));
        if (verdict.findings().size() > FINDINGS_SHOWN) {
            print("… and %,d more", verdict.findings().size() - FINDINGS_SHOWN);
        }
    }

    private void table(List<Totals> kinds) {
        TextTable table = new TextTable().row(Page.COLUMNS.toArray(new String[0]));
        kinds.forEach(kind -> table.row(Page.row(kind).toArray(new String[0])));
        Totals all = new Totals("all");
        kinds.forEach(all::add);
        table.row(Page.row(all).toArray(new String[0]));
        table.lines().forEach(line -> print("  %s", line));
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
