package io.georep.comparison;

import io.georep.model.Durability;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a node runs, and who the others are.
 *
 * @param index which of the nodes it is
 * @param names names of all nodes, the one in the best place last: the tail, or the leader
 * @param hosts their addresses, in the same order
 * @param directory for its files
 * @param durability of a product that has such a setting
 * @param leaseMillis length of leases and, for Raft, the shortest time without a leader before an election
 */
record Place(
        int index, List<String> names, List<String> hosts, Path directory, Durability durability, long leaseMillis) {
    String name() {
        return names.get(index);
    }

    String host() {
        return hosts.get(index);
    }

    int nodes() {
        return names.size();
    }

    /** The address of a node with this port. */
    String address(int node, int port) {
        return hosts.get(node) + ":" + port;
    }
}
