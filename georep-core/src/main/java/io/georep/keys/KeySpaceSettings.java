package io.georep.keys;

import io.georep.model.ConfigurationException;
import io.georep.spi.PeerSelection;
import java.time.Duration;

/**
 * Settings of a node's key spaces.
 *
 * @param recordsMax how many records all spaces may have together, marks of deletions included; further writes are rejected
 * @param bytesMax how many bytes of keys and values all spaces may have together; the node keeps them in memory
 * @param writeTimeout how long f other nodes may take to confirm a write
 * @param spreadEvery pause after which a node passes new writes on to the nodes beyond those f
 * @param compareEvery pause after which a node compares its records with those of another node
 * @param selection which nodes are asked to confirm writes
 */
public record KeySpaceSettings(
        int recordsMax,
        long bytesMax,
        Duration writeTimeout,
        Duration spreadEvery,
        Duration compareEvery,
        PeerSelection selection) {

    /** Checks that all numbers and times are above zero. */
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
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new ConfigurationException(name + " of key spaces is " + value + ", must be positive");
        }
    }

    /**
     * Returns the defaults: 500,000 records with 256 MiB, 10 s to confirm a write, 200 ms between two rounds of passing on, 10 s
     * between two comparisons, and nodes of other sites first.
     */
    public static KeySpaceSettings defaults() {
        return new KeySpaceSettings(
                500_000,
                256L << 20,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                Duration.ofSeconds(10),
                PeerSelection.siteAware());
    }

    /** Returns these settings with other bounds: {@code recordsMax} and {@code bytesMax}. */
    public KeySpaceSettings bounds(int records, long bytes) {
        return new KeySpaceSettings(records, bytes, writeTimeout, spreadEvery, compareEvery, selection);
    }

    /** Returns these settings with other times: {@code writeTimeout}, {@code spreadEvery} and {@code compareEvery}. */
    public KeySpaceSettings times(Duration write, Duration spread, Duration compare) {
        return new KeySpaceSettings(recordsMax, bytesMax, write, spread, compare, selection);
    }

    /** Returns these settings with another selection of the nodes that confirm writes. */
    public KeySpaceSettings selection(PeerSelection value) {
        return new KeySpaceSettings(recordsMax, bytesMax, writeTimeout, spreadEvery, compareEvery, value);
    }
}
