package io.georep.connect;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Who a task is. The name of its node contains the worker: a task that moves to another worker becomes another node there, and
 * a task that returns becomes its earlier node again. Two tasks on one worker are two nodes.
 */
record TaskName(Role role, String connector, int task, String worker) {
    /** Names of nodes have at most 64 characters. */
    private static final int LENGTH_MAX = 64;

    private static final int HASH_LENGTH = 9;

    /** What the connector of a task is. The name of the node begins with it. */
    enum Role {
        SINK("sink."),
        SOURCE("source.");

        final String prefix;

        Role(String prefix) {
            this.prefix = prefix;
        }
    }

    /** Returns the name of the node. */
    String nodeId() {
        return fitting(role.prefix + connector + "-" + task + "." + worker);
    }

    /** Returns the directory with the stores of this connector's tasks on this worker, also those that have moved. */
    Path stores(Path dataDir, String cluster) {
        return dataDir.resolve(fitting(cluster)).resolve(fitting(role.prefix + connector));
    }

    /** Names that had to be changed end in a checksum, so that they still differ. */
    static String fitting(String name) {
        String legible = name.replaceAll("[^A-Za-z0-9._-]", "_").replaceAll("^[^A-Za-z0-9]", "x");
        if (legible.equals(name) && legible.length() <= LENGTH_MAX) {
            return legible;
        }
        CRC32C sum = new CRC32C();
        sum.update(name.getBytes(StandardCharsets.UTF_8));
        String kept = legible.substring(0, Math.min(legible.length(), LENGTH_MAX - HASH_LENGTH));
        return kept + "-" + String.format("%08x", sum.getValue());
    }
}
