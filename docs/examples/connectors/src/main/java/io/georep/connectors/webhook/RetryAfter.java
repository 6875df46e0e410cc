package io.georep.connectors.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** The header in which a server says how long to wait (RFC 9110, section 10.2.3). */
final class RetryAfter {
    /** The longest pause: otherwise one answer of the server could stop the queue for good. */
    static final Duration MAX = Duration.ofHours(1);

    private RetryAfter() {}

    /** The pause that a value asks for; zero if it says nothing that can be read. */
    static Duration pause(String value, Instant now) {
        Duration asked = asked(value.strip(), now);
        if (asked.isNegative()) {
            return Duration.ZERO;
        }
        return asked.compareTo(MAX) > 0 ? MAX : asked;
    }

    private static Duration asked(String value, Instant now) {
        if (!value.isEmpty() && value.chars().allMatch(each -> each >= '0' && each <= '9')) {
            // More digits than a long has are far beyond the maximum anyhow.
            return value.length() > 10 ? MAX : Duration.ofSeconds(Long.parseLong(value));
        }
        try {
            return Duration.between(now, Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value)));
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }
}
