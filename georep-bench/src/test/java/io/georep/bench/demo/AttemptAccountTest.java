package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptAccountTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("node-2"), 1, 0);

    private final AttemptAccount account = new AttemptAccount();

    private static EntryId id(int sequence) {
        return new EntryId(STREAM, sequence);
    }

    private static byte[] payload(int attempt) {
        return Payloads.make(40, attempt, attempt);
    }

    @Test
    void closesWhenEveryAcknowledgedEntryArrived() {
        int first = account.open();
        int second = account.open();
        account.acknowledged(first, id(0));
        account.forwarded(id(0), payload(first));
        account.forwarded(id(1), payload(second)); // The consumer may be quicker than the producer's answer.
        account.acknowledged(second, id(1));

        assertThat(account.summary()).isEqualTo(new AttemptAccount.Summary(2, 2, 2, 0, 0, 2, 0, 0, 0));
        assertThat(account.missing(10)).isEmpty();
        assertThat(account.faults()).isEmpty();
    }

    @Test
    void noticesALossAndNamesIt() {
        int kept = account.open();
        int lost = account.open();
        account.acknowledged(kept, id(0));
        account.acknowledged(lost, id(1));
        account.forwarded(id(0), payload(kept));

        assertThat(account.summary().lost()).isEqualTo(1);
        assertThat(account.missing(10)).containsExactly(new AttemptAccount.Missing(id(1), 0));
        assertThat(account.missingOf("node-2")).isEqualTo(1);
        assertThat(account.missingOf("node-1")).isZero();
    }

    @Test
    void countsDuplicatesByIdAndKeepsThemApartFromLosses() {
        int attempt = account.open();
        account.acknowledged(attempt, id(0));
        account.forwarded(id(0), payload(attempt));
        account.forwarded(id(0), payload(attempt));

        assertThat(account.summary()).isEqualTo(new AttemptAccount.Summary(1, 1, 1, 0, 0, 1, 1, 0, 0));
    }

    @Test
    void allowsIndeterminateEntriesToArriveOrNot() {
        int arrives = account.open();
        int vanishes = account.open();
        account.indeterminate(arrives);
        account.indeterminate(vanishes);
        account.forwarded(id(0), payload(arrives));

        assertThat(account.summary()).isEqualTo(new AttemptAccount.Summary(2, 2, 0, 0, 2, 1, 0, 0, 0));
        assertThat(account.faults()).isEmpty();
    }

    @Test
    void findsARejectedEntryThatArrives() {
        int attempt = account.open();
        account.rejected(attempt);
        account.forwarded(id(0), payload(attempt));

        assertThat(account.faults()).singleElement().asString().contains("rejected and forwarded");
        assertThat(account.summary().rejected()).isEqualTo(1);
        assertThat(account.summary().unexpected()).isEqualTo(1);
    }

    @Test
    void countsWhatArrivesAndWasNeverSentAsUnexpected() {
        account.forwarded(id(0), payload(0));
        int attempt = account.open();
        account.forwarded(id(0), payload(attempt));
        account.rejected(attempt);

        assertThat(account.summary().unexpected()).isEqualTo(2);
        assertThat(account.summary().forwarded()).isEqualTo(1);
    }

    @Test
    void putsEverythingDownToTheLatestAccident() {
        int before = account.open();
        int across = account.open();
        account.acknowledged(before, id(0));
        account.during(1, "KILL");
        account.acknowledged(across, id(1));
        account.forwarded(id(0), payload(before));
        account.during(2, "OLD");
        account.forwarded(id(0), payload(before));
        account.during(3, "KILL");
        int lost = account.open();
        account.acknowledged(lost, id(2));

        assertThat(account.missing(10))
                .containsExactly(new AttemptAccount.Missing(id(1), 1), new AttemptAccount.Missing(id(2), 3));
        List<Tally> tallies = account.byFault();
        assertThat(tallies.stream().map(tally -> tally.fault)).containsExactly("none yet", "KILL", "OLD");
        assertThat(tallies.stream().map(tally -> tally.times)).containsExactly(0, 2, 1);
        assertThat(tallies.stream().map(tally -> tally.attempted)).containsExactly(2L, 1L, 0L);
        assertThat(tallies.stream().map(tally -> tally.acknowledged)).containsExactly(1L, 2L, 0L);
        assertThat(tallies.stream().map(tally -> tally.forwarded)).containsExactly(0L, 1L, 0L);
        assertThat(tallies.stream().map(tally -> tally.duplicates)).containsExactly(0L, 0L, 1L);
        assertThat(tallies.stream().map(tally -> tally.lost)).containsExactly(0L, 2L, 0L);
    }

    @Test
    void findsAnEntryThatChangedItsIdOrItsBytes() {
        int attempt = account.open();
        account.acknowledged(attempt, id(0));
        byte[] damaged = payload(attempt);
        damaged[30]++;

        account.forwarded(id(7), payload(attempt));
        account.forwarded(id(0), damaged);

        assertThat(account.faults()).hasSize(2);
        assertThat(account.faults().get(0)).contains("node-2:1:0:0", "node-2:1:0:7");
        assertThat(account.faults().get(1)).contains("payload nobody sent");
    }

    @Test
    void findsASecondAnswer() {
        int attempt = account.open();
        account.acknowledged(attempt, id(0));
        account.rejected(attempt);

        assertThat(account.faults()).singleElement().asString().contains("was not open");
        assertThat(account.summary().acknowledged()).isEqualTo(1);
    }

    @Test
    void growsWithTheNumberOfAttempts() {
        for (int i = 0; i < 5000; i++) {
            account.acknowledged(account.open(), id(i));
        }

        assertThat(account.missing(10_000)).hasSize(5000);
    }
}
