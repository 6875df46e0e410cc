package io.georep.funnel;

import io.georep.model.ConfigurationException;
import java.time.Duration;

/**
 * Settings of a node's replicated maps. Bounds should be the same on all nodes.
 *
 * @param keysMax how many keys all maps may have together; a write that would add one more is rejected
 * @param bytesMax how many bytes keys and values may have together; every node keeps them in memory
 * @param valueBytesMax most bytes of one key and value together
 * @param uncommittedMax most uncommitted writes that this node is the head of
 * @param uncommittedPerKeyMax most uncommitted writes of one key that this node is the head of
 * @param clientsMax how many clients of {@link WriteOptions#operation} are remembered; the one not heard of for longest is forgotten
 * @param lease how long a node may serve without hearing from the master. A member that is gone stops writes for about this long
 * @param clockRateError greatest deviation of a node's clock rate, as a share: 0.01 is 1 %
 * @param suspectAfter how long a member may be without link to another one until this is told to the master
 * @param writeTimeout how long a write may take before its outcome is called indeterminate
 * @param readTimeout how long the tail may take to answer a read
 * @param resendAfter how long a write may be uncommitted before the members compare what they have (update protocol)
 * @param uplinkBytesPerSecond capacity of this node's uplink for the choice of the way; 0 if unknown
 * @param commitOnChain whether commits go from member to member in reverse order, as in the paper, and not to each directly
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
        long uplinkBytesPerSecond,
        boolean commitOnChain) {
    // compact constructor with clear errors, with-methods: see the design note
    /** Returns the defaults. */
    public static FunnelSettings defaults() {
        return new FunnelSettings(
                500_000, 256L << 20, 4 << 20, 10_000, 100, 10_000,
                Duration.ofSeconds(2), 0.01, Duration.ofSeconds(2),
                Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofMillis(500), 0, false);
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new ConfigurationException(name + " of replicated maps is " + value + ", must be positive");
        }
    }

    /** Checks that all numbers and times are above zero. */
    public FunnelSettings {
        positive("lease", lease);
        positive("suspectAfter", suspectAfter);
        positive("writeTimeout", writeTimeout);
        positive("readTimeout", readTimeout);
        positive("resendAfter", resendAfter);
    }
}
