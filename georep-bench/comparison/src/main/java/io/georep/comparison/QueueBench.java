package io.georep.comparison;

import io.georep.bench.process.MachineMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import io.georep.model.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * GeoRep's outbox beside the queues of others, three nodes of each on this machine: entries that are sent, acknowledged, handled
 * and deleted. Products take turns, so that a machine that changes its speed does so for all of them.
 */
@Command(
        name = "georep-bench/comparison/run QueueBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Entries through GeoRep's outbox and through queues of others.")
final class QueueBench implements Callable<Integer> {
    private static final int NODES = 3;
    private static final Duration DRAIN_WITHIN = Duration.ofSeconds(20);
    private static final long LOOK_MILLIS = 100;
    private static final long ACCEPTS_WITHIN_MILLIS = 2000;

    @Option(
            names = "--products",
            split = ",",
            defaultValue = "GEOREP,HAZELCAST,RABBITMQ,KAFKA,POSTGRES",
            description = "In this order: ${COMPLETION-CANDIDATES}.")
    private List<QueueProduct> products = List.of();

    @Option(
            names = "--durability",
            split = ",",
            defaultValue = "MEMORY,OS,FSYNC",
            description = "Levels of the products that are measured: ${COMPLETION-CANDIDATES}.")
    private List<Durability> levels = List.of();

    @Range(min = 1, max = 10_000)
    @Option(
            names = "--clients",
            split = ",",
            defaultValue = "100,300",
            description = "Closed-loop clients for each node, one after the other in the same processes.")
    private List<Integer> clients = List.of();

    @Range(min = 1, max = 100)
    @Option(names = "--rounds", defaultValue = "1", description = "So often; all products once in each.")
    private int rounds;

    @Mixin
    private WindowOptions window = new WindowOptions();

    @Range(min = 20, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Size of a payload.")
    private int bytes;

    @Range(min = 0, max = 600)
    @Option(
            names = "--kill",
            defaultValue = "0",
            description = "Seconds for which the others are watched after the first node is killed, with its server, under the"
                    + " last of the loads; 0 to kill none.")
    private int killSeconds;

    @Option(names = "--json", description = "File to which a line of JSON is added for each run.")
    private @Nullable Path json;

    @Option(
            names = "--network",
            defaultValue = "127.0.20.",
            description = "Nodes have the addresses 1 to 3 of this network.")
    private String network = "";

    @Option(names = "--jvm", split = ",", defaultValue = "-Xmx512m", description = "Options of the JVMs of the nodes.")
    private List<String> jvmOptions = List.of();

    @Range(min = 1, max = 600)
    @Option(names = "--start-within", defaultValue = "90", description = "Seconds a product has to start.")
    private int startSeconds;

    private final PrintStream out;
    private final List<QueueResult> results = new ArrayList<>();

    /** What all lines of JSON have in common. */
    private String origin = "";

    QueueBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new QueueBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        Map<String, String> machine = MachineMeter.description();
        origin = String.format(
                Locale.ROOT,
                "{\"warmUp\":%d,\"seconds\":%d,\"commit\":\"%s\",\"date\":\"%s\",",
                window.warmUp(),
                window.seconds(),
                machine.get("commit"),
                machine.get("date"));
        for (int round = 1; round <= rounds; round++) {
            for (QueueProduct product : products) {
                if (!product.available()) {
                    out.println(product + " is left out: its programs are not on this machine");
                    continue;
                }
                for (Durability level : product.levels()) {
                    if (levels.contains(level)) {
                        run(product, level, round);
                    }
                }
            }
        }
        TextTable table = new TextTable().row(QueueResult.headings());
        results.forEach(result -> table.row(result.cells()));
        out.println();
        table.print(out);
        return results.stream().allMatch(QueueResult::sound) ? 0 : 1;
    }

    private Nodes.Setting setting(Durability level) {
        Map<String, String> hosts = new LinkedHashMap<>();
        for (int i = 1; i <= NODES; i++) {
            hosts.put("node" + i, network + i);
        }
        return new Nodes.Setting(hosts, "", jvmOptions, level, Duration.ofSeconds(2), Duration.ofSeconds(startSeconds));
    }

