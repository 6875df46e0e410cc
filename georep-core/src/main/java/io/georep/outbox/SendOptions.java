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

    /** Returns no options: the settings of the outbox apply. */
    public static SendOptions defaults() {
        return DEFAULTS;
    }

    /** Sets how many copies of this entry are made on other nodes, 0 to {@value OutboxOptions#F_MAX}; default: the outbox's f. */
    public SendOptions f(int value) {
        if (value < 0 || value > OutboxOptions.F_MAX) {
            throw new IllegalArgumentException("f is " + value + ", allowed are 0 to " + OutboxOptions.F_MAX);
        }
        return new SendOptions(value, delay, notBefore, timeToLive, headers, producerKey);
    }

    /** Sets how long after the send a handler gets the entry at the earliest, by the wall clock of the node that forwards. */
    public SendOptions delay(Duration value) {
        return new SendOptions(f, notNegative("delay", value), null, timeToLive, headers, producerKey);
    }

    /** Sets when a handler gets the entry at the earliest, by the wall clock of the node that forwards. */
    public SendOptions notBefore(Instant value) {
        return new SendOptions(f, null, Objects.requireNonNull(value, "notBefore"), timeToLive, headers, producerKey);
    }

    /** Sets how long after the send the entry is dropped if it was not forwarded; longer than zero. Default: never. */
    public SendOptions timeToLive(Duration value) {
        if (notNegative("timeToLive", value).isZero()) {
            throw new IllegalArgumentException("timeToLive is zero, must be longer");
        }
        return new SendOptions(f, delay, notBefore, value, headers, producerKey);
    }

    /** Sets small texts that travel with the entry to the handler. They replace those set before. */
    public SendOptions headers(Map<String, String> value) {
        Map<String, String> copy = new LinkedHashMap<>();
        value.forEach((name, text) -> copy.put(
                Objects.requireNonNull(name, "header name"), Objects.requireNonNull(text, () -> "header " + name)));
        return new SendOptions(f, delay, notBefore, timeToLive, Collections.unmodifiableMap(copy), producerKey);
    }

    /** Adds a header. */
    public SendOptions header(String name, String text) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, text);
        return headers(more);
    }

    /**
     * Sets a key that the producer chooses; null for none. It travels to the handler unchanged. If the producer repeats a
     * failed send, perhaps at another node, the entry id differs, but the key stays the same. So the consumer can recognise
     * the duplicate.
     */
    public SendOptions producerKey(@Nullable String value) {
        return new SendOptions(f, delay, notBefore, timeToLive, headers, value);
    }

    /** Returns the f that was asked for, or else that of the outbox. */
    public int fOr(int fOfOutbox) {
        return f < 0 ? fOfOutbox : f;
    }

    /** Returns how many milliseconds to wait from now; 0 for none. */
    public long delayMillis(long nowMillis) {
        if (notBefore != null) {
            return Math.max(0, notBefore.toEpochMilli() - nowMillis);
        }
        return delay == null ? 0 : delay.toMillis();
    }

    /** Returns how many milliseconds the entry lives from now; 0 for ever. */
    public long lifeMillis() {
        return timeToLive == null ? 0 : Math.max(1, timeToLive.toMillis());
    }

    /** Returns the headers that travel with the entry. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns the producer's key; null if there is none. */
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
