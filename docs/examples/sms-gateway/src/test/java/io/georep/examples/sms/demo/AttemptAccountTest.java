package io.georep.examples.sms.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.simulator.OperatorSimulator;
import org.junit.jupiter.api.Test;

final class AttemptAccountTest {
    private final AttemptAccount account = new AttemptAccount();

    private void arrive(String id, String text) {
        Sms sms = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), text, false);
        account.arrived(new OperatorSimulator.Received("1", id, sms, false));
    }

    @Test
    void missesWhatWasAcknowledgedAndDidNotArrive() {
        int attempt = account.open();
        account.acknowledged(attempt, "ams-1:1:0:0");

        assertThat(account.summary().missing()).isEqualTo(1);
        assertThat(account.missingOf("ams-1")).isEqualTo(1);
        assertThat(account.missingOf("nyc-1")).isZero();
        assertThat(account.lost()).containsExactly("ams-1:1:0:0");
        arrive("ams-1:1:0:0", AttemptAccount.text(attempt));
        assertThat(account.summary().missing()).isZero();
        assertThat(account.lost()).isEmpty();
    }

    @Test
    void takesArrivalsBeforeAcknowledgements() {
        int attempt = account.open();
        arrive("ams-1:1:0:0", AttemptAccount.text(attempt));
        account.acknowledged(attempt, "ams-1:1:0:0");

        assertThat(account.summary().missing()).isZero();
        assertThat(account.faults()).isEmpty();
    }

    @Test
    void countsDuplicates() {
        int attempt = account.open();
        arrive("ams-1:1:0:0", AttemptAccount.text(attempt));
        arrive("ams-1:1:0:0", AttemptAccount.text(attempt));

        assertThat(account.summary().arrived()).isEqualTo(1);
        assertThat(account.summary().duplicates()).isEqualTo(1);
    }

    @Test
    void findsContradictions() {
        int attempt = account.open();
        account.acknowledged(attempt, "ams-1:1:0:0");
        arrive("ams-1:1:0:1", AttemptAccount.text(attempt));
        arrive("ams-1:1:0:2", "attempt 17");
        arrive("ams-1:1:0:3", "hello");

        assertThat(account.faults()).hasSize(3);
    }
}
