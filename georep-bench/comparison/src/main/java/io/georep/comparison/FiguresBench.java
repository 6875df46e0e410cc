package io.georep.comparison;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import io.georep.funnel.Topology;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The figures of the paper, with real processes and connections: how long a write takes by chain and by star, and how many writes
 * there are while the uplink of one node is congested. Chain replication is the chain with the first node as its only head.
 */
@Command(
        name = "georep-bench/comparison/run FiguresBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Chain and star over a network that this program sets with the commands it is given.")
final class FiguresBench implements Callable<Integer> {
    /** The node whose uplink is congested: the second one of the chain, as in the paper. */
    private static final int CONGESTED = 1;

    private static final int KEYS = 100;

    @Mixin
    private HostOptions hosts = new HostOptions();

    @Mixin
    private WindowOptions window = new WindowOptions();

    @Option(
            names = "--set-delay",
            defaultValue = "",
            description = "Command that sets the one-way delay between all hosts to {delay} ms.")
    private String setDelay = "";

    @Option(
            names = "--set-uplink",
            defaultValue = "",
            description = "Command that sets what host {host} can send to {kbit} kbit/s.")
    private String setUplink = "";

    @Range(min = 1, max = 10_000)
    @Option(names = "--delays", split = ",", description = "Milliseconds, for the latency of writes; none by default.")
    private List<Integer> delays = List.of();

    @Range(min = 1, max = 4096)
    @Option(names = "--kilobytes", split = ",", defaultValue = "1,128,1024", description = "Sizes of values.")
    private List<Integer> kilobytes = List.of();

    @Range(min = 0, max = 99)
    @Option(
            names = "--congestion",
            split = ",",
            description = "Percentages of one uplink that others use, for writes per second; none by default.")
    private List<Integer> congestion = List.of();

    @Range(min = 8, max = 10_000_000)
    @Option(names = "--uplink-kbit", defaultValue = "100000", description = "Uplink of each host in kbit/s.")
    private int uplinkKbit;

    @Range(min = 1, max = 1000)
    @Option(
            names = "--writers",
            defaultValue = "10",
            description =
                    "Writers for each node, for writes per second; in the chain all of them are on the first node.")
    private int writers;

    private final PrintStream out;
    private long failed;

    FiguresBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new FiguresBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        for (String host : hosts.names()) {
            uplink(host, uplinkKbit);
        }
        try (Workspace workspace = Workspace.create("georep-figures-");
                Nodes nodes = new Nodes(Product.GEOREP, hosts.setting(), workspace)) {
            nodes.ask(nodes.size() - 1, "watch");
            if (!delays.isEmpty()) {
                latencies(nodes);
            }
            if (!congestion.isEmpty()) {
                throughput(nodes);
            }
        } finally {
            for (String host : hosts.names()) {
                uplink(host, uplinkKbit);
            }
        }
        return failed == 0 ? 0 : 1;
    }

    private void uplink(String host, int kbit) throws IOException, InterruptedException {
        run(setUplink.replace("{host}", host).replace("{kbit}", Integer.toString(kbit)));
    }

    private static void run(String command) throws IOException, InterruptedException {
        if (command.isBlank()) {
            return;
        }
        Process process = new ProcessBuilder(command.strip().split(" +", -1))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("'" + command + "' ended with exit code " + process.exitValue()
                    + ": run it by hand to see what is wrong");
        }
    }

    private void latencies(Nodes nodes) throws IOException, InterruptedException {
        TextTable table = new TextTable()
                .row("N, KB, delay", "chain ms", "star ms", "ratio", "caller: chain ms", "caller: star ms", "failed");
        for (int delay : delays) {
            run(setDelay.replace("{delay}", Integer.toString(delay)));
            // The nodes measure the new delay with their heartbeats, and need it for their timers.
            TimeUnit.SECONDS.sleep(window.warmUp());
            for (int size : kilobytes) {
                Times chain = times(nodes, Topology.CHAIN, size);
                Times star = times(nodes, Topology.STAR, size);
                // A client of the chain may be near any node, but its writes must go to the first.
                double toHead = delay * (nodes.size() - 1.0) / nodes.size();
                table.row(
                        nodes.size() + ", " + size + ", " + delay,
                        number(chain.committed + toHead),
                        number(star.committed),
                        String.format(Locale.ROOT, "%.2f", (chain.committed + toHead) / star.committed),
                        number(chain.caller),
                        number(star.caller),
                        Long.toString(chain.failed + star.failed));
                failed += chain.failed + star.failed;
            }
        }
        print(table);
    }

    /** Medians in milliseconds: until the tail commits, and until the caller on the first node knows it. */
    private record Times(double committed, double caller, long failed) {}

    private Times times(Nodes nodes, Topology topology, int size) throws IOException, InterruptedException {
        nodes.ask(0, new Load.Writing(1, 0, Math.max(1, window.warmUp()), KEYS, size << 10, topology).command());
        nodes.ask(nodes.size() - 1, "watch");
        Nodes.Written written = Nodes.Written.sum(
                List.of(nodes.ask(0, new Load.Writing(1, 0, window.seconds(), KEYS, size << 10, topology).command())));
        double committed = Latencies.millis(Latencies.parse(nodes.ask(nodes.size() - 1, "watched")), 50);
        return new Times(committed, Latencies.millis(written.latencies(), 50), written.failed());
    }

    private void throughput(Nodes nodes) throws IOException, InterruptedException {
        TextTable table = new TextTable().row("N, congestion", "chain writes/s", "star writes/s", "failed");
        List<Integer> all = IntStream.range(0, nodes.size()).boxed().toList();
        for (int percent : congestion) {
            uplink(hosts.names().get(CONGESTED), Math.max(1, uplinkKbit / 100 * (100 - percent)));
            Nodes.Written chain = written(nodes, List.of(0), writers * nodes.size(), Topology.CHAIN);
            Nodes.Written star = written(nodes, all, writers, Topology.STAR);
            failed += chain.failed() + star.failed();
            table.row(
                    nodes.size() + ", " + percent + " %",
                    number(chain.perSecond()),
                    number(star.perSecond()),
                    Long.toString(chain.failed() + star.failed()));
        }
        print(table);
    }

    private Nodes.Written written(Nodes nodes, List<Integer> heads, int perHead, Topology topology)
            throws IOException, InterruptedException {
        Load.Writing how = new Load.Writing(perHead, window.warmUp(), window.seconds(), KEYS, 1 << 10, topology);
        return Nodes.Written.sum(nodes.ask(heads, how.command()));
    }

    private void print(TextTable table) {
        table.print(out);
        out.println();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
