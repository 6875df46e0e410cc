package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import org.junit.jupiter.api.Test;

class AdoptionLogTest {
    private final AdoptionLog log = new AdoptionLog();

    /** Pods are replaced for ever, and each has a name of its own. */
    @Test
    void remembersTheNodesItTookOverFromLast() {
        adopted("first");
        for (int i = 0; i < 10_000; i++) {
            adopted("pod-" + i);
            adopted("again");
        }

        assertThat(log.all())
                .hasSize(AdoptionLog.RECORDS_MAX)
                .extracting(AdoptionLog.Adopted::from)
                .contains("again", "pod-9999")
                .doesNotContain("first");
        assertThat(log.all().get(AdoptionLog.RECORDS_MAX - 1).entries()).isEqualTo(10_000);
    }

    private void adopted(String from) {
        log.record("q", NodeId.of(from), new EntryId(new StreamId(NodeId.of(from), 1, 0), 1), false);
    }
}
