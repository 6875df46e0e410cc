package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.bench.process.ProcessMeter;
import io.georep.model.ProtocolConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Three nodes get far more work than they can do. Then what they keep in memory has a bound, no node is given up, each refusal
 * says why, and the throughput is back within 10 s. Each trouble lasts for a moment in every build, and for minutes with {@code
 * -Doverload.seconds=180}.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class OverloadIT {
    private static final int SECONDS = Integer.getInteger("overload.seconds", 0);
    private static final boolean LONG = SECONDS > 0;
    private static final int RATE = Integer.getInteger("overload.rate", 1000);
    private static final int PAYLOAD_BYTES = 1000;
    private static final int TEN_SECONDS = 100;

    /** Slots before the trouble. */
    private static final int BEFORE = LONG ? TEN_SECONDS : OverloadFlow.SLOTS;

    /** Slots within which nodes without trouble have to keep up. */
    private static final int STEADY_WITHIN = 600;

    private static final int DURING = LONG ? 10 * SECONDS : 15;

    /**
     * This share of the rate counts as full: more than two of three nodes reach, and less than all, since the machine has other
     * work as well.
     */
    private static final double FULL = 0.8;

    /** Slots until the throughput must be back; more in the build, whose disk may be busy with other work. */
    private static final int BACK_WITHIN = LONG ? TEN_SECONDS : 3 * TEN_SECONDS;

    private static final Duration DRAINED_WITHIN = Duration.ofMinutes(LONG ? 20 : 1);

    private static final long PENDING_BYTES = 4 << 20;
    private static final long CACHE_BYTES = 2 << 20;
    private static final long STORE_BACKLOG_BYTES = 8 << 20;

    /**
     * What three nodes may keep: their bounds twice, because a payload has a frame and an object around it, and the queues of
     * two links each.
     */
    private static final long HEAP_BYTES =
            3 * (2 * (PENDING_BYTES + CACHE_BYTES + STORE_BACKLOG_BYTES) + (2L * 8 << 20));

    /** What overloads the nodes. */
    enum Trouble {
        /** Producers are ten times as fast as the consumer. */
        FLOOD {
            @Override
            void begin(OverloadedNodes on, OverloadFlow of) {
                of.takePerSecond(RATE);
            }
        },
        /** A node reads slowly what the others send, but within T_s + T_x more than the sockets hold. */
        SLOW_READER {
            @Override
            void begin(OverloadedNodes on, OverloadFlow of) {
                on.readSlowly(LONG ? 64 << 10 : 512 << 10);
            }
        },
        /** No handler returns. */
        HUNG_HANDLER {
            @Override
            void begin(OverloadedNodes on, OverloadFlow of) {
                of.takePerSecond(0);
            }
        },
        /** The disk of a node answers nothing. */
        STALLED_DISK {
            @Override
            void begin(OverloadedNodes on, OverloadFlow of) {
                on.hangDisk(true);
            }

            @Override
            int lasts() {
                return Math.min(DURING, TEN_SECONDS);
            }
        };

        abstract void begin(OverloadedNodes on, OverloadFlow of);

        /** How many slots the trouble lasts. */
        int lasts() {
            return DURING;
        }
    }

    @TempDir
    static Path directory;

    private static final OverloadFlow FLOW = new OverloadFlow(PAYLOAD_BYTES, 2 * 60 * 60 + 4L * SECONDS);
    private static OverloadedNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new OverloadedNodes(directory, config(), FLOW);
        FLOW.produce(RATE, BEFORE);
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    /**
     * Sets T_s and T_x so that each trouble lasts longer than it takes until a silent node is given up: the usual times for a
     * run of minutes, shorter ones in the build.
     */
    private static ProtocolConfig config() {
        ProtocolConfig.Builder config = ProtocolConfig.builder()
                .pendingBytesMax(PENDING_BYTES)
                .cacheBytesMax(CACHE_BYTES)
                .storeBacklogBytesMax(STORE_BACKLOG_BYTES);
        if (!LONG) {
            config.heartbeat(Duration.ofMillis(300))
                    .suspectAfter(Duration.ofMillis(1200))
                    .terminateAfter(Duration.ofMillis(1500))
                    .putTimeout(Duration.ofSeconds(1))
                    .storeStallAfter(Duration.ofMillis(500));
        }
        return config.build();
    }

    @ParameterizedTest
    @EnumSource
    void bearsItAndIsSoonBack(Trouble trouble) {
        int quiet = produceUntilSteady();
        double acknowledged = Math.min(RATE, FLOW.acknowledgedPerSecond(quiet - BEFORE, quiet));
        double forwarded = Math.min(RATE, FLOW.forwardedPerSecond(quiet - BEFORE, quiet));
        FLOW.refusals();
        long heap = ProcessMeter.liveHeapBytes();

        trouble.begin(nodes, FLOW);
        int start = FLOW.slot();
        FLOW.produce(10 * RATE, trouble.lasts());
        double during = FLOW.acknowledgedPerSecond(start, FLOW.slot());
        long grown = ProcessMeter.liveHeapBytes() - heap;
        nodes.hangDisk(false);
        nodes.healNetwork();
        FLOW.takePerSecond(OverloadFlow.ALL);
        FLOW.countAnew();
        int over = FLOW.slot() + 1;
        FLOW.produce(RATE, () -> FLOW.slot() - over >= BACK_WITHIN || (!LONG && back(over, acknowledged, forwarded)));

        Map<String, Long> refusals = FLOW.refusals();
        double ratio = FLOW.acknowledgedPerSecond(over, FLOW.slot()) / acknowledged;
        System.out.printf(
                Locale.ROOT,
                "overload %-12s acknowledged/s before %.0f, during %.0f, after %.0f (%.2f x) over %.1f s;"
                        + " back after %.1f s; heap %+.1f MiB of at most %d; suspected %s; refused %s%n",
                trouble,
                acknowledged,
                during,
                ratio * acknowledged,
                ratio,
                (FLOW.slot() - over) / 10.0,
                backAfter(over, acknowledged, forwarded) / 10.0,
                grown / 1048576.0,
                HEAP_BYTES >> 20,
                nodes.falseSuspicions(),
                refusals);
        assertThat(backAfter(over, acknowledged, forwarded))
                .as("tenths of a second until the throughput was back")
                .isLessThanOrEqualTo(BACK_WITHIN);
        assertThat(grown).as("heap").isLessThan(HEAP_BYTES);
        assertThat(nodes.falseSuspicions()).isEmpty();
        assertThat(FLOW.untyped()).isEmpty();
        if (trouble == Trouble.STALLED_DISK) {
            assertThat(refusals).containsKey("STORE_STALLED");
        }
        assertNothingIsLost();
    }

    /** Returns the end of the slots in which there was no overload. */
    private static int produceUntilSteady() {
        int from = FLOW.slot() + 1;
        FLOW.produce(RATE, () -> FLOW.slot() - from >= BEFORE + STEADY_WITHIN || steady(from, FLOW.slot()));
        int until = FLOW.slot();
        assertThat(FLOW.acknowledgedPerSecond(until - BEFORE, until))
                .as("acknowledged per second in quiet times, of " + RATE + ": lower -Doverload.rate on a slow machine")
                .isGreaterThanOrEqualTo(FULL * RATE);
        return until;
    }

    private static boolean steady(int from, int until) {
        return until - from >= BEFORE
                && FLOW.acknowledgedPerSecond(until - BEFORE, until) >= FULL * RATE
                && FLOW.forwardedPerSecond(until - BEFORE, until) >= FULL * RATE;
    }

    private static void assertNothingIsLost() {
        await().atMost(DRAINED_WITHIN).untilAsserted(() -> {
            assertThat(FLOW.unanswered()).as("sends without an answer").isZero();
            assertThat(FLOW.lost()).as("acknowledged and not forwarded").isZero();
            assertThat(nodes.kept()).as("left on the nodes").isZero();
        });
        assertThat(FLOW.unexpected()).as("forwarded although refused").isZero();
        if (nodes.allTrustedEachOther()) {
            assertThat(FLOW.repetitions()).as("forwarded again").isZero();
        }
    }

    private static boolean back(int over, double acknowledged, double forwarded) {
        return backAfter(over, acknowledged, forwarded) <= BACK_WITHIN;
    }

    /**
     * Returns the slots until, over half a second, as much was acknowledged and forwarded as before; one more than allowed if
     * it was not.
     */
    private static int backAfter(int over, double acknowledged, double forwarded) {
        for (int from = over; from + OverloadFlow.SLOTS <= FLOW.slot(); from++) {
            int until = from + OverloadFlow.SLOTS;
            if (FLOW.acknowledgedPerSecond(from, until) >= FULL * acknowledged
                    && FLOW.forwardedPerSecond(from, until) >= FULL * forwarded) {
                return until - over;
            }
        }
        return BACK_WITHIN + 1;
    }
}
