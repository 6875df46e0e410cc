package io.georep.spring.boot.actuate.console;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/** What goes to the page and what comes from it, as JSON; times are numbers of seconds. The mapper is not the application's, whose settings vary. */
final class JacksonText {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build();

    /** Other releases may leave out numbers that this one knows. */
    private static final JsonMapper LENIENT = MAPPER.rebuild()
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private JacksonText() {}

    /** Returns what a page has sent; null if it is no such thing. */
    static ConsoleOrders.@Nullable Order order(byte[] body) {
        try {
            return MAPPER.readValue(body, ConsoleOrders.Order.class);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Returns what another node has said of itself; null if it is no such thing. */
    static @Nullable NodeSummary summary(byte[] text) {
        try {
            return LENIENT.readValue(text, NodeSummary.class);
        } catch (RuntimeException e) { // Times that are none, for example.
            return null;
        }
    }

    static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Returns a value on one line. */
    static String of(Object value) {
        return MAPPER.writeValueAsString(value);
    }
}
