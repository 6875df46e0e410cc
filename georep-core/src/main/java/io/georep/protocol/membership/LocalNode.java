package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.util.List;

/**
 * What a node is told about itself at start; the rest of its identity comes from its store or is drawn at boot.
 *
 * @param id its name
 * @param address {@code host:port} on which peers reach it; port 0 is replaced once the transport listens
 * @param site what fails together with it: data centre or region, may be empty
 * @param seeds addresses of nodes to contact first, may include its own
 */
public record LocalNode(NodeId id, String address, String site, List<String> seeds) {
    public LocalNode {
        seeds = List.copyOf(seeds);
    }
}
