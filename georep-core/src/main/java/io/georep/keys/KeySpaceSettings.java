package io.georep.keys;

import io.georep.model.ConfigurationException;
import io.georep.spi.PeerSelection;
import java.time.Duration;

/**
 * Settings of a node's key spaces.
 *
 * @param recordsMax how many records all spaces may have together, marks of deletions included; further writes are rejected
 * @param bytesMax how many bytes of keys and values all spaces may have together; the node keeps them in memory
 * @param writeTimeout how long a write may take to be durable here and confirmed by f other nodes, and a read to see what is durable
 * @param spreadEvery pause after which a node passes new writes on to the nodes beyond those f
 * @param compareEvery longest pause after which a node compares its records with those of another node; it varies, down to half of
 *     this
 * @param deletionsKept how long a replicated key that was deleted stays known as deleted, at least four times {@code
 *     writeTimeout}. So long may a node be away without bringing back deleted keys; the same on all nodes
 * @param selection which nodes are asked to confirm writes
 */
public record KeySpaceSettings(
        int recordsMax,
        long bytesMax,
        Duration writeTimeout,
        Duration spreadEvery,
        Duration compareEvery,
        Duration deletionsKept,
        PeerSelection selection) {

    private static final Duration TIME_MAX = Duration.ofDays(3650);

    /** Checks that all numbers and times are above zero, and that deletions are kept long enough. */
    public KeySpaceSettings {
        if (recordsMax < 1) {
            throw new ConfigurationException("recordsMax of key spaces is " + recordsMax + ", at least 1");
        }
        if (bytesMax < 1) {
            throw new ConfigurationException("bytesMax of key spaces is " + bytesMax + ", at least 1");
        }
        positive("writeTimeout", writeTimeout);
        positive("spreadEvery", spreadEvery);
        positive("compareEvery", compareEvery);
        if (deletionsKept.dividedBy(4).compareTo(writeTimeout) < 0 || deletionsKept.compareTo(TIME_MAX) > 0) {
            throw new ConfigurationException("deletionsKept of key spaces is " + deletionsKept
                    + ", allowed are four times writeTimeout (" + writeTimeout + ") to " + TIME_MAX);
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(TIME_MAX) > 0) {
            throw new ConfigurationException(
                    name + " of key spaces is " + value + ", must be positive, and at most " + TIME_MAX);
        }
    }

    /**
     * Returns the defaults: 500,000 records with 256 MiB, 10 s to confirm a write, 200 ms between two rounds of passing on, 10 s
     * between two comparisons, deletions kept for 24 h, and nodes of other sites first.
     */
    public static KeySpaceSettings defaults() {
        return new KeySpaceSettings(
                500_000,
                256L << 20,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                Duration.ofSeconds(10),
                Duration.ofHours(24),
                PeerSelection.siteAware());
    }

    /** Returns these settings with other bounds: {@code recordsMax} and {@code bytesMax}. */
    public KeySpaceSettings bounds(int records, long bytes) {
        return new KeySpaceSettings(records, bytes, writeTimeout, spreadEvery, compareEvery, deletionsKept, selection);
    }

    /** Returns these settings with other times: {@code writeTimeout}, {@code spreadEvery} and {@code compareEvery}. */
    public KeySpaceSettings times(Duration write, Duration spread, Duration compare) {
        return new KeySpaceSettings(recordsMax, bytesMax, write, spread, compare, deletionsKept, selection);
    }

    /** Returns these settings with another time for which deletions of replicated keys are kept. */
    public KeySpaceSettings deletionsKept(Duration value) {
        return new KeySpaceSettings(recordsMax, bytesMax, writeTimeout, spreadEvery, compareEvery, value, selection);
    }

    /** Returns these settings with another selection of the nodes that confirm writes. */
    public KeySpaceSettings selection(PeerSelection value) {
        return new KeySpaceSettings(
                recordsMax, bytesMax, writeTimeout, spreadEvery, compareEvery, deletionsKept, value);
    }
}
