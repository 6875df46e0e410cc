package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The judge of the crash tests notices what they are there to notice. */
final class LedgerTest {
    private final Ledger ledger = new Ledger();

    private String acknowledged() {
        String payload = ledger.open();
        ledger.acknowledged(payload);
        return payload;
    }

    @Test
    void findsWhatWasAcknowledgedAndDidNotArrive() {
        ledger.arrived(acknowledged());
        String lost = acknowledged();
        String unknown = ledger.open();

        assertThat(ledger.missing()).containsExactly(1);
        assertThat(ledger.faults()).isEmpty();

        ledger.arrived(unknown);
        ledger.arrived(lost);
        assertThat(ledger.missing()).isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.arrived()).isEqualTo(3);
    }

    @Test
    void findsWhatWasRefusedAndArrived() {
        String refused = ledger.open();
        ledger.refused(refused);
        ledger.arrived(refused);

        assertThat(ledger.faults()).containsExactly("entry-0 was refused and arrived");
    }

    @Test
    void findsWhatNobodySent() {
        ledger.arrived("entry-7");
        ledger.arrived("damaged");

        assertThat(ledger.faults()).containsExactly("nobody sent 'damaged'", "nobody sent 'entry-7'");
    }

    @Test
    void countsEachRepetition() {
        String payload = acknowledged();
        ledger.arrived(payload, "a/1");
        ledger.arrived(payload, "a/1");
        ledger.arrived(payload, "a/1");

        assertThat(ledger.duplicates()).isEqualTo(2);
        assertThat(ledger.faults()).isEmpty();
    }

    @Test
    void findsAnIdThatChanged() {
        String payload = acknowledged();
        ledger.arrived(payload, "a/1");
        ledger.arrived(payload, "a/2");

        assertThat(ledger.faults()).containsExactly("entry-0 arrived as a/1 and as a/2");
    }
}
