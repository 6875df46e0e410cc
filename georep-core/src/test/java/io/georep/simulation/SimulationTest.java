package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The production protocols under random trouble: nothing acknowledged is lost, every repetition has a reason. */
class SimulationTest {
    private static final int FIXED_RUNS = 700;
    private static final int LONG_RUNS = 300;
    private static final int SOFTWARE_RUNS = 20;
    private static final int TARGETS_RUNS = 20;
    private static final int RETUNED_FIRST = -130;
    private static final int RETUNED_RUNS = 20;
    private static final int FRESH_RUNS = 500;

    /** Of the first of great breadth, those that take little time and together meet every circumstance several times. */
    private static final List<Long> BROAD = List.of(3L, 5L, 9L, 14L, 15L, 16L, 18L, 26L, 29L, 31L, 32L, 33L);

    /** The same below zero. */
    private static final List<Long> BROAD_AND_LONG = List.of(3L, 6L, 7L, 8L, 12L, 14L, 15L, 19L, 20L, 24L, 25L, 28L);

    private static final int OF_EACH_CIRCUMSTANCE = 3;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static Runs.Total run(long first, long count, LongFunction<SimulationOptions> options)
            throws InterruptedException {
        Runs.Total total = Runs.run(first, count, System.nanoTime() + LIMIT_NANOS, options);
        assertThat(total.runs()).isEqualTo(count);
        return total;
    }

    @Test
    void fixedSeedsKeepAllPromises() throws InterruptedException {
        Runs.Total total = run(1, FIXED_RUNS, Swarm::swarm);

        System.out.println("fixed seeds: " + total);
        // 1055 when this was written: faults that only cost repetitions raise it by a third and more.
        assertThat(total.repetitions()).isLessThan(1265);
    }

    /** Entries that wait for long change hands often. */
    @Test
    void entriesThatWaitForLongKeepAllPromises() throws InterruptedException {
        Runs.Total total = run(-LONG_RUNS, LONG_RUNS, Swarm::swarm);

        System.out.println("long-lived entries: " + total);
        // 150 when this was written: faults that only cost repetitions raise it by a third and more.
        assertThat(total.repetitions()).isLessThan(172);
    }

    /** Circumstances under which rules work that otherwise rest: see {@link Breadth}. */
    @Test
    void runsOfGreatBreadthKeepAllPromises() throws InterruptedException {
        List<Long> seeds = Stream.concat(
                        BROAD.stream().map(seed -> Swarm.BROAD + seed),
                        BROAD_AND_LONG.stream().map(seed -> -Swarm.BROAD - seed))
                .toList();

        Runs.Total total = run(0, seeds.size(), index -> Swarm.swarm(seeds.get((int) index)));

        assertThat(Breadth.Kind.values())
                .allSatisfy(kind -> assertThat(total.coverage().runs(kind, Coverage.OUTBOX))
                        .as("runs of %s", kind)
                        .isGreaterThanOrEqualTo(OF_EACH_CIRCUMSTANCE));
    }

    /**
     * Unlike software: a second protocol that each process hosts in one of two versions or not at all, and nodes of later
     * releases that send what nobody knows. It all is left aside, no link breaks for it, and no message beside it is lost.
     */
    @Test
    void nodesOfUnlikeSoftwareKeepAllPromises() throws InterruptedException {
        run(1, SOFTWARE_RUNS, seed -> Swarm.swarm(seed, EnumSet.of(Breadth.Kind.SOFTWARE)));
    }

    /** Every other node hands over what it holds, under all kinds of trouble. */
    @Test
    void nodesThatHandOverKeepAllPromises() throws InterruptedException {
        run(1, TARGETS_RUNS, seed -> Swarm.swarm(seed, EnumSet.of(Breadth.Kind.TARGETS)));
    }

    /** Each restart of a node finds another T_s and T_x, which the others have yet to be told. */
    @Test
    void nodesWithOtherSettingsAfterEachRestartKeepAllPromises() throws InterruptedException {
        run(RETUNED_FIRST, RETUNED_RUNS, seed -> Swarm.swarm(seed, EnumSet.of(Breadth.Kind.RETUNED)));
    }

    /**
     * Others of both kinds for each state of the sources: a build can be repeated, and every change meets seeds that were
     * never run. Of great breadth are those of the soak, which has the time and draws by the clock.
     */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long first = sourceHash() * 1000;
        System.out.println("fresh seeds from " + first);

