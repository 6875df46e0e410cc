package io.georep.examples.sms.operator;

import static io.georep.examples.sms.operator.OperatorLinkTest.SMS;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.model.EntryId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;

/** Without a session. */
final class SubmitterTest {
    private static final EntryId FIRST = EntryId.parse("n1:1:0:0");
    private static final EntryId SECOND = EntryId.parse("n1:1:0:1");

    private final AtomicLong now = new AtomicLong();
    private final Answers answers = new Answers(1);
    private final Submitter submitter = new Submitter(
            "other",
            new OperatorGate(
                    OperatorLinkTest.properties(
                            1,
                            Duration.ofMillis(1),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(1)),
                    Integer.MAX_VALUE),
            answers,
            new SimpleMeterRegistry(),
            now::get);

    private void fails(EntryId id, String why) {
        assertThatExceptionOfType(OperatorUnavailableException.class)
                .isThrownBy(() -> submitter.submit(SMS, id))
                .withMessageContaining(why);
    }

    /** Whoever waits in vain for the operator has not tried whether a number is full. */
    @Test
    void aPauseOfAFullNumberGrowsOnlyWhenAMessageIsSubmitted() {
        Answers.Session session = answers.new Session();
        session.submitted(1, FIRST);
        session.answered(1, SMPPConstant.STAT_ESME_RMSGQFUL, "");
        fails(FIRST, "0x00000014");
        fails(SECOND, "takes no more messages to this number");

        now.set(TimeUnit.SECONDS.toNanos(1));
        fails(SECOND, "no session");
        fails(SECOND, "no session");
    }
}
