package io.georep.bench.cluster;

import io.georep.model.Durability;
import java.util.Locale;

/**
 * What one run of {@link ClusterBench} is asked to do.
 *
 * @param durability when an entry counts as stored
 * @param clients closed-loop clients per node
 * @param rate entries per second and node that are sent whatever becomes of the others; 0 for a closed loop
 * @param loop what closes a client's loop: its send, or the whole cycle of its entry
 * @param nodes node processes
 * @param f copies on other nodes
 * @param payloadBytes size of a payload
 * @param links how links are protected
 * @param encrypted whether what nodes have on disk is
 * @param peers who gets the copies
 * @param roundTripMillis from each node to the next and back, as if they stood in a row; 0 for what loopback takes
 */
record ClusterLoad(
        Durability durability,
        int clients,
        int rate,
        String loop,
        int nodes,
        int f,
        int payloadBytes,
        LinkProtection links,
        boolean encrypted,
        LoadNode.Peers peers,
        int roundTripMillis) {
    /** The first half of a line of JSON. */
    String json() {
        return String.format(
                Locale.ROOT,
                "\"durability\":\"%s\",\"clients\":%d,\"rate\":%d,\"loop\":\"%s\",\"nodes\":%d,\"f\":%d,\"bytes\":%d,"
                        + "\"links\":\"%s\",\"encrypted\":%b,\"peers\":\"%s\",\"roundTripMillis\":%d",
                durability,
                clients,
                rate,
                loop,
                nodes,
                f,
                payloadBytes,
                links,
                encrypted,
                peers,
                roundTripMillis);
    }
}
