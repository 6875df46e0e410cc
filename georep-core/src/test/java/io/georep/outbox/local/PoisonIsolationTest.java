package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxEvent;
import org.junit.jupiter.api.Test;

class PoisonIsolationTest {
    private final PoisonIsolation suspicion = new PoisonIsolation();
    private final EntryInHand attempt = new EntryInHand(new OutboxEvent.Delivered(
            new EntryId(new StreamId(NodeId.of("n1"), 1, 0), 0), Slice.of(new byte[0]), null, 1));

    @Test
    void clearsWhatFailedInAnOutage() {
        fail(PoisonIsolation.OUTAGE_CALLS);
        assertThat(suspicion.comesAlone(attempt)).isTrue();

        suspicion.callSucceeded();

        assertThat(suspicion.comesAlone(attempt)).isFalse();
    }

    @Test
    void keepsSuspectingWhatFailedWhileOthersSucceeded() {
        fail(PoisonIsolation.OUTAGE_CALLS - 1);

        suspicion.callSucceeded();

        assertThat(suspicion.comesAlone(attempt)).isTrue();
    }

    @Test
    void clearsAnEntryOnlyOnce() {
        fail(PoisonIsolation.OUTAGE_CALLS);
        suspicion.callSucceeded();
        fail(PoisonIsolation.OUTAGE_CALLS);

        suspicion.callSucceeded();

        assertThat(suspicion.comesAlone(attempt)).isTrue();
    }

    private void fail(int calls) {
        suspicion.suspect(attempt);
        for (int i = 0; i < calls; i++) {
            suspicion.callFailed();
        }
    }
}
