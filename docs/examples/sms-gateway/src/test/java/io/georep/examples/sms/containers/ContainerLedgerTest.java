package io.georep.examples.sms.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The accountant of the container tests notices what it is there for. */
final class ContainerLedgerTest {
    private final Ledger ledger = new Ledger();

    @Test
    void missesWhatWasAcknowledgedUntilItArrives() {
        Ledger.Attempt attempt = ledger.open("g1");
        ledger.acknowledged(attempt, "g1:1:0:0");

        assertThat(ledger.missing()).containsExactly(attempt);
        ledger.arrived("g1:1:0:0", attempt.text());
        assertThat(ledger.missing()).isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.repeated()).isEmpty();
    }

    @Test
    void doesNotTakeAnotherMessageForTheOneThatIsMissing() {
        Ledger.Attempt attempt = ledger.open("g1");
        ledger.arrived("g1:1:0:7", attempt.text());
        ledger.acknowledged(attempt, "g1:1:0:0");

        assertThat(ledger.faults()).singleElement().asString().contains("another id");
    }

    @Test
    void expectsNothingOfWhatWasRefusedOrIsUnknown() {
        ledger.refused(ledger.open("g1"));
        ledger.unknown(ledger.open("g1"));
        ledger.open("g1");

        assertThat(ledger.missing()).isEmpty();
    }

    @Test
    void noticesARefusedMessageThatArrives() {
        Ledger.Attempt before = ledger.open("g1");
        Ledger.Attempt after = ledger.open("g1");
        ledger.refused(before);
        ledger.arrived("g1:1:0:0", before.text());
        ledger.arrived("g1:1:0:1", after.text());
        ledger.refused(after);

        assertThat(ledger.faults()).hasSize(2).allMatch(each -> each.startsWith("refused, but arrived"));
    }

    @Test
    void noticesWhatNobodySent() {
        ledger.arrived("g9:1:0:0", "attempt " + Integer.MAX_VALUE);
        ledger.arrived("g9:1:0:1", "something else");

        assertThat(ledger.faults()).hasSize(2);
    }

    @Test
    void countsRepetitionsByPhase() {
        ledger.phase("calm");
        Ledger.Attempt once = ledger.open("g1");
        ledger.phase("split");
        Ledger.Attempt twice = ledger.open("g2");
        ledger.arrived("g1:1:0:0", once.text());
        ledger.arrived("g2:1:0:0", twice.text());
        ledger.arrived("g2:1:0:0", twice.text());

        assertThat(ledger.repeated()).containsExactly(twice);
        assertThat(ledger.summary()).endsWith("repeated {split=1}");
    }

    @Test
    void aMachineWithoutAnEngineIsKnownAtOnce() {
        assertThat(DockerEngine.answers(Map.of("DOCKER_HOST", "unix:///nowhere/docker.sock")))
                .isFalse();
        assertThat(DockerEngine.answers(Map.of("DOCKER_HOST", "tcp://127.0.0.1:1")))
                .isFalse();
    }
}
