package io.georep.bench.demo;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.model.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of a chaos run as system properties, and what a round draws from its seed; see {@code docs/how-it-works/testing.md}. */
@Command(name = "chaos")
final class ChaosOptions {
    private static final String PREFIX = "chaos.";

    /** Less than in the demo, so that entries that wait cannot be kept in memory. */
    private static final int HEAP_MIB = 128;

    private static final int ACCIDENTS = 10_000;
    private static final Duration SETTLE = Duration.ofSeconds(2);
    private static final Duration SUSPECT_AFTER = Duration.ofSeconds(2);
    private static final Duration TERMINATE_AFTER = Duration.ofSeconds(2);

    /** Time between the accidents of an overload, so that throughput can be compared before and after each. */
    private static final Duration CALM = Duration.ofSeconds(16);

    private static final Set<AccidentKind> OVERLOADS = EnumSet.of(
            AccidentKind.HANG, AccidentKind.CONSUMER, AccidentKind.FLOOD, AccidentKind.SLOW, AccidentKind.DELAY);

    private static final List<Integer> OPERATOR_MILLIS = List.of(20, 200, 2000);

    @Range(min = 0, max = Integer.MAX_VALUE)
    @Option(names = "chaos.seed")
    private @Nullable Integer seed;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "chaos.seconds", defaultValue = "120")
    private int seconds;

    @Range(min = 5, max = 3600)
    @Option(names = "chaos.round.seconds", defaultValue = "45")
    private int roundSeconds;

    @Range(min = 0, max = 100_000)
    @Option(names = "chaos.rounds", defaultValue = "0")
    private int rounds;

    @Range(min = 10, max = 100_000)
    @Option(names = "chaos.rate", defaultValue = "2000")
    private int rate;

    @Range(min = 2, max = 9)
    @Option(names = "chaos.nodes")
    private @Nullable Integer nodes;

    @Range(min = 1, max = 8)
    @Option(names = "chaos.f")
    private @Nullable Integer f;

    @Range(min = 1, max = 3600)
    @Option(names = "chaos.patience", defaultValue = "120")
    private int patienceSeconds;

    @Option(names = "chaos.kinds", split = "\\s*,\\s*")
    private List<AccidentKind> kinds = List.of(AccidentKind.values());

    @Option(names = "chaos.directory", defaultValue = "target/chaos")
    private Path directory = Path.of("");

    @Option(names = "chaos.history")
    private @Nullable Path history;

    private ChaosOptions() {}

    /**
     * Takes the properties that start with {@code chaos.}; blank ones count as not given.
     *
     * @throws IllegalArgumentException when one is unknown or not valid; the message names it and what is allowed
     */
    static ChaosOptions of(Properties properties) {
        ChaosOptions read = Program.parse(new ChaosOptions(), properties, PREFIX);
        if (read.seed == null) {
            read.seed = new Random().nextInt(1_000_000);
        }
        if (read.nodes != null && read.f != null && read.f >= read.nodes) {
            throw new IllegalArgumentException("chaos.f is " + read.f + " with " + read.nodes
                    + " nodes: each entry needs f + 1 nodes; lower chaos.f or raise chaos.nodes");
        }
        return read;
    }

    /** Seed of the first round; each further one has the next. */
    int seed() {
        return seed == null ? 0 : seed;
    }

    /** For how long new rounds begin. */
    Duration time() {
        return Duration.ofSeconds(seconds);
    }

    /** How many rounds there are; 0: as many as begin in time. */
    int rounds() {
        return rounds;
    }

    /** Where histories and verdict go. */
    Path directory() {
        return directory;
    }

    /** A history to judge again, instead of any round; null if there is none. */
    @Nullable
    Path history() {
        return history;
    }

    /** What repeats one round, with whatever its seed does not decide. */
    String command(int roundSeed) {
        StringBuilder command = new StringBuilder("./mvnw -Dgroups=chaos -Dchaos.rounds=1 -Dchaos.seed=")
                .append(roundSeed)
                .append(" -Dchaos.round.seconds=")
                .append(roundSeconds)
                .append(" -Dchaos.rate=")
                .append(rate);
        if (nodes != null) {
            command.append(" -Dchaos.nodes=").append(nodes);
        }
        if (f != null) {
            command.append(" -Dchaos.f=").append(f);
        }
        if (kinds.size() < AccidentKind.values().length) {
            command.append(" -Dchaos.kinds=")
                    .append(String.join(",", kinds.stream().map(Enum::name).toList()));
        }
        return command.toString();
    }

    /** Draws a round. */
    DemoOptions round(int roundSeed) {
        Random random = new Random(roundSeed);
        int drawnNodes = 3 + random.nextInt(3);
        int count = nodes != null ? nodes : f != null ? Math.max(drawnNodes, f + 2) : drawnNodes;
        // If possible, all copies have room even if one node is down.
        int drawnF = 1 + random.nextInt(Math.max(1, Math.min(2, count - 2)));
        int copies = f != null ? f : drawnF;
        Set<AccidentKind> drawn = draw(random);
        boolean calm = OVERLOADS.containsAll(drawn);
        return new DemoOptions(
                rate * roundSeconds,
                count,
                copies,
                DemoOptions.NOBODY,
                new AccidentOptions(ACCIDENTS, drawn, roundSeed, calm ? CALM : Duration.ZERO, SETTLE),
                Duration.ofMillis(random.nextBoolean() ? 0 : 1 + random.nextInt(20)),
                30,
                Duration.ofSeconds(roundSeconds),
                Duration.ofMillis(OPERATOR_MILLIS.get(random.nextInt(OPERATOR_MILLIS.size()))),
                300,
                random.nextInt(4) == 0 ? Durability.OS : Durability.FSYNC,
                SUSPECT_AFTER,
                TERMINATE_AFTER,
                Duration.ofDays(1),
                HEAP_MIB,
                Math.max(1, rate * roundSeconds / 20),
                Duration.ZERO,
                Duration.ofSeconds(patienceSeconds));
    }

    /** Some rounds leave out whole kinds, because one trouble can hide another. Some consist of overloads only. */
    private Set<AccidentKind> draw(Random random) {
        boolean overload = random.nextInt(4) == 0;
        Set<AccidentKind> drawn = EnumSet.noneOf(AccidentKind.class);
        for (AccidentKind kind : AccidentKind.values()) {
            boolean chosen = overload ? OVERLOADS.contains(kind) : random.nextInt(10) < 7;
            if (chosen && kinds.contains(kind)) {
                drawn.add(kind);
            }
        }
        if (drawn.isEmpty()) {
            drawn.addAll(kinds);
        }
        return drawn;
    }
}
