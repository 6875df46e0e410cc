package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.model.Durability;
import io.georep.spi.PayloadCodec;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Throughput of an ordered map: of clients that each wait for one operation before they make the next. */
@Command(
        name = "georep-bench/run OrderedMapBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput of writes and reads of an ordered map on this machine.")
public final class OrderedMapBench extends LoopbackBench implements Program.Checked {
    /** What the clients do. */
    enum Operation {
        /** Writes, on all nodes. */
        WRITE,
        /** Reads on all nodes but the leader, which each asks. */
        READ,
        /** Reads on the leader, which answers them under its lease. */
        LEASED,
        /** The same on threads that wait for one read after the other. */
        BLOCKING,
        /** Transactions on all nodes that write two keys of one group, where there are two. */
        PAIR,
        /** The same with keys of two groups. */
        TWO_GROUPS
    }

    @Range(min = 1, max = 10_000)
    @Option(
            names = "--clients",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "N,N",
            defaultValue = "300",
            description = "Clients on all nodes together, one run each.")
    private List<Integer> clients = List.of();

    @Option(
            names = "--durability",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "LEVEL,LEVEL",
            defaultValue = "OS,FSYNC",
            description = "Levels, one run each: OS, FSYNC.")
    private List<Durability> levels = List.of();

    @Option(
            names = "--operation",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "KIND,KIND",
            defaultValue = "WRITE,READ,LEASED,BLOCKING,PAIR,TWO_GROUPS",
            description =
                    "What the clients do, one run each: ${COMPLETION-CANDIDATES}. READ is on all nodes but the leader. PAIR and"
                            + " TWO_GROUPS write two keys, ordered by one group or two.")
    private List<Operation> operations = List.of();

    @Range(min = 1, max = 100)
    @Option(names = "--threads", defaultValue = "1", description = "Clients of BLOCKING, each a thread.")
    private int threads;

    @Spec
    private @Nullable CommandSpec spec;

    OrderedMapBench(PrintStream out) {
        super(out);
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new OrderedMapBench(System.out), args);
    }

    @Override
    public void check() {
        if (names().length == 1 && operations.stream().anyMatch(OrderedMapBench::needsTwoNodes)) {
            throw Program.refuse(Objects.requireNonNull(spec), "--nodes is 1, operations of two groups need 2");
        }
    }

    private static boolean needsTwoNodes(Operation operation) {
        return operation == Operation.PAIR || operation == Operation.TWO_GROUPS;
    }

    @Override
    public Integer call() throws Exception {
        header("operation, durability", "clients", "operations");
        boolean sound = true;
        OrderedMapSettings settings = settings(names());
        for (Durability level : levels) {
            for (Operation operation : operations) {
                for (int count : clients) {
                    String what = operation + ", " + level;
                    sound &= needsTwoNodes(operation)
                            ? measurePairs(operation, what, level, count)
                            : onNodes(
                                    level,
                                    builder -> builder.orderedMaps(settings),
                                    (started, restart) -> measure(operation, what, count, started));
                }
            }
        }
        printTable();
        return sound ? 0 : 1;
    }

    /** The first call waits until all nodes are linked, on a busy machine for long. */
    static OrderedMapSettings settings(String... names) {
        return OrderedMapSettings.of(names).times(Duration.ofSeconds(2), START_WITHIN);
    }

    private boolean measure(Operation operation, String what, int count, List<GeoRepNode> started) throws Exception {
        byte[] value = new byte[valueBytes];
        List<OrderedMap<String, byte[]>> maps = new ArrayList<>();
        for (GeoRepNode node : started) {
            maps.add(node.service(OrderedMaps.class).map("bench", PayloadCodec.string(), PayloadCodec.bytes()));
        }
        fill(maps.get(0), keys, value);
        List<Work> works = switch (operation) {
            case WRITE ->
                maps.stream().<Work>map(map -> key -> map.put(key, value)).toList();
            case READ ->
                maps.subList(maps.size() > 1 ? 1 : 0, maps.size()).stream()
                        .<Work>map(map -> map::get)
                        .toList();
            default -> List.of(maps.get(0)::get);
        };
        return operation == Operation.BLOCKING
                ? measureThreads(what, threads, started, maps.get(0)::getBlocking)
                : measure(what, count, started, works);
    }

    private boolean measurePairs(Operation operation, String what, Durability level, int count) throws Exception {
        byte[] value = new byte[valueBytes];
        PairBench.WritePair writes = operation == Operation.PAIR ? PairBench.IN_ONE_GROUP : PairBench.IN_TWO_GROUPS;
        PairBench pairs = new PairBench(names());
        return onNodes(level, builder -> builder.orderedMaps(pairs.settings()), (started, restart) -> {
            pairs.prepare(started, restart, keys, value);
            List<Work> works = started.stream()
                    .map(node -> node.service(OrderedMaps.class))
                    .<Work>map(maps -> key -> maps.call(writes, new PairBench.Entry(key, value)))
                    .toList();
            works.get(0).next(key(0)).toCompletableFuture().get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
            return measure(what, count, started, works);
        });
    }

    /** Writes the keys. The first one also waits for a leader. */
    static void fill(OrderedMap<String, byte[]> map, int keys, byte[] value) throws Exception {
        each(keys, number -> map.put(key(number), value));
    }

    /** Does something with each number, many at once. */
    static void each(int keys, IntFunction<CompletionStage<?>> work) throws Exception {
        int most = 2_000;
        CompletableFuture<?>[] window = new CompletableFuture<?>[Math.min(most, keys)];
        for (int number = 0; number < keys; number++) {
            CompletableFuture<?> before = window[number % window.length];
            if (before != null) {
                before.get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
            }
            window[number % window.length] = work.apply(number).toCompletableFuture();
        }
        CompletableFuture.allOf(window).get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
    }
}
