package io.georep.funnel;

import io.georep.model.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a write is made.
 *
 * @param topology the way to the members, {@link Topology#AUTO} by default
 * @param timeToLive how long after the write the key is removed; null for never. The tail removes it, so all nodes see it go at
 *     one point in the order of commits, at the end of this time or soon after
 * @param client names who retries, and {@code operation} numbers what it does; null without retries. Of two writes with the same
 *     client and number only one takes effect, and both have the outcome of that one
 * @param operation rising number of the client's operation, at least 1 if there is a client
 */
public record WriteOptions(
        Topology topology,
        @Nullable Duration timeToLive,
        @Nullable String client,
        long operation) {
    private static final WriteOptions DEFAULTS = new WriteOptions(Topology.AUTO, null, null, 0);

    /** Most bytes of a client's name in UTF-8. */
    public static final int CLIENT_BYTES_MAX = 255;

    /** Longest time to live. */
    public static final Duration TIME_TO_LIVE_MAX = Duration.ofDays(36_500);

    /** Checks that the time to live is positive and that a client has operation numbers. */
    public WriteOptions {
        Objects.requireNonNull(topology, "topology");
        if (timeToLive != null
                && (timeToLive.isNegative() || timeToLive.isZero() || timeToLive.compareTo(TIME_TO_LIVE_MAX) > 0)) {
            throw new ConfigurationException("time to live is " + timeToLive + ", must be positive and at most "
                    + TIME_TO_LIVE_MAX + "; null for ever");
        }
        if (client == null ? operation != 0 : operation < 1 || client.isEmpty()) {
            throw new ConfigurationException("client '" + client + "' with operation " + operation
                    + ": a client has a name and numbers its operations from 1");
        }
        if (client != null && client.getBytes(StandardCharsets.UTF_8).length > CLIENT_BYTES_MAX) {
            throw new ConfigurationException(
                    "client '" + client + "' has a name of more than " + CLIENT_BYTES_MAX + " bytes of UTF-8");
        }
    }

    /** Returns the defaults. */
    public static WriteOptions defaults() {
        return DEFAULTS;
    }

    /** Returns these options with another way to the members. */
    public WriteOptions topology(Topology value) {
        return new WriteOptions(value, timeToLive, client, operation);
    }

    /** Returns these options with a time to live. */
    public WriteOptions timeToLive(Duration value) {
        return new WriteOptions(topology, value, client, operation);
    }

    /** Returns these options for an operation that may be retried, here or on another node. */
    public WriteOptions operation(String ofClient, long number) {
        return new WriteOptions(topology, timeToLive, ofClient, number);
    }
}
