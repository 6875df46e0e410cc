package io.georep.protocol.local;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a protocol will run, as the application has set it.
 *
 * @param node name of the node
 * @param host where it listens; null if there are no other nodes
 * @param port given for that, 0 for any
 * @param dataDir of the node; null if it has none
 * @param durability of its store
 * @param config times and bounds that all protocols of the node share
 */
public record Place(
        NodeId node,
        @Nullable String host,
        int port,
        @Nullable Path dataDir,
        Durability durability,
        ProtocolConfig config) {}
