package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A listener that fails leaves a line that says why, and not one for each attempt. */
@ExtendWith(OutputCaptureExtension.class)
class FailedAttemptLogTest {
    @Test
    void theFirstFailureIsToldWithItsReasonAndWithoutThePayload(CapturedOutput output) {
        TestApplication.alone()
                .withBean(Failing.class)
                .withPropertyValues(
                        "georep.outboxes.sms.retry.delay-min=10ms", "georep.outboxes.sms.retry.delay-max=10ms")
                .run(context -> {
                    Outbox<String> outbox = context.getBean(Outboxes.class).outbox("sms", String.class);
                    outbox.sendAndWait("the secret text", Duration.ofSeconds(10));
                    assertThat(context.getBean(Failing.class).calls.await(10, TimeUnit.SECONDS))
                            .isTrue();
                });

        assertThat(output.getAll().lines().filter(line -> line.contains(" failed, the next one is in ")))
                .singleElement()
                .asString()
                .contains("WARN", "Queue sms", "java.lang.IllegalStateException: operator is down");
        assertThat(output).doesNotContain("the secret text");
    }

    static class Failing {
        private final CountDownLatch calls = new CountDownLatch(5);

        @OutboxListener("sms")
        void forward(String text) {
            calls.countDown();
            throw new IllegalStateException("operator is down");
        }
    }
}
