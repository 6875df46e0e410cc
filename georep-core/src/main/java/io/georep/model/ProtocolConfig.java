package io.georep.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the protocols, validated together. All times run on the node's monotonic clock. The symbols in brackets are
 * those of {@code docs/how-it-works/protocol.md}. Each parameter gives its default at the end.
 *
 * @param heartbeat [T_hb] the longest this node keeps silent towards a live peer; 1 s
 * @param heartbeatAway [T_hbd] the longest this node keeps silent towards peers that are given up or away; 5 s
 * @param suspectAfter [T_s] how long a peer is silent before it gets no new copies. At least 3 heartbeats; 5 s
 * @param terminateAfter [T_x] how much longer a peer is silent before its entries are adopted; 25 s
 * @param putTimeout [T_put] how long a send may take to collect all acknowledgements. Shorter than T_s; 3 s
 * @param tombstoneLife [T_tomb] how long a node remembers finished entries. Longer than T_s + T_x; 24 h
 * @param minRtt [L_rtt] the smallest round trip of an acceptable owner. If fewer than f peers reach it, the farthest of the nearer
 *     ones fill up; 0
 * @param reReplicateAfter [T_rr] how long an owner must have been given up before its copies are made elsewhere. Null: never;
 *     10 min
 * @param groupBytesMax [B_max] the largest group of entries that is sent and stored together, in bytes; 256 KiB
 * @param payloadBytesMax the largest payload of one entry, in bytes; 1 MiB
 * @param pendingPutsMax how many sends may wait for their copies; 100 000
 * @param pendingBytesMax how many payload bytes may wait for their copies; 64 MiB
 * @param cacheBytesMax how many payload bytes of stored entries stay in memory until the application takes them; 32 MiB
 * @param storeStallAfter how long the store may be silent before this node takes nothing new; 5 s
 * @param storeFailAfter how long the store may be silent before this node gives it up and stops. Longer than {@code
 *     storeStallAfter}; 1 min
 * @param storeBacklogBytesMax how many payload bytes may wait to be written before this node takes nothing new; 128 MiB
 */
