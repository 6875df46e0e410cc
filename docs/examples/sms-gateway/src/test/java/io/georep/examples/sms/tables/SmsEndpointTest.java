package io.georep.examples.sms.tables;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.georep.examples.sms.SmsProperties;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

final class SmsEndpointTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "sms.accounts.client.password", "c", "sms.operator.password", "o", "sms.admin.password", "long-enough-1");

    /** The management port may be open to many. */
    @Test
    void strangersDoNotFillTheLog() {
        SmsProperties properties =
                new Binder(new MapConfigurationPropertySource(SETTINGS)).bindOrCreate("sms", SmsProperties.class);
        SmsEndpoint endpoint = new SmsEndpoint(null, null, properties);
        Logger log = (Logger) LoggerFactory.getLogger(SmsEndpoint.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        log.setLevel(Level.INFO);
        log.addAppender(lines);
        lines.start();
        try {
            long begin = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                assertThat(endpoint.show().getStatus()).isEqualTo(401);
            }

            long tens = 1 + (System.nanoTime() - begin) / 10_000_000_000L;
            assertThat(lines.list).hasSizeBetween(1, (int) tens);
        } finally {
            log.detachAppender(lines);
            log.setLevel(null);
        }
    }
}
