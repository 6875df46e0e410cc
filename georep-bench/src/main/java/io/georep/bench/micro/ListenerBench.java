package io.georep.bench.micro;

import io.georep.GeoRepNode;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.report.TextTable;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the starter costs beside the engine: one node in a Spring application, whose queues end in handlers given to the node and in
 * methods with {@link OutboxListener}. The queues take turns within the rounds, so that all of them see the same machine and the
 * ratios mean something on a busy one.
 */
@Command(
        name = "georep-bench/run ListenerBench",
        sortOptions = false,
        description =
                "Entries per CPU-second through listeners of the Spring Boot starter, beside the same node without it.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:all entries came", "1:some did not", "2:options not valid"})
public final class ListenerBench implements Callable<Integer> {
    private static final long COME_SECONDS = 600;

    /** Entries that may be stored and not taken, before clients rest. */
    private static final int BEHIND_MAX = 10_000;

    /** A way from a send to whoever takes the entry. */
    public enum Way {
        /** The node's outbox, to a handler. */
        ENGINE,
        /** The node's outbox, to a handler that takes batches. */
        ENGINE_BATCH,
        /** The node's outbox, to a handler that runs eight times at once. */
        ENGINE_8,
        /** The starter's outbox, to a handler. */
        SEND,
        /** The starter's outbox, to a method. */
        SINGLE,
        /** The starter's outbox, to a method that runs eight times at once. */
        SINGLE_8,
        /** The starter's outbox, to a method that takes lists. */
        BATCH
    }

    @Option(names = "--ways", split = "\\s*,\\s*", description = "Of ${COMPLETION-CANDIDATES}; default: all.")
    private List<Way> ways = Arrays.asList(Way.values());

    @Range(min = 1, max = 100_000)
    @Option(names = "--clients", defaultValue = "300", description = "Clients; each waits until its entry is stored.")
    private int clients;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--window", defaultValue = "10000", description = "Entries that may be with a handler or method.")
    private int window;

    @Range(min = 1, max = 100_000)
    @Option(names = "--batch", defaultValue = "1000", description = "Most entries of a batch.")
    private int batch;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Bytes of a payload.")
    private int bytes;

    @Range(min = 1, max = 1000)
    @Option(names = "--warm-up", defaultValue = "5", description = "Rounds before those that count.")
    private int warmUps;

    @Range(min = 1, max = 1000)
    @Option(names = "--rounds", defaultValue = "3", description = "Rounds that count.")
    private int rounds;

    @Range(min = 1, max = 1_000_000_000)
    @Option(
            names = "--entries",
            defaultValue = "300000",
            description = "Entries of a way in a round: so much work, however busy the machine is.")
    private int entries;

    @Option(
            names = "--observed",
            description = "Sends and calls are observed by meters, as in an application with Actuator.")
    private boolean observed;

    /** The application; its listeners ask it where to count. */
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Receiver receiver() {
            return new Receiver();
        }
    }

    /** Takes what the starter forwards. */
    static class Receiver {
        final ClosedLoop single = new ClosedLoop();
        final ClosedLoop single8 = new ClosedLoop();
        final ClosedLoop batch = new ClosedLoop();

        @OutboxListener("SINGLE")
        void single(byte[] payload) {
            single.came(1);
        }

        @OutboxListener(queue = "SINGLE_8", concurrency = "8")
        void single8(byte[] payload) {
            single8.came(1);
        }

        @OutboxListener(queue = "BATCH", batch = true)
        void batch(List<byte[]> payloads) {
            batch.came(payloads.size());
        }
    }

    /** What a way did in one round that counts. */
    private record Figures(double perCpuSecond, double bytesPerEntry) {}

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new ListenerBench(), args);
    }

    @Override
    public Integer call() throws Exception {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "georep.node-id", "bench",
                "georep.durability", "memory",
                "georep.listener.window", window,
                "georep.listener.batch-max", batch,
                "spring.main.banner-mode", "off"));
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(properties);
        if (!observed) {
            application.properties("spring.autoconfigure.exclude=" + ObservationAutoConfiguration.class.getName());
        }
        try (ConfigurableApplicationContext context = application.run()) {
            Map<Way, ClosedLoop> loops = loops(context);
            Map<Way, List<Figures>> figures = new EnumMap<>(Way.class);
            for (int round = -warmUps; round < rounds; round++) {
                for (Way way : ways) {
                    Figures figure = turn(Objects.requireNonNull(loops.get(way)));
                    if (round >= 0) {
                        figures.computeIfAbsent(way, none -> new ArrayList<>()).add(figure);
                    }
                }
            }
            print(figures);
            return 0;
        }
    }

    private Map<Way, ClosedLoop> loops(ConfigurableApplicationContext context) {
        GeoRepNode node = context.getBean(GeoRepNode.class);
        Outboxes outboxes = context.getBean(Outboxes.class);
        Receiver receiver = context.getBean(Receiver.class);
        Map<Way, ClosedLoop> loops = new EnumMap<>(Way.class);
        for (Way way : ways) {
            boolean engine = way == Way.ENGINE || way == Way.ENGINE_8 || way == Way.ENGINE_BATCH;
            Outbox<byte[]> outbox = engine
                    ? node.outbox(way.name(), byte[].class, options -> options.f(0))
                    : outboxes.outbox(way.name(), byte[].class);
            ClosedLoop loop = switch (way) {
                case SINGLE -> receiver.single;
                case SINGLE_8 -> receiver.single8;
                case BATCH -> receiver.batch;
                default -> new ClosedLoop();
            };
            loop.begin(outbox, bytes, BEHIND_MAX);
            Consumer<ForwardOptions> options =
                    chosen -> chosen.window(window).batchMax(batch).concurrency(way == Way.ENGINE_8 ? 8 : 1);
            switch (way) {
                case ENGINE_BATCH -> outbox.forwardBatches(deliveries -> loop.came(deliveries.size()), options);
                case ENGINE, ENGINE_8, SEND -> outbox.forward(delivery -> loop.came(1), options);
                default -> {}
            }
            loops.put(way, loop);
        }
        return loops;
    }

    private Figures turn(ClosedLoop loop) throws InterruptedException {
        long cpu = ProcessMeter.cpuNanos();
        long allocated = ProcessMeter.allocatedBytes();
        loop.run(clients, entries, COME_SECONDS);
        allocated = ProcessMeter.allocatedBytes() - allocated;
        cpu = ProcessMeter.cpuNanos() - cpu;
        return new Figures(entries / (cpu / 1e9), (double) allocated / entries);
    }

    private void print(Map<Way, List<Figures>> figures) {
        TextTable table = new TextTable();
        table.row("way", "entries/CPU-s", "of the first way", "bytes/entry");
        List<Figures> first = Objects.requireNonNull(figures.get(ways.get(0)));
        figures.forEach((way, all) -> {
            double[] ratios = new double[all.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = all.get(i).perCpuSecond() / first.get(i).perCpuSecond();
            }
            table.row(
                    way.name(),
                    span("%.0f", all.stream().mapToDouble(Figures::perCpuSecond).toArray()),
                    span("%.2f", ratios),
                    span(
                            "%.0f",
                            all.stream().mapToDouble(Figures::bytesPerEntry).toArray()));
        });
        table.print(System.out);
    }

    /** Minimum, median and maximum. */
    private static String span(String format, double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        String each = format + " " + format + " " + format;
        return String.format(Locale.ROOT, each, sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
    }
}
