package io.georep.funnel;

import io.georep.model.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Settings of a node's replicated maps. Bounds and lease should be the same on all nodes.
 *
 * @param keysMax how many keys all maps may have together, at least 1; a write that would add one more is rejected. Default 500,000
 * @param bytesMax how many bytes keys and values may have together, at least 1; every node keeps them in memory. Default 256 MiB
 * @param valueBytesMax most bytes of one key and value together, 1 to {@link #VALUE_BYTES_LIMIT}. Default 4 MiB
 * @param uncommittedMax most uncommitted writes that this node is the head of, 1 to {@link #UNCOMMITTED_LIMIT}. Default 10,000
 * @param uncommittedPerKeyMax most uncommitted writes of one key that this node is the head of, at least 1. Default 100
 * @param clientsMax how many clients of {@link WriteOptions#operation} are remembered, at least 1; the one not heard of for longest is
 *     forgotten. Default 10,000
 * @param lease how long a node may serve without hearing from the master, 100 ms to 1 day. A member that is gone stops writes for about
 *     this long. Default 2 s
 * @param clockRateError greatest deviation of a node's clock rate, as a share, 0 to 0.2. Default 0.01, which is 1 %
 * @param suspectAfter how long a member may be without link to another one until this is told to the master, 1 ms to 1 day. Default 2 s
 * @param writeTimeout how long a write may take before its outcome is called indeterminate, 1 ms to 1 day. Default 10 s
 * @param readTimeout how long the tail may take to answer a read, 1 ms to 1 day. Default 2 s
 * @param resendAfter how long a write may be uncommitted before the members compare what they have (update protocol), 1 ms to 1 day.
 *     Default 500 ms
 * @param uplinkBytesPerSecond capacity of this node's uplink for the choice of the way; 0, the default, if unknown
 */
public record FunnelSettings(
        int keysMax,
        long bytesMax,
        int valueBytesMax,
        int uncommittedMax,
        int uncommittedPerKeyMax,
        int clientsMax,
        Duration lease,
        double clockRateError,
        Duration suspectAfter,
        Duration writeTimeout,
        Duration readTimeout,
        Duration resendAfter,
        long uplinkBytesPerSecond) {
    /** The largest {@code valueBytesMax}: 64 MiB. */
    public static final int VALUE_BYTES_LIMIT = 64 << 20;

    /** The shortest lease. A shorter one would end in every pause of the JVM or the network. */
    public static final Duration LEASE_MIN = Duration.ofMillis(100);

    /** The longest of all times here. */
    public static final Duration TIME_MAX = Duration.ofDays(1);

    /** The most that {@link #uncommittedMax} may be. */
    public static final int UNCOMMITTED_LIMIT = 16_384;

    /** The largest {@code clockRateError}. */
    public static final double CLOCK_RATE_ERROR_MAX = 0.2;

    /** Checks all settings together; the message names all that is wrong. */
    public FunnelSettings {
        List<String> faults = new ArrayList<>();
        atLeastOne(faults, "keysMax", keysMax);
        atLeastOne(faults, "bytesMax", bytesMax);
        atLeastOne(faults, "valueBytesMax", valueBytesMax);
        atLeastOne(faults, "uncommittedMax", uncommittedMax);
        atLeastOne(faults, "uncommittedPerKeyMax", uncommittedPerKeyMax);
        atLeastOne(faults, "clientsMax", clientsMax);
        check(
                faults,
                valueBytesMax <= VALUE_BYTES_LIMIT,
                "valueBytesMax of replicated maps is " + valueBytesMax + ", at most " + VALUE_BYTES_LIMIT);
        check(
                faults,
                uncommittedMax <= UNCOMMITTED_LIMIT,
                "uncommittedMax of replicated maps is " + uncommittedMax + ", at most " + UNCOMMITTED_LIMIT
                        + ": when a view begins, one message names the uncommitted writes of all members");
        check(
                faults,
                valueBytesMax <= bytesMax,
                "valueBytesMax of replicated maps is " + valueBytesMax + ", more than bytesMax, which is " + bytesMax
                        + ": no value of that size would ever fit");
        time(faults, "lease", lease, LEASE_MIN);
        time(faults, "suspectAfter", suspectAfter, Duration.ofMillis(1));
        time(faults, "writeTimeout", writeTimeout, Duration.ofMillis(1));
        time(faults, "readTimeout", readTimeout, Duration.ofMillis(1));
        time(faults, "resendAfter", resendAfter, Duration.ofMillis(1));
        check(
                faults,
                clockRateError >= 0 && clockRateError <= CLOCK_RATE_ERROR_MAX,
                "clockRateError of replicated maps is " + clockRateError + ", allowed are 0 to " + CLOCK_RATE_ERROR_MAX
                        + "; 0.01 is 1 %");
        check(
                faults,
                uplinkBytesPerSecond >= 0,
                "uplinkBytesPerSecond of replicated maps is " + uplinkBytesPerSecond + ", at least 0; 0 if unknown");
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    private static void atLeastOne(List<String> faults, String name, long value) {
        check(faults, value >= 1, name + " of replicated maps is " + value + ", at least 1");
    }

    private static void time(List<String> faults, String name, Duration value, Duration min) {
        check(
                faults,
                value.compareTo(min) >= 0 && value.compareTo(TIME_MAX) <= 0,
                name + " of replicated maps is " + value + ", allowed are " + min + " to " + TIME_MAX);
    }

    private static void check(List<String> faults, boolean valid, String fault) {
        if (!valid) {
            faults.add(fault);
        }
    }

    /**
     * Returns the defaults: 500,000 keys with 256 MiB, values of up to 4 MiB; 10,000 uncommitted writes, 100 of them of one key;
     * 10,000 clients; a lease of 2 s with clocks that are right to 1 %; 2 s without link until a member is suspected, 10 s for a
     * write, 2 s for a read at the tail, and 500 ms until members compare what they have.
     */
    public static FunnelSettings defaults() {
        return new FunnelSettings(
                500_000,
                256L << 20,
                4 << 20,
                10_000,
                100,
                10_000,
                Duration.ofSeconds(2),
                0.01,
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofMillis(500),
                0);
    }

    /** Returns these settings with other bounds of what is kept: {@code keysMax}, {@code bytesMax} and {@code valueBytesMax}. */
    public FunnelSettings bounds(int keys, long bytes, int perValue) {
        return with(copy -> {
            copy.keysMax = keys;
            copy.bytesMax = bytes;
            copy.valueBytesMax = perValue;
        });
    }

    /** Returns these settings with other bounds of what is under way: {@code uncommittedMax} and {@code uncommittedPerKeyMax}. */
    public FunnelSettings uncommitted(int all, int perKey) {
        return with(copy -> {
            copy.uncommittedMax = all;
            copy.uncommittedPerKeyMax = perKey;
        });
    }

    /** Returns these settings with another {@code clientsMax}. */
    public FunnelSettings clientsMax(int value) {
        return with(copy -> copy.clientsMax = value);
    }

    /** Returns these settings with another lease: {@code lease} and {@code clockRateError}. */
    public FunnelSettings lease(Duration length, double rateError) {
        return with(copy -> {
            copy.lease = length;
            copy.clockRateError = rateError;
        });
    }

    /**
     * Returns these settings with other times: {@code suspectAfter}, {@code writeTimeout}, {@code readTimeout} and {@code
     * resendAfter}.
     */
    public FunnelSettings times(Duration suspect, Duration write, Duration read, Duration resend) {
        return with(copy -> {
            copy.suspectAfter = suspect;
            copy.writeTimeout = write;
            copy.readTimeout = read;
            copy.resendAfter = resend;
        });
    }

    /** Returns these settings with another {@code uplinkBytesPerSecond}. */
    public FunnelSettings uplink(long bytesPerSecond) {
        return with(copy -> copy.uplinkBytesPerSecond = bytesPerSecond);
    }

    private FunnelSettings with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.settings();
    }

    /** The same settings while some are being changed. */
    private static final class Copy {
        int keysMax;
        long bytesMax;
        int valueBytesMax;
        int uncommittedMax;
        int uncommittedPerKeyMax;
        int clientsMax;
        Duration lease;
        double clockRateError;
        Duration suspectAfter;
        Duration writeTimeout;
        Duration readTimeout;
        Duration resendAfter;
        long uplinkBytesPerSecond;

        Copy(FunnelSettings of) {
            keysMax = of.keysMax;
            bytesMax = of.bytesMax;
            valueBytesMax = of.valueBytesMax;
            uncommittedMax = of.uncommittedMax;
            uncommittedPerKeyMax = of.uncommittedPerKeyMax;
            clientsMax = of.clientsMax;
            lease = of.lease;
            clockRateError = of.clockRateError;
            suspectAfter = of.suspectAfter;
            writeTimeout = of.writeTimeout;
            readTimeout = of.readTimeout;
            resendAfter = of.resendAfter;
            uplinkBytesPerSecond = of.uplinkBytesPerSecond;
        }

        FunnelSettings settings() {
            return new FunnelSettings(
                    keysMax,
                    bytesMax,
                    valueBytesMax,
                    uncommittedMax,
                    uncommittedPerKeyMax,
                    clientsMax,
                    lease,
                    clockRateError,
                    suspectAfter,
                    writeTimeout,
                    readTimeout,
                    resendAfter,
                    uplinkBytesPerSecond);
        }
    }
}
