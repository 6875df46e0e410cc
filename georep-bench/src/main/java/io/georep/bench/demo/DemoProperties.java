package io.georep.bench.demo;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.model.Durability;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the demo as system properties; {@code docs/how-it-works/testing.md} says what they mean. */
@Command(name = "demo")
final class DemoProperties {
    private static final String PREFIX = "demo.";
    private static final int HEAP_MIB = 256;

    @Range(min = 1, max = 10_000_000)
    @Option(names = "demo.entries", defaultValue = "150000")
    private int entries;

    @Range(min = 1, max = 9)
    @Option(names = "demo.nodes", defaultValue = "3")
    private int nodes;

    @Range(min = 0, max = 8)
    @Option(names = "demo.f")
    private @Nullable Integer f;

    @Option(names = "demo.kill")
    private @Nullable String kill;

    @Range(min = 0, max = 10_000)
    @Option(names = "demo.accidents", defaultValue = "0")
    private int accidents;

    @Option(names = "demo.accidents.kinds", split = "\\s*,\\s*")
    private List<AccidentKind> kinds = List.of(AccidentKind.values());

    @Range(min = 0, max = 3600)
    @Option(names = "demo.calm.seconds", defaultValue = "0")
    private int calmSeconds;

    @Range(min = 0, max = 3600)
    @Option(names = "demo.settle.seconds", defaultValue = "2")
    private int settleSeconds;

    @Range(min = 0, max = Integer.MAX_VALUE)
    @Option(names = "demo.seed", defaultValue = "1")
    private int seed;

    @Range(min = 0, max = 1_000)
    @Option(names = "demo.delay.millis", defaultValue = "0")
    private int delayMillis;

    @Range(min = 1, max = 10_000)
    @Option(names = "demo.producers", defaultValue = "50")
    private int producers;

    @Range(min = 0, max = 3600)
    @Option(names = "demo.seconds", defaultValue = "15")
    private int seconds;

    @Range(min = 0, max = 60_000)
    @Option(names = "demo.operator.millis", defaultValue = "250")
    private int operatorMillis;

    @Range(min = Payloads.BYTES_MIN, max = 1 << 20)
    @Option(names = "demo.bytes", defaultValue = "300")
    private int bytes;

    @Option(names = "demo.durability", defaultValue = "FSYNC")
    private Durability durability = Durability.FSYNC;

    @Range(min = 300, max = 60_000)
    @Option(names = "demo.suspect.millis", defaultValue = "1000")
    private int suspectMillis;

    @Range(min = 300, max = 60_000)
    @Option(names = "demo.terminate.millis", defaultValue = "2000")
    private int terminateMillis;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "demo.tombstone.seconds", defaultValue = "86400")
    private int tombstoneSeconds;

    @Range(min = 0, max = 3600)
    @Option(names = "demo.sample.seconds", defaultValue = "0")
    private int sampleSeconds;

    @Range(min = 1, max = 3600)
    @Option(names = "demo.patience", defaultValue = "45")
    private int patienceSeconds;

    /**
     * Takes the properties that start with {@code demo.}; blank ones count as not given.
     *
     * @throws IllegalArgumentException when one is unknown or not valid; the message names it and what is allowed
     */
    static DemoOptions read(Properties properties) {
        return Program.parse(new DemoProperties(), properties, PREFIX).options();
    }

    private DemoOptions options() {
        Set<AccidentKind> chosen = EnumSet.noneOf(AccidentKind.class);
        chosen.addAll(kinds);
        return new DemoOptions(
                entries,
                nodes,
                f != null ? f : Math.min(1, nodes - 1),
                kill != null ? kill : nodes == 1 ? DemoOptions.NOBODY : DemoOptions.nodeName(1),
                new AccidentOptions(
                        accidents, chosen, seed, Duration.ofSeconds(calmSeconds), Duration.ofSeconds(settleSeconds)),
                Duration.ofMillis(delayMillis),
                producers,
                Duration.ofSeconds(seconds),
                Duration.ofMillis(operatorMillis),
                bytes,
                durability,
                Duration.ofMillis(suspectMillis),
                Duration.ofMillis(terminateMillis),
                Duration.ofSeconds(tombstoneSeconds),
                HEAP_MIB,
                0,
                Duration.ofSeconds(sampleSeconds),
                Duration.ofSeconds(patienceSeconds));
    }
}
