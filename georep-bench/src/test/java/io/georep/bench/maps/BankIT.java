package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A few accidents of {@link BankChaosTest}, in every build. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class BankIT {
    private static final int ASKED = 3;
    private static final int REPLICA = 4;
    private static final int CONTROLS = 10;

    @Test
    void moneyIsMovedOnceAndSoonAgainAfterTheDeathOfTheLeader() throws Exception {
        try (BankTrial bank = new BankTrial(1, Duration.ofSeconds(2), 1)) {
            try {
                bank.begin();
                bank.isolate(bank.leader(ASKED));
                bank.awaitService(BankTrial.NOBODY);
                // How long it takes when nobody has to become the leader.
                Duration control = bank.outage(REPLICA);
                bank.cluster().start(REPLICA);
                bank.awaitService(BankTrial.NOBODY);
                int leader = bank.leader(ASKED);
                Duration outage = bank.outage(leader);
                bank.cluster().start(leader);
                bank.awaitService(BankTrial.NOBODY);
                System.out.println(
                        "Service is back after " + outage.toMillis() + " ms; control: " + control.toMillis());
                for (int voter : BankTrial.GROUPS.get(0)) {
                    bank.cluster().freeze(voter);
                    bank.awaitService(voter);
                    bank.cluster().thaw(voter);
                }
                bank.end();
                assertThat(outage).isLessThan(Duration.ofSeconds(3).plus(control.multipliedBy(CONTROLS)));
            } catch (AssertionError | Exception e) {
                bank.keep(Path.of("target", "bank"));
                throw e;
            }
        }
    }
}