    private void run(QueueProduct product, Durability level, int round) throws Exception {
        try (Workspace workspace = Workspace.create("georep-queues-");
                QueueServers servers = new QueueServers(
                        Files.createDirectory(workspace.directory().resolve("servers")))) {
            Nodes.Setting setting = setting(level);
            product.start(servers, List.copyOf(setting.hosts().values()), level, startSeconds);
            try (Nodes nodes = new Nodes(QueueNode.class, product.name(), setting, workspace)) {
                nodes.askAll("consume");
                runs(nodes, product, level, round);
                if (killSeconds > 0) {
                    killFirst(nodes, servers, setting, product, product.durability(level), round);
                }
            }
        }
    }

    private void runs(Nodes nodes, QueueProduct product, Durability level, int round) throws Exception {
        for (int count : clients) {
            QueueResult result = run(nodes, product, product.durability(level), count, round);
            results.add(result);
            tell(result.json());
        }
    }

    /** Who acknowledges entries after a node and its server were killed, and for how long nobody does. */
    private void killFirst(
            Nodes nodes, QueueServers servers, Nodes.Setting setting, QueueProduct product, String durability, int round)
            throws IOException, InterruptedException {
        int count = clients.get(clients.size() - 1);
        nodes.askAll("watch");
        nodes.askAll("load " + count + " " + bytes);
        TimeUnit.SECONDS.sleep(window.warmUp());
        List<Integer> others = List.of(1, 2);
        nodes.ask(others, "watch");
        servers.kill(List.copyOf(setting.hosts().values()).get(0));
        nodes.kill(0);
        TimeUnit.SECONDS.sleep(killSeconds);
        List<String> pauses = nodes.ask(others, "pauses");
        nodes.ask(others, "stop");
        long longest = pauses.stream()
                .mapToLong(each -> Long.parseLong(each.split(" ", -1)[0]))
                .max()
                .orElseThrow();
        long accepting = pauses.stream()
                .filter(each -> Long.parseLong(each.split(" ", -1)[1]) < ACCEPTS_WITHIN_MILLIS)
                .count();
        tell(String.format(
                Locale.ROOT,
                "{\"bench\":\"peers-kill\",\"product\":\"%s\",\"durability\":\"%s\",\"clients\":%d,\"round\":%d,"
                        + "\"watchedSeconds\":%d,\"pauseMillis\":%d,\"accepting\":%d}",
                product,
                durability,
                count,
                round,
                killSeconds,
                longest,
                accepting));
    }

    private QueueResult run(Nodes nodes, QueueProduct product, String durability, int count, int round)
            throws IOException, InterruptedException {
        nodes.askAll("load " + count + " " + bytes);
        TimeUnit.SECONDS.sleep(window.warmUp());
        nodes.askAll("mark");
        MachineUse useBefore = MachineUse.now();
        Sample before = sample(nodes);
        TimeUnit.SECONDS.sleep(window.seconds());
        MachineUse use = MachineUse.now().since(useBefore);
        Sample after = sample(nodes);
        Histogram sends = Latencies.histogram();
        for (String answer : nodes.askAll("sends")) {
            sends.add(Latencies.parse(answer));
        }
        long resident = MachineUse.residentBytes();
        nodes.askAll("stop");
        boolean drained = drains(nodes);
        long ended = after.since(before).get("ended");
        boolean sound = drained && ended > 0 && sample(nodes).get("failures") == 0;
        return new QueueResult(product, durability, count, round, ended, use, sends, resident, sound);
    }

    private static Sample sample(Nodes nodes) throws IOException, InterruptedException {
        return nodes.askAll("sample").stream()
                .map(Sample::parse)
                .reduce(Sample::plus)
                .orElseThrow();
    }

    private static boolean drains(Nodes nodes) throws IOException, InterruptedException {
        long until = System.nanoTime() + DRAIN_WITHIN.toNanos();
        while (System.nanoTime() < until) {
            Sample sample = sample(nodes);
            if (sample.get("ended") >= sample.get("sent")) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return false;
    }

    /** Writes a line of JSON, with what it has in common with the others. */
    private void tell(String fields) throws IOException {
        String line = origin + fields.substring(1);
        out.println(line);
        out.flush();
        if (json != null) {
            Files.writeString(
                    json,
                    line + System.lineSeparator(),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }
}
