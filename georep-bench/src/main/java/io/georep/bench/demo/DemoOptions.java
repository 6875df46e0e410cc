package io.georep.bench.demo;

import io.georep.model.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * What the demo is to show.
 *
 * @param entries entries the producers send
 * @param nodes node processes
 * @param f copies of each entry on other nodes
 * @param kill node to kill, or {@value #NOBODY}
 * @param accidents random accidents, which happen instead of the one kill when there are any
 * @param delay mean time between two nodes, one way; zero: what loopback takes
 * @param producers closed-loop producers per node
 * @param traffic time over which the entries are spread; zero: as fast as producers can
 * @param operatorDelay time the consumer takes for an entry
 * @param payloadBytes size of a payload
 * @param durability when a copy counts as stored
 * @param suspectAfter T_s of the nodes
 * @param terminateAfter T_x of the nodes
 * @param tombstoneLife T_tomb of the nodes
 * @param heapMiB heap of a node's process, in MiB
 * @param reserve messages that are sent only when the accidents are over, for the last proof; 0: no such proof
 * @param sampleEvery time between two looks at what the nodes use; zero: none
 * @param patience longest time without any progress before the demo gives up
 */
record DemoOptions(
        int entries,
        int nodes,
        int f,
        String kill,
        AccidentOptions accidents,
        Duration delay,
        int producers,
        Duration traffic,
        Duration operatorDelay,
        int payloadBytes,
        Durability durability,
        Duration suspectAfter,
        Duration terminateAfter,
        Duration tombstoneLife,
        int heapMiB,
        int reserve,
        Duration sampleEvery,
        Duration patience) {
    /** Value of {@code kill} for a run without an accident. */
    static final String NOBODY = "none";

    private static final List<String> SITES =
            List.of("eu-amsterdam", "us-newyork", "us-sanfrancisco", "in-bangalore", "sg-singapore", "uk-london");

    DemoOptions {
        if (f >= nodes) {
            throw new IllegalArgumentException("demo.f is " + f + " with " + nodes
                    + " nodes: each entry needs f + 1 nodes; lower demo.f or raise demo.nodes");
        }
        if (!kill.equals(NOBODY) && !nodeNames(nodes).contains(kill)) {
            throw new IllegalArgumentException("demo.kill is '" + kill + "', allowed are "
                    + String.join(", ", nodeNames(nodes)) + " and " + NOBODY);
        }
        if (accidents.count() > 0 && durability == Durability.MEMORY) {
            throw new IllegalArgumentException("demo.accidents is " + accidents.count() + " with demo.durability "
                    + durability + ": each kill would destroy copies; set FSYNC or OS");
        }
        if (tombstoneLife.compareTo(suspectAfter.plus(terminateAfter)) <= 0) {
            throw new IllegalArgumentException("demo.tombstone.seconds is " + tombstoneLife.toSeconds()
                    + ", must be longer than demo.suspect.millis and demo.terminate.millis together");
        }
    }

    /**
     * Takes the properties that start with {@code demo.}; blank ones count as not given.
     *
     * @throws IllegalArgumentException when one is unknown or not valid; the message names it and what is allowed
     */
    static DemoOptions of(Properties properties) {
        return DemoProperties.read(properties);
    }

    /** Name of a node, counted from 0. */
    static String nodeName(int index) {
        return "node-" + (index + 1);
    }

    /** Where a node is, counted from 0: no two in one place. */
    static String site(int index) {
        return index < SITES.size() ? SITES.get(index) : "site-" + (index + 1);
    }

    /** Names of all nodes. */
    List<String> nodeNames() {
        return nodeNames(nodes);
    }

    /** Returns whether what nodes say to each other goes through the demo's own network. */
    boolean slowNetwork() {
        return !delay.isZero() || accidents.wantsNetwork();
    }

    private static List<String> nodeNames(int nodes) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            names.add(nodeName(i));
        }
        return names;
    }

    /** Returns whether there is an accident. */
    boolean kills() {
        return !kill.equals(NOBODY);
    }

    /** Silence until adoption. */
    Duration failoverAfter() {
        return suspectAfter.plus(terminateAfter);
    }
}
