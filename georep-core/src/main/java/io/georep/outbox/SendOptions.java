package io.georep.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Options of one send. Immutable and reusable; every method answers a changed copy. */
public final class SendOptions {
    private static final SendOptions DEFAULTS = new SendOptions(-1, null, null, null, Map.of(), null);

    private final int f;
    private final @Nullable Duration delay;
    private final @Nullable Instant notBefore;
    private final @Nullable Duration timeToLive;
    private final Map<String, String> headers;
    private final @Nullable String producerKey;

    private SendOptions(
            int f,
            @Nullable Duration delay,
            @Nullable Instant notBefore,
            @Nullable Duration timeToLive,
            Map<String, String> headers,
            @Nullable String producerKey) {
        this.f = f;
        this.delay = delay;
        this.notBefore = notBefore;
        this.timeToLive = timeToLive;
        this.headers = headers;
        this.producerKey = producerKey;
    }

    /** No options: the outbox decides. */
    public static SendOptions defaults() {
        return DEFAULTS;
    }

    /** Copies on other nodes for this entry, 0 to {@value OutboxOptions#F_MAX}, instead of the outbox's. */
    public SendOptions f(int value) {
        if (value < 0 || value > OutboxOptions.F_MAX) {
            throw new IllegalArgumentException("f is " + value + ", allowed are 0 to " + OutboxOptions.F_MAX);
        }
        return new SendOptions(value, delay, notBefore, timeToLive, headers, producerKey);
    }

    /** Handlers get the entry only after this time, by the wall clock of the node that forwards. */
    public SendOptions delay(Duration value) {
        return new SendOptions(f, notNegative("delay", value), null, timeToLive, headers, producerKey);
    }

    /** Handlers get the entry only from this moment on, by the wall clock of the node that forwards. */
    public SendOptions notBefore(Instant value) {
        return new SendOptions(f, null, Objects.requireNonNull(value, "notBefore"), timeToLive, headers, producerKey);
    }

    /** After this time, counted from the send, the entry is dropped instead of forwarded. */
    public SendOptions timeToLive(Duration value) {
        if (notNegative("timeToLive", value).isZero()) {
            throw new IllegalArgumentException("timeToLive is zero, must be longer");
        }
        return new SendOptions(f, delay, notBefore, value, headers, producerKey);
    }

    /** Small texts that travel with the entry, instead of those set before. */
    public SendOptions headers(Map<String, String> value) {
        Map<String, String> copy = new LinkedHashMap<>();
        value.forEach((name, text) -> copy.put(
                Objects.requireNonNull(name, "header name"), Objects.requireNonNull(text, () -> "header " + name)));
        return new SendOptions(f, delay, notBefore, timeToLive, Collections.unmodifiableMap(copy), producerKey);
    }

    /** One more header. */
    public SendOptions header(String name, String text) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, text);
        return headers(more);
    }

    /**
     * A key the producer chose, carried to the consumer unchanged. When a failed send is repeated, perhaps at another
     * node, the key stays the same while the entry id differs (gap G28).
     */
    public SendOptions producerKey(@Nullable String value) {
        return new SendOptions(f, delay, notBefore, timeToLive, headers, value);
    }

    /** Copies asked for, or the outbox's. */
    public int fOr(int fOfOutbox) {
        return f < 0 ? fOfOutbox : f;
    }

    /** Milliseconds to wait from now, 0 for none. */
    public long delayMillis(long nowMillis) {
        if (notBefore != null) {
            return Math.max(0, notBefore.toEpochMilli() - nowMillis);
        }
        return delay == null ? 0 : delay.toMillis();
    }

    /** Milliseconds to live from now, 0 for ever. */
    public long lifeMillis() {
        return timeToLive == null ? 0 : Math.max(1, timeToLive.toMillis());
    }

    /** What travels with the entry. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The producer's key, null for none. */
    public @Nullable String producerKey() {
        return producerKey;
    }

    private static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + ", must not be negative");
        }
        return value;
    }
}
