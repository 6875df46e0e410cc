package io.georep.comparison;

import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.report.Latencies;
import io.georep.model.Durability;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A node of a product as a process of its own. It takes commands from its standard input, a line each, and answers each with a
 * line. When the input ends, so does the process.
 */
@Command(name = "ComparisonNode")
final class ComparisonNode implements Callable<Integer> {
    private static final long LOOK_MILLIS = 50;

    @Option(names = "--product", required = true)
    private Product product = Product.GEOREP;

    @Option(names = "--index", required = true)
    private int index;

    @Option(names = "--names", required = true, split = ",")
    private List<String> names = List.of();

    @Option(names = "--hosts", required = true, split = ",")
    private List<String> hosts = List.of();

    @Option(names = "--data", required = true)
    private Path data = Path.of("");

    @Option(names = "--durability", required = true)
    private Durability durability = Durability.FSYNC;

    @Option(names = "--lease-millis", required = true)
    private long leaseMillis;

    @Option(names = "--start-seconds", required = true)
    private int startSeconds;

    private final PrintStream answers;
    private @Nullable Histogram commits;

    private ComparisonNode(PrintStream answers) {
        this.answers = answers;
    }

    /** Options: see {@link Nodes}, which starts it. */
    public static void main(String[] args) {
        PrintStream answers = System.out;
        // What products print must not look like an answer.
        System.setOut(System.err);
        Program.run(new ComparisonNode(answers), args);
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(data);
        Place place = new Place(index, names, hosts, data, durability, leaseMillis);
        try (ComparedMap map = product.open(place);
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            awaitReady(map);
            answers.println("ready");
            serve(map, new Load(map, index, names.size()), commands);
        }
        return 0;
    }

    private void awaitReady(ComparedMap map) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(startSeconds);
        while (!map.ready()) {
            if (System.nanoTime() > until) {
                throw new IOException(product + " on " + names.get(index) + " was not ready within " + startSeconds
                        + " s: can all of " + hosts + " reach each other?");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private void serve(ComparedMap map, Load load, BufferedReader commands) throws IOException {
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            try {
                answers.println(answer(map, load, line.split(" ", -1)));
            } catch (Exception e) {
                e.printStackTrace();
                answers.println("error " + e.toString().lines().findFirst().orElse(""));
            }
        }
    }

    private String answer(ComparedMap map, Load load, String[] words) throws Exception {
        return switch (words[0]) {
            case "fill" -> {
                load.fill(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                yield "filled";
            }
            case "read" -> load.readMany(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "time-reads" -> load.timeReads(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "write" -> load.write(Load.Writing.parse(words));
            case "cpu" -> Long.toString(ProcessMeter.cpuNanos());
            case "watch" -> watch(map);
            case "watched" -> watched();
            default -> "error unknown command " + words[0];
        };
    }

    /**
     * From now on measures the time from each write, on whatever node, to its commit here. All nodes run on one machine and
     * share its clock.
     */
    private synchronized String watch(ComparedMap map) {
        if (commits == null) {
            map.listen(this::committed);
        }
        commits = Latencies.histogram();
        return "watching";
    }

    private synchronized void committed(byte[] value) {
        Histogram into = commits;
        if (into != null && value.length >= Long.BYTES) {
            into.recordValue(
                    Math.max(0, System.nanoTime() - ByteBuffer.wrap(value).getLong()));
        }
    }

    private synchronized String watched() {
        return Latencies.format(commits == null ? Latencies.histogram() : commits);
    }
}
