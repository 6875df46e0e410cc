package io.georep.funnel;

import io.georep.model.ConfigurationException;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The replicated maps of a node, for state that is read on every message and written rarely. Every node reads it from
 * memory, and it is never stale. A node has them if its builder got {@code replicatedMaps(...)};
 * {@code node.service(ReplicatedMaps.class)} returns them. Thread-safe.
 */
public interface ReplicatedMaps {
    /**
     * Returns the map of this name. Everything known under that name on other nodes is in it. A second call with the same name returns
     * a map with the codecs of that call over the same content.
     *
     * @param name 1 to 255 bytes of UTF-8
     * @throws ConfigurationException if the name is empty or too long
     */
    <K, V> ReplicatedMap<K, V> map(String name, PayloadCodec<K> keys, PayloadCodec<V> values);

    /** Returns what this node knows of views, leases and its own part. */
    MapsStatus status();

    /**
     * Returns for how long this node may still answer reads from its memory if the master is silent from now on; zero if it may
     * not. It rises again with each answer of the master.
     */
    Duration leaseLeft();

    /** Registers a callback for changes of {@link #status}; called on the application thread of the maps. */
    void onStatus(Consumer<MapsStatus> listener);

    /**
     * Orders a new view from what the stores of the nodes hold, after the master of views has lost what it had decided.
     * For operators. All founders must run. An order that is not needed is refused, and nothing is lost by it.
     *
     * @param dryRun whether to tell only what would be done
     * @return fails if the master cannot be reached, or cannot do this
     */
    CompletionStage<ViewMaster.Restoration> restoreView(boolean dryRun);

    /** Reads what the maps hold and did. Fails with {@link io.georep.model.ClosedException} if the node is stopped. */
    CompletionStage<MapsStatistics> readStatistics();
}
