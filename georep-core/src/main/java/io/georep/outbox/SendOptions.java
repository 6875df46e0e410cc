package io.georep.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Options of one send. Immutable and reusable: each method that sets something returns a changed copy. */
public final class SendOptions {
    private static final SendOptions DEFAULTS = new SendOptions(new Values(-1, null, null, null, Map.of(), null));

    private static final Duration DELAY_MAX = Duration.ofDays(365_000);

    private final Values values;

    private SendOptions(Values values) {
        this.values = values;
    }

    /** Returns no options: the settings of the outbox apply. */
    public static SendOptions defaults() {
        return DEFAULTS;
    }

    /** Sets how many copies of this entry are made on other nodes, 0 to {@value OutboxOptions#F_MAX}; default: the outbox's f. */
    public SendOptions f(int value) {
        if (value < 0 || value > OutboxOptions.F_MAX) {
            throw new IllegalArgumentException("f is " + value + ", allowed are 0 to " + OutboxOptions.F_MAX);
        }
        return with(value, values.delay, values.notBefore, values.timeToLive, values.headers, values.producerKey);
    }

    /**
     * Sets how long after the send a handler gets the entry at the earliest, by the wall clock of the node that forwards; at
     * most 365 000 days.
     */
    public SendOptions delay(Duration value) {
        if (value.compareTo(DELAY_MAX) > 0) {
            throw new IllegalArgumentException("delay is " + value + ", allowed are at most 365 000 days");
        }
        return with(values.f, notNegative("delay", value), null, values.timeToLive, values.headers, values.producerKey);
    }

    /**
     * Sets when a handler gets the entry at the earliest, by the wall clock of the node that forwards; at the latest 365 000
     * days after 1970.
     */
    public SendOptions notBefore(Instant value) {
        Instant at = Objects.requireNonNull(value, "notBefore");
        if (at.isAfter(Instant.EPOCH.plus(DELAY_MAX))) {
            throw new IllegalArgumentException(
                    "notBefore is " + value + ", allowed are times up to 365 000 days after 1970");
        }
        return with(values.f, null, at, values.timeToLive, values.headers, values.producerKey);
    }

    /**
     * Sets how long after the send the entry is dropped if it was not forwarded; longer than zero. Longer than 365 000 days is
     * for ever. Default: for ever.
     */
    public SendOptions timeToLive(Duration value) {
        if (notNegative("timeToLive", value).isZero()) {
            throw new IllegalArgumentException("timeToLive is zero, must be longer");
        }
        Duration life = value.compareTo(DELAY_MAX) > 0 ? null : value;
        return with(values.f, values.delay, values.notBefore, life, values.headers, values.producerKey);
    }

    /** Sets small texts that travel with the entry to the handler. They replace those set before. */
    public SendOptions headers(Map<String, String> value) {
        Map<String, String> copy = new LinkedHashMap<>();
        value.forEach((name, text) -> copy.put(
                Objects.requireNonNull(name, "header name"), Objects.requireNonNull(text, () -> "header " + name)));
        Map<String, String> fixed = Collections.unmodifiableMap(copy);
        return with(values.f, values.delay, values.notBefore, values.timeToLive, fixed, values.producerKey);
    }

    /** Adds a header. */
    public SendOptions header(String name, String text) {
        Map<String, String> more = new LinkedHashMap<>(values.headers);
        more.put(name, text);
        return headers(more);
    }

    /**
     * Sets a key that the producer chooses; null for none. It travels to the handler unchanged. If the producer repeats a
     * failed send, perhaps at another node, the entry id differs, but the key stays the same. So the consumer can recognise
     * the duplicate.
     */
    public SendOptions producerKey(@Nullable String value) {
        return with(values.f, values.delay, values.notBefore, values.timeToLive, values.headers, value);
    }

    private static SendOptions with(
            int f,
            @Nullable Duration delay,
            @Nullable Instant notBefore,
            @Nullable Duration timeToLive,
            Map<String, String> headers,
            @Nullable String producerKey) {
        return new SendOptions(new Values(f, delay, notBefore, timeToLive, headers, producerKey));
    }

    /** Returns what was set. */
    public Values values() {
        return values;
    }

    /**
     * The options of one send, named like the methods that set them; null stands for what was not set.
     *
     * @param f -1 for that of the outbox
     */
    public record Values(
            int f,
            @Nullable Duration delay,
            @Nullable Instant notBefore,
            @Nullable Duration timeToLive,
            Map<String, String> headers,
            @Nullable String producerKey) {
        /** Returns all but the texts of headers and producer key, which must not be in a log. */
        @Override
        public String toString() {
            return "SendOptions[f=" + f + ", delay=" + delay + ", notBefore=" + notBefore + ", timeToLive=" + timeToLive
                    + ", " + headers.size() + " headers, " + (producerKey == null ? "no" : "a") + " producer key]";
        }
    }

    private static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + ", must not be negative");
        }
        return value;
    }
}
