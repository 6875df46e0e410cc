package io.georep.examples.sms.tables;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.georep.examples.sms.SmsProperties;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

final class SmsEndpointTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "sms.accounts.client.password", "c", "sms.operator.password", "o", "sms.admin.password", "long-enough-1");

    private static SmsEndpoint endpoint() {
        return new SmsEndpoint(
                null,
                null,
                new AdminDoor(new Binder(new MapConfigurationPropertySource(SETTINGS))
                        .bindOrCreate("sms", SmsProperties.class)));
    }

    /** The management port may be open to many. */
    @Test
    void strangersDoNotFillTheLog() {
        SmsEndpoint endpoint = endpoint();
        Logger log = (Logger) LoggerFactory.getLogger(AdminDoor.class);
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

    /** Who guesses at the gateway's doors is slowed as well. */
    @Test
    void whoGuessesThePasswordIsSlowedAndNotWhoHasIt() {
        SmsEndpoint endpoint = endpoint();
        assertThat(status(endpoint, "198.51.100.7", "admin:long-enough-1")).isEqualTo(404);
        Map<Integer, Integer> statuses = new HashMap<>();

        for (int i = 0; i < 1000; i++) {
            statuses.merge(status(endpoint, "192.0.2.1", "admin:guess-" + i), 1, Integer::sum);
        }

        assertThat(statuses).containsOnlyKeys(401, 429);
        assertThat(statuses.get(429)).isGreaterThan(statuses.get(401));
        assertThat(status(endpoint, "192.0.2.1", "admin:long-enough-1"))
                .as("whether it is right is not told")
                .isEqualTo(429);
        assertThat(status(endpoint, "198.51.100.7", "admin:long-enough-1")).isEqualTo(404);
        assertThat(status(endpoint, "192.0.2.2", "admin:long-enough-1")).isEqualTo(404);
    }

    /** Of a request for a table that does not exist, which only the administrator learns. */
    private static int status(SmsEndpoint endpoint, String address, String credentials) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(address);
        request.addHeader(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request, new MockHttpServletResponse()));
        try {
            return endpoint.close("no such table", "x").getStatus();
        } finally {
            RequestContextHolder.resetRequestAttributes();
        }
    }
}