public record ProtocolConfig(
        Duration heartbeat,
        Duration heartbeatAway,
        Duration suspectAfter,
        Duration terminateAfter,
        Duration putTimeout,
        Duration tombstoneLife,
        Duration minRtt,
        @Nullable Duration reReplicateAfter,
        int groupBytesMax,
        int payloadBytesMax,
        int pendingPutsMax,
        long pendingBytesMax,
        long cacheBytesMax,
        Duration storeStallAfter,
        Duration storeFailAfter,
        long storeBacklogBytesMax) {

    /** Ten years: sums of times stay far from the end of a {@code long} of nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    public ProtocolConfig {
        Faults faults = new Faults();
        faults.positive("heartbeat", heartbeat);
        faults.positive("heartbeatAway", heartbeatAway);
        faults.positive("suspectAfter", suspectAfter);
        faults.positive("terminateAfter", terminateAfter);
        faults.positive("putTimeout", putTimeout);
        faults.require(
                suspectAfter.compareTo(shorter(heartbeat).multipliedBy(3)) >= 0,
                "suspectAfter " + suspectAfter + " is shorter than three heartbeats of " + heartbeat
                        + ": raise suspectAfter or lower heartbeat");
        faults.require(
                putTimeout.compareTo(suspectAfter) < 0,
                "putTimeout " + putTimeout + " is not shorter than suspectAfter " + suspectAfter);
        faults.require(
                tombstoneLife.compareTo(shorter(suspectAfter).plus(shorter(terminateAfter))) > 0,
                "tombstoneLife " + tombstoneLife + " is not longer than suspectAfter + terminateAfter: late copies"
                        + " could come back to life");
        faults.require(!minRtt.isNegative(), "minRtt " + minRtt + " is negative");
        faults.bounded("minRtt", minRtt);
        faults.require(
                reReplicateAfter == null || !reReplicateAfter.isNegative(),
                "reReplicateAfter " + reReplicateAfter + " is negative: leave it out to switch it off");
        faults.bounded("reReplicateAfter", reReplicateAfter == null ? Duration.ZERO : reReplicateAfter);
        faults.between("payloadBytesMax", payloadBytesMax, 1, 64 << 20);
        faults.between("groupBytesMax", groupBytesMax, 1024, 64 << 20);
        faults.between("pendingPutsMax", pendingPutsMax, 1, 100_000_000);
        faults.between("pendingBytesMax", pendingBytesMax, 1024, Long.MAX_VALUE);
        faults.between("cacheBytesMax", cacheBytesMax, 0, Long.MAX_VALUE);
        faults.positive("storeStallAfter", storeStallAfter);
        faults.bounded("storeFailAfter", storeFailAfter);
        faults.require(
                storeFailAfter.compareTo(storeStallAfter) > 0,
                "storeFailAfter " + storeFailAfter + " is not longer than storeStallAfter " + storeStallAfter
                        + ": a node must refuse before it stops");
        faults.between("storeBacklogBytesMax", storeBacklogBytesMax, 1024, Long.MAX_VALUE);
        faults.throwIfAny();
    }

    /** Returns what can be counted with of a time that may be too long. */
    private static Duration shorter(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time : LONGEST;
    }

    /** Returns the default settings. */
    public static ProtocolConfig defaults() {
        return builder().build();
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns how long a peer is silent before its entries are adopted: T_s + T_x. */
    public Duration failoverAfter() {
        return suspectAfter.plus(terminateAfter);
    }

    /**
     * Returns how long a node that came back late holds entries back if no other owner is in reach: three times {@link
     * #failoverAfter}.
     */
    public Duration holdBackMax() {
        return failoverAfter().multipliedBy(3);
    }

    /** Gathers what is wrong, so that one attempt shows every mistake. */
    private static final class Faults {
        private final List<String> found = new ArrayList<>();

        void positive(String name, Duration value) {
            require(!value.isNegative() && !value.isZero(), name + " is " + value + ", must be longer than zero");
            bounded(name, value);
        }

        void bounded(String name, Duration value) {
            require(value.compareTo(LONGEST) <= 0, name + " is " + value + ", allowed are at most " + LONGEST);
        }

        void between(String name, long value, long min, long max) {
            require(value >= min && value <= max, name + " is " + value + ", allowed are " + min + " to " + max);
        }

        void require(boolean condition, String message) {
            if (!condition) {
                found.add(message);
            }
        }

        void throwIfAny() {
            if (!found.isEmpty()) {
                throw ConfigurationException.of(found);
            }
        }
    }

    /** Collects settings. Each setter returns the builder. */
    public static final class Builder {
        private Duration heartbeat = Duration.ofSeconds(1);
        private Duration heartbeatAway = Duration.ofSeconds(5);
        private Duration suspectAfter = Duration.ofSeconds(5);
        private Duration terminateAfter = Duration.ofSeconds(25);
        private Duration putTimeout = Duration.ofSeconds(3);
        private Duration tombstoneLife = Duration.ofHours(24);
        private Duration minRtt = Duration.ZERO;
        private @Nullable Duration reReplicateAfter = Duration.ofMinutes(10);
        private int groupBytesMax = 256 << 10;
        private int payloadBytesMax = 1 << 20;
        private int pendingPutsMax = 100_000;
        private long pendingBytesMax = 64L << 20;
        private long cacheBytesMax = 32L << 20;
        private Duration storeStallAfter = Duration.ofSeconds(5);
        private Duration storeFailAfter = Duration.ofMinutes(1);
        private long storeBacklogBytesMax = 128L << 20;

        private Builder() {}

        public Builder heartbeat(Duration value) {
            heartbeat = value;
            return this;
        }

        public Builder heartbeatAway(Duration value) {
            heartbeatAway = value;
            return this;
        }

        public Builder suspectAfter(Duration value) {
            suspectAfter = value;
            return this;
        }

        public Builder terminateAfter(Duration value) {
            terminateAfter = value;
            return this;
        }

        public Builder putTimeout(Duration value) {
            putTimeout = value;
            return this;
        }

        public Builder tombstoneLife(Duration value) {
            tombstoneLife = value;
            return this;
        }

        public Builder minRtt(Duration value) {
            minRtt = value;
            return this;
        }

        public Builder reReplicateAfter(@Nullable Duration value) {
            reReplicateAfter = value;
            return this;
        }

        public Builder groupBytesMax(int value) {
            groupBytesMax = value;
            return this;
        }

        public Builder payloadBytesMax(int value) {
            payloadBytesMax = value;
            return this;
        }

        public Builder pendingPutsMax(int value) {
            pendingPutsMax = value;
            return this;
        }

        public Builder pendingBytesMax(long value) {
            pendingBytesMax = value;
            return this;
        }

        public Builder cacheBytesMax(long value) {
            cacheBytesMax = value;
            return this;
        }

        public Builder storeStallAfter(Duration value) {
            storeStallAfter = value;
            return this;
        }

        public Builder storeFailAfter(Duration value) {
            storeFailAfter = value;
            return this;
        }

        public Builder storeBacklogBytesMax(long value) {
            storeBacklogBytesMax = value;
            return this;
        }

        public ProtocolConfig build() {
            return new ProtocolConfig(
                    heartbeat,
                    heartbeatAway,
                    suspectAfter,
                    terminateAfter,
                    putTimeout,
                    tombstoneLife,
                    minRtt,
                    reReplicateAfter,
                    groupBytesMax,
                    payloadBytesMax,
                    pendingPutsMax,
                    pendingBytesMax,
                    cacheBytesMax,
                    storeStallAfter,
                    storeFailAfter,
                    storeBacklogBytesMax);
        }
    }
}
