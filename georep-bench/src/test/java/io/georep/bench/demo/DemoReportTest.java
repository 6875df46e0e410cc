package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.history.History;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class DemoReportTest {
    private static final EntryId ID = new EntryId(new StreamId(NodeId.of("node-3"), 2, 0), 41);

    private final AttemptAccount account = new AttemptAccount();
    private final Takeovers adoptions = new Takeovers();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int print() {
        Properties properties = new Properties();
        properties.setProperty("demo.entries", "1");
        properties.setProperty("demo.accidents", "9");
        DemoOptions options = DemoOptions.of(properties);
        Producers producers = new Producers(List.of(), account, History.none(), options);
        int attempt = account.open();
        producers.stored(attempt, ID);
        Terminal terminal = new Terminal(new PrintStream(printed, true, StandardCharsets.UTF_8));
        return new DemoReport(options, terminal, account, producers, adoptions).print();
    }

    @Test
    void failsAndListsTheIdsWhenSomethingAcknowledgedIsMissing() {
        int exitCode = print();

        assertThat(exitCode).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("LOST: node-3:2:0:41", "FAILED: 1 acknowledged entries were not forwarded, 0 arrivals");
    }

    @Test
    void saysWhatHappenedAfterEachKindOfAccident() {
        account.during(4, "OLD");

        print();

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsPattern("latest accident +times +attempted +acknowledged .* lost")
                .containsPattern("OLD +1 +1 +1 +0 +0 +0 +1")
                .contains("LOST: node-3:2:0:41, acknowledged during or after accident 4");
    }

    @Test
    void failsWhenTheAccountContradictsItself() {
        account.forwarded(ID, Payloads.make(40, 0, 0)); // Before its attempt: a payload nobody sent.

        int exitCode = print();

        assertThat(exitCode).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("CONTRADICTION: ", "1 arrivals were not expected");
    }
}
