package io.georep.comparison;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads and writes of a map of each product, on three or more hosts. */
@Command(
        name = "georep-bench/comparison/run ComparisonBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Reads and writes of replicated maps and of products of others.")
final class ComparisonBench implements Callable<Integer> {
    @Mixin
    private HostOptions hosts = new HostOptions();

    @Mixin
    private WindowOptions window = new WindowOptions();

    @Option(
            names = "--products",
            split = ",",
            defaultValue = "GEOREP,ORDERED,HAZELCAST,HAZELCAST_BACKUP_READS,INFINISPAN,RATIS",
            description = "One after the other: ${COMPLETION-CANDIDATES}.")
    private List<Product> products = List.of();

    @Range(min = 1, max = 10_000)
    @Option(
            names = "--writers",
            split = ",",
            defaultValue = "30,300",
            description = "Writers on all nodes together, one run each; rounded to the same number on each node.")
    private List<Integer> writers = List.of();

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--keys", defaultValue = "10000", description = "Keys that are read and written.")
    private int keys;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "100", description = "Size of a value.")
    private int bytes;

    private final PrintStream out;

    ComparisonBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new ComparisonBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        long failed = 0;
        for (Product product : products) {
            try (Workspace workspace = Workspace.create("georep-comparison-");
                    Nodes nodes = new Nodes(product, hosts.setting(), workspace)) {
                nodes.ask(0, "fill " + keys + " " + bytes);
                readMany(product, nodes);
                failed += single(product, nodes);
                failed += many(product, nodes);
            }
        }
        return failed == 0 ? 0 : 1;
    }

    /** Prints a product's rows as soon as it is done: the next product may not start. */
    private void print(TextTable table) {
        table.print(out);
        out.println();
    }

    /** One thread on one node after the other; the processor time is that of all nodes. */
    private void readMany(Product product, Nodes nodes) throws IOException, InterruptedException {
        long count = 0;
        long nanos = 0;
        long cpu = 0;
        for (int node = 0; node < nodes.size(); node++) {
            nodes.ask(node, "read " + keys + " " + window.warmUp());
            long before = nodes.cpuNanos();
            String[] answer =
                    nodes.ask(node, "read " + keys + " " + window.seconds()).split(" ", -1);
            cpu += nodes.cpuNanos() - before;
            count += Long.parseLong(answer[0]);
            nanos += Long.parseLong(answer[1]);
        }
        Histogram all = Latencies.histogram();
        for (String answer : nodes.askAll("time-reads " + keys + " " + window.seconds())) {
            all.add(Latencies.parse(answer));
        }
        print(new TextTable()
                .row("product", "reads/s", "reads/CPU-s", "p50 ms", "p99 ms")
                .row(
                        product.name(),
                        number(count / (nanos / 1e9)),
                        number(count / (cpu / 1e9)),
                        p(all, 50),
                        p(all, 99)));
    }

    /** One thread or writer on each node, all at the same time. */
    private long single(Product product, Nodes nodes) throws IOException, InterruptedException {
        List<String> read = nodes.askAll("time-reads " + keys + " " + window.seconds());
        List<String> written =
                nodes.askAll(new Load.Writing(1, window.warmUp(), window.seconds(), keys, bytes, null).command());
        TextTable table = new TextTable()
                .row("product, region", "read p50 ms", "read p99 ms", "write p50 ms", "write p99 ms", "failed");
        long failed = 0;
        for (int node = 0; node < nodes.size(); node++) {
            Histogram reading = Latencies.parse(read.get(node));
            Nodes.Written writing = Nodes.Written.sum(written.subList(node, node + 1));
            failed += writing.failed();
            table.row(
                    product + ", " + hosts.names().get(node),
                    p(reading, 50),
                    p(reading, 99),
                    p(writing.latencies(), 50),
                    p(writing.latencies(), 99),
                    Long.toString(writing.failed()));
        }
        print(table);
        return failed;
    }

    private long many(Product product, Nodes nodes) throws IOException, InterruptedException {
        TextTable table =
                new TextTable().row("product", "writers", "writes/s", "writes/CPU-s", "p50 ms", "p99 ms", "failed");
        long failed = 0;
        for (int count : writers) {
            int perNode = Math.max(1, count / nodes.size());
            if (window.warmUp() > 0) {
                nodes.askAll(new Load.Writing(perNode, 0, window.warmUp(), keys, bytes, null).command());
            }
            long cpu = nodes.cpuNanos();
            Nodes.Written all = Nodes.Written.sum(
                    nodes.askAll(new Load.Writing(perNode, 0, window.seconds(), keys, bytes, null).command()));
            cpu = nodes.cpuNanos() - cpu;
            table.row(
                    product.name(),
                    Integer.toString(perNode * nodes.size()),
                    number(all.perSecond()),
                    number(all.perSecond() * window.seconds() / (cpu / 1e9)),
                    p(all.latencies(), 50),
                    p(all.latencies(), 99),
                    Long.toString(all.failed()));
            failed += all.failed();
        }
        print(table);
        return failed;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }

    private static String p(Histogram histogram, double percentage) {
        return String.format(Locale.ROOT, "%.4f", Latencies.millis(histogram, percentage));
    }
}
