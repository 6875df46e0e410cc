package io.georep.spi;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.StoreException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the store of a node. */
@FunctionalInterface
public interface StoreFactory {
    /**
     * Settings of one node's store.
     *
     * @param cluster name of the cluster; a directory of another cluster is refused
     * @param node name of the node; a directory of another node is refused
     * @param directory where the store is; null for a store in memory
     * @param durability when a batch counts as durable
     */
    record Settings(String cluster, NodeId node, @Nullable Path directory, Durability durability) {}

    /**
     * Opens or creates the store.
     *
     * @throws StoreException if the directory is corrupt, foreign, newer, locked or not writable
     */
    EntryStore open(Settings settings);
}
