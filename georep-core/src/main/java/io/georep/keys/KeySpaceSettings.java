package io.georep.keys;

import io.georep.model.ConfigurationException;
import io.georep.spi.PeerSelection;
import java.time.Duration;

/**
 * Settings of the key spaces of a node.
 *
 * @param recordsMax most records of all spaces together, marks of deletions among them; writes beyond are rejected
 * @param bytesMax most bytes of keys and values of all spaces together, which the node keeps in memory
 * @param writeTimeout time for f other nodes to confirm a write
 * @param spreadEvery how often what was written here is passed on to the nodes beyond those f
 * @param compareEvery how often a node compares its records with those of another one
 * @param selection which nodes are asked to confirm writes
 */
public record KeySpaceSettings(
        int recordsMax,
        long bytesMax,
        Duration writeTimeout,
        Duration spreadEvery,
        Duration compareEvery,
        PeerSelection selection) {

    /** Checks the bounds. */
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

    /** Returns 500,000 records with 256 MiB, 10 s, 200 ms, 10 s, and nodes of other sites first. */
    public static KeySpaceSettings defaults() {
        return new KeySpaceSettings(
                500_000,
                256L << 20,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                Duration.ofSeconds(10),
                PeerSelection.siteAware());
    }

    /** Returns these settings with other bounds. */
    public KeySpaceSettings bounds(int records, long bytes) {
        return new KeySpaceSettings(records, bytes, writeTimeout, spreadEvery, compareEvery, selection);
    }

    /** Returns these settings with other times. */
    public KeySpaceSettings times(Duration write, Duration spread, Duration compare) {
        return new KeySpaceSettings(recordsMax, bytesMax, write, spread, compare, selection);
    }

    /** Returns these settings with another choice of nodes. */
    public KeySpaceSettings selection(PeerSelection value) {
        return new KeySpaceSettings(recordsMax, bytesMax, writeTimeout, spreadEvery, compareEvery, value);
    }
}
