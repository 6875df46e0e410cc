package io.georep.bench.cluster;

import io.georep.bench.process.Range;
import java.util.Locale;
import picocli.CommandLine.Option;

/** What all runs of one {@link ClusterBench} have in common: the nodes, and the load but for the number of clients. */
final class LoadOptions {
    /** What closes a client's loop. */
    enum Loop {
        /** The acknowledgement of its send. */
        SEND,
        /** The deletion of its entry everywhere, as with the clients of the paper. */
        CYCLE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Range(min = 1, max = 9)
    @Option(names = "--nodes", defaultValue = "3", description = "Node processes.")
    int nodes;

    @Range(min = 0, max = 8)
    @Option(names = "--f", defaultValue = "1", description = "Copies of an entry on other nodes.")
    int f;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Size of a payload.")
    int payloadBytes;

    @Option(
            names = "--loop",
            defaultValue = "SEND",
            description = "What closes a client's loop: ${COMPLETION-CANDIDATES}.")
    Loop loop = Loop.SEND;

    @Option(
            names = "--links",
            defaultValue = "PLAIN",
            description = "How links are protected: ${COMPLETION-CANDIDATES}.")
    LinkProtection links = LinkProtection.PLAIN;

    @Range(min = 0, max = 1_000_000)
    @Option(
            names = "--rate",
            defaultValue = "0",
            description = "Entries per second and node in place of clients, sent whether or not the others are"
                    + " acknowledged; 0 for clients.")
    int rate;

    @Option(names = "--peers", defaultValue = "SITES", description = "Who gets copies: ${COMPLETION-CANDIDATES}.")
    LoadNode.Peers peers = LoadNode.Peers.SITES;

    @Range(min = 0, max = 10_000)
    @Option(
            names = "--round-trip",
            defaultValue = "0",
            description = "Milliseconds from each node to the next and back, as if they stood in a row; 0 for what"
                    + " loopback takes.")
    int roundTripMillis;

    @Option(names = "--encrypted", description = "Encrypt what nodes have on disk.")
    boolean encrypted;
}
