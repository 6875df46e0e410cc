package io.georep.bench.maps;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bank on ordered maps, under accidents. Runs with {@code ./mvnw -Dgroups=chaos} only. */
@Tag("chaos")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class BankChaosTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long SECONDS_BETWEEN = 20;
    private static final Path KEPT = Path.of(System.getProperty("bank.directory", "target/chaos-bank"));

    private final long seed = Long.getLong("bank.seed", new Random().nextInt(Integer.MAX_VALUE));
    private final long seconds = Long.getLong("bank.seconds", 25);

    @Test
    void whatClientsOfABankSawIsStrictlySerializable() throws Exception {
        System.out.println("Ordered maps: " + seconds + " s of accidents; to repeat the draws: ./mvnw -Dgroups=chaos"
                + " -pl georep-bench -am -Dtest=BankChaosTest -Dsurefire.failIfNoSpecifiedTests=false -Dbank.seconds="
                + seconds + " -Dbank.seed=" + seed);
        try (BankTrial bank = new BankTrial(seed, LEASE, BankTrial.GROUPS.size())) {
            try {
                bank.begin();
                anEmptiedVoterDecidesNothing(bank);
                bank.replace(2, 0);
                accidents(bank, new Random(seed));
                bank.end();
            } catch (AssertionError | Exception e) {
                bank.keep(KEPT);
                throw e;
            }
        }
    }

    /** Between others, each group in its turn loses its majority. */
    private void accidents(BankTrial bank, Random random) throws Exception {
        MapNemesis nemesis = new MapNemesis(bank.cluster(), random);
        DeadGroup dead = new DeadGroup(bank, random);
        long turns = Math.max(BankTrial.GROUPS.size(), seconds / SECONDS_BETWEEN);
        for (int turn = 0; turn < turns; turn++) {
            dead.lose(turn % BankTrial.GROUPS.size());
            nemesis.accidents(seconds / turns);
        }
    }

    /**
     * A voter misses writes while it stands still. Of the two that took them one dies and the other one loses its store: it must not vote as if
     * there had been nothing. When the third one is back, it votes again.
     */
    private static void anEmptiedVoterDecidesNothing(BankTrial bank) throws Exception {
        MapCluster cluster = bank.cluster();
        cluster.freeze(2);
        bank.awaitService(2);
        cluster.kill(0);
        cluster.kill(1);
        cluster.empty(1);
        cluster.start(1);
        cluster.thaw(2);
        bank.awaitRefusal(1);
        cluster.start(0);
        bank.awaitService(BankTrial.NOBODY);
        cluster.kill(0);
        while (!bank.isServed(0, LEASE.multipliedBy(10))) {
            // It was not voted in yet.
            cluster.start(0);
            bank.awaitService(BankTrial.NOBODY);
            cluster.kill(0);
        }
        cluster.start(0);
    }
}
