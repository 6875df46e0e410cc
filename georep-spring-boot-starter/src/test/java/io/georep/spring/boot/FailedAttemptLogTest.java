package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A listener that fails leaves a line that says why, and not one for each attempt. */
class FailedAttemptLogTest {
    private static final String FAILURES = "io.georep.outbox.local.FailureLog";

    @Test
    void theFirstFailureIsToldWithItsReasonAndWithoutThePayload() {
        try (CapturedChanges log = new CapturedChanges(FAILURES)) {
            TestApplication.alone()
                    .withBean(Failing.class)
                    .withPropertyValues(
                            "georep.outboxes.sms.retry.delay-min=10ms", "georep.outboxes.sms.retry.delay-max=10ms")
                    .run(context -> {
                        Outbox<String> outbox = context.getBean(Outboxes.class).outbox("sms", String.class);
                        outbox.sendAndWait("the secret text", Duration.ofSeconds(10));
                        assertThat(context.getBean(Failing.class).calls.await(60, TimeUnit.SECONDS))
                                .isTrue();
                    });

            assertThat(log.texts(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Queue sms", "java.lang.IllegalStateException: operator is down");
            assertThat(log.texts(Level.ALL)).noneMatch(text -> text.contains("the secret text"));
        }
    }

    @Test
    void aStopIsNoFailedAttempt() {
        try (CapturedChanges log = new CapturedChanges(FAILURES)) {
            TestApplication.alone()
                    .withUserConfiguration(Waiting.class)
                    .withPropertyValues("georep.close-timeout=100ms")
                    .run(context -> {
                        BlockingQueue<?> outgoing = context.getBean("outgoing", BlockingQueue.class);
                        context.getBean(Outboxes.class)
                                .outbox("outgoing", String.class)
                                .sendAndWait("hello", Duration.ofSeconds(10));
                        assertThat(outgoing.poll(60, TimeUnit.SECONDS))
                                .as("in hand")
                                .isEqualTo("hello");
                    });

            assertThat(log.texts(Level.ALL)).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Waiting {
        @Bean
        @ReplicatedQueue
        static BlockingQueue<String> outgoing() {
            return new LinkedBlockingQueue<>();
        }
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
