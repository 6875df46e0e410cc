package io.georep.store.rocksdb;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Tells which node a directory belongs to, without opening the store. */
public final class StoreOwner {
    private StoreOwner() {}

    /**
     * Returns the node whose store is in a directory; null if there is none, or if it cannot be read. In that case,
     * opening the store says what is wrong.
     */
    public static @Nullable NodeId of(Path directory) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(directory.resolve(StoreDirectory.PROPERTIES))) {
            properties.load(reader);
            String node = properties.getProperty(StoreDirectory.NODE);
            return node == null ? null : NodeId.of(node);
        } catch (IOException | IllegalArgumentException | ConfigurationException e) {
            return null;
        }
    }
}
