package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.DeadLetter;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The endpoint shows of what kind an error is. Its message may quote a payload. */
class EndpointReportTest {
    @ParameterizedTest
    @CsvSource({
        "java.io.IOException,java.io.IOException",
        "java.io.IOException: secret,java.io.IOException",
        "io.georep.spring.connect.RecordDeadLetterException: TASK_PUT failed in a.Task: b.DataException: secret: c,"
                + "TASK_PUT failed in a.Task: b.DataException",
        "io.georep.spring.connect.RecordDeadLetterException: TASK_PUT failed in a.Task: b.DataException,"
                + "TASK_PUT failed in a.Task: b.DataException",
        "io.georep.spring.connect.RecordDeadLetterException: a b: secret,"
                + "io.georep.spring.connect.RecordDeadLetterException"
    })
    void theReasonOfADeadLetterIsShownWithoutTheMessage(String reason, String shown) {
        EntryId id = new EntryId(new StreamId(NodeId.of("n1"), 2, 0), 41);
        DeadLetter<byte[]> letter = new DeadLetter<>(id, new byte[0], 1, reason, Instant.EPOCH);

        assertThat(EndpointReport.Letter.of(letter).reason()).isEqualTo(shown);
    }
}
