package io.georep.bench.cluster;

import io.georep.model.Durability;
import java.util.Locale;

/**
 * What one run of {@link ClusterBench} is asked to do.
 *
 * @param durability when an entry counts as stored
 * @param clients closed-loop clients per node; 0 if entries are sent at a rate
 * @param options the rest, which all runs share
 */
record ClusterLoad(Durability durability, int clients, LoadOptions options) {
    /** The command that puts this load on a {@link LoadNode}. */
    String command() {
        return "load " + clients + " " + options.payloadBytes + " " + options.loop.word() + " " + options.rate;
    }

    /** The first half of a line of JSON. */
    String json() {
        return String.format(
                Locale.ROOT,
                "\"durability\":\"%s\",\"clients\":%d,\"rate\":%d,\"loop\":\"%s\",\"nodes\":%d,\"f\":%d,\"bytes\":%d,"
                        + "\"links\":\"%s\",\"encrypted\":%b,\"peers\":\"%s\",\"roundTripMillis\":%d",
                durability,
                clients,
                options.rate,
                options.loop.word(),
                options.nodes,
                options.f,
                options.payloadBytes,
                options.links,
                options.encrypted,
                options.peers,
                options.roundTripMillis);
    }
}