        run(first, FRESH_RUNS, seed -> Swarm.swarm(seed % 5 == 0 ? -seed : seed));
    }

    /** A positive number below 2^32 that changes with any source file of the module. */
    static long sourceHash() throws IOException {
        CRC32C hash = new CRC32C();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                hash.update(Files.readAllBytes(file));
            }
        }
        return 1 + hash.getValue();
    }

    /**
     * Seeds beyond the fixed ones that found a bug: a copy stayed that nobody left knew of (the first five); a node two of
     * whose dead boots were known on two sides of a partition kept silent until it was given up; a GOODBYE kept another
     * boot with the same number out; an entry was handed out before its adoption was durable, because its commit came then;
     * the judge wanted a warning from a node that an operator had removed while it ran; the judge counted what a process said that
     * had yet to take the id of the cluster; of three members of maps one was away, one died for good, and nobody served (two);
     * two nodes held an entry, and the one whose copy passed from the one to the other told neither (the last but one);
     * a seed forgot in a power cut that its cluster was settled, and began another one with a seed whose store was lost;
     * two nodes, of which one reached the owner that both waited for, told each other an order and asked again as fast as they
     * could; a limited node kept a drain that an emptied peer did not know (two); two nodes compared their keys in step, and a
     * link with little room was full of a node's answers whenever it asked (the last but one); the judge of successes knew only
     * the owners that one who stood still had known (the last).
     */
    @ParameterizedTest
    @ValueSource(
            longs = {
                9000625L,
                1795180123634329L,
                30001064L,
                30007718L,
                30011019L,
                20000555L,
                60005915L,
                80002649L,
                1795288781808049L,
                3964206763079L,
                7795494892814000238L,
                6000000118481371000L,
                7200017618351627811L,
                -118481371120L,
                -7000053975623502236L,
                -7200048361841913186L,
                6000042463597967118L,
                -5795885381277911486L,
                -5795895947922061986L
            })
    void seedsThatFailedOnceStayMended(long seed) {
        assertThat(Simulation.run(Swarm.swarm(seed)).acknowledged()).isPositive();
    }

    /** One run again, as printed by a failure: {@code -Dtest=SimulationTest#replay -Dseed=…}. */
    @Test
    @EnabledIfSystemProperty(named = "seed", matches = "-?\\d+")
    void replay() {
        Simulation.Result result = Simulation.run(Swarm.swarm(Long.getLong("seed")));

        assertThat(result.entries()).isNotNegative();
    }

    @Test
    void oneSeedGivesOneTraceInTwoProcesses() throws Exception {
        SimulationOptions options = Swarm.swarm(27).withFaults(Fault.CRASH, Fault.PARTITION, Fault.LEAVE);

        String here = Long.toHexString(Simulation.run(options).traceHash());

        assertThat(ChildJvm.outputOf(SimulationTest.class, "27")).isEqualTo(here);
    }

    /** Prints the hash of one run; started as a process of its own. */
    public static void main(String[] arguments) {
        SimulationOptions options =
                Swarm.swarm(Long.parseLong(arguments[0])).withFaults(Fault.CRASH, Fault.PARTITION, Fault.LEAVE);
        System.out.println(Long.toHexString(Simulation.run(options).traceHash()));
    }

    /** Rules I11 and I18: one delivery and f copies of each payload, whatever n. */
    @Test
    void withoutTroubleEveryEntryIsCopiedAndForwardedOnce() {
        Stream.iterate(1L, seed -> seed + 1).limit(50).forEach(seed -> {
            Simulation.Result result = Simulation.run(Swarm.swarm(seed).withFaults());

            assertThat(result.duplicates()).as("seed %d", seed).isZero();
            assertThat(result.copiesSent()).as("seed %d", seed).isEqualTo(result.copiesNeeded());
            assertThat(result.announced()).as("seed %d", seed).isZero();
        });
    }

    /** Rule 6.15: where no process dies, nobody but the producer is asked what became of its transaction. */
    @Test
    void whatAProducerDecidesIsKnownWhereverItsEntriesAreHandedTo() {
        for (long seed = 1; seed <= 20; seed++) {
            SimulationOptions options = Swarm.swarm(seed).withFaults(Fault.DRAIN, Fault.REFUSE_ADOPTION);
            options.preparedPercent = 50;
            options.onlyProducersKnow = true;

            assertThat(Simulation.run(options).acknowledged())
                    .as("seed %d", seed)
                    .isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void eachKindOfTroubleAloneIsSurvived(Fault kind) {
        for (long seed = 1; seed <= 10; seed++) {
            Simulation.Result result = Simulation.run(Swarm.swarm(seed).withFaults(kind));

            assertThat(result.entries()).as("seed %d", seed).isPositive();
        }
    }
}
