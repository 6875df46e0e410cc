package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Outbox;
import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.RecordingSink;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with a sink that writes down what it gets. */
final class SinkBench {
    static final Duration SOON = Duration.ofSeconds(60);
    private static final String STRINGS = "org.apache.kafka.connect.storage.StringConverter";

    private SinkBench() {}

    static ApplicationContextRunner alone() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withPropertyValues("georep.outboxes.sms.f=0", "georep.outboxes.bad.f=0");
    }

    static ApplicationContextRunner recording(String... settings) {
        ApplicationContextRunner runner = alone().withPropertyValues(
                        "georep.connectors.rec.connector.class=" + RecordingSink.class.getName(),
                        "georep.connectors.rec.topics=sms",
                        "georep.connectors.rec.offset.flush.interval.ms=50",
                        "georep.connectors.rec.georep.restart.delay.min.ms=20",
                        "georep.connectors.rec.value.converter=" + STRINGS);
        for (String setting : settings) {
            runner = runner.withPropertyValues("georep.connectors.rec." + setting);
        }
        return runner;
    }

    static Outbox<byte[]> outbox(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        return context.getBean(Outboxes.class).outbox("sms", byte[].class);
    }

    static void send(AssertableApplicationContext context, String... texts) {
        for (String text : texts) {
            outbox(context).sendAndWait(text.getBytes(java.nio.charset.StandardCharsets.UTF_8), SOON);
        }
    }

    static Class<?> actuator() {
        try {
            return Class.forName("io.georep.spring.boot.actuate.GeoRepHealthAutoConfiguration");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static long forwarded(AssertableApplicationContext context) {
        return outbox(context).statistics().forwarded();
    }

    static Connectors.Status status(AssertableApplicationContext context) {
        return context.getBean(Connectors.class).byName("rec");
    }

    /** No task at all until the connector has been started, on a thread of its own. */
    static boolean aTaskFailed(AssertableApplicationContext context) {
        return status(context).tasks().stream().anyMatch(task -> task.state() == Connectors.State.FAILED);
    }
}
