package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.runtime.ProtocolModule;
import io.georep.spi.CodecResolver;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Collects the settings of a node. Every method answers the builder; {@link #start()} checks all settings together.
 * Only {@link #nodeId} has no default. Not thread-safe.
 */
public final class NodeBuilder {
    private final NodeSettings.Draft draft = new NodeSettings.Draft();

    NodeBuilder() {}

    /** Name of the node, unique in the cluster and bound to the data directory. */
    public NodeBuilder nodeId(String value) {
        draft.nodeId = value;
        return this;
    }

    /** What fails together with this node: data centre or region; default: the node's name. */
    public NodeBuilder site(String value) {
        draft.site = value;
        return this;
    }

    /** Name of the cluster, default {@code georep}; nodes of different clusters refuse each other. */
    public NodeBuilder cluster(String value) {
        draft.cluster = value;
        return this;
    }

    /** Listens on this port of all addresses; 0 takes any free port. Without it the node is alone: f must be 0. */
    public NodeBuilder listen(int port) {
        return listen("0.0.0.0", port);
    }

    /** Listens on this port of one address. */
    public NodeBuilder listen(String host, int port) {
        draft.host = host;
        draft.port = port;
        return this;
    }

    /** {@code host:port} other nodes dial, when it is not what this one listens on (containers, address translation). */
    public NodeBuilder advertise(String address) {
        draft.advertise = address;
        return this;
    }

    /** {@code host:port} of nodes to meet first, in place of those named before; any one of them leads to all others. */
    public NodeBuilder seeds(String... addresses) {
        return seeds(List.of(addresses));
    }

    /** {@code host:port} of nodes to meet first, in place of those named before. */
    public NodeBuilder seeds(Collection<String> addresses) {
        draft.seeds = List.copyOf(addresses);
        return this;
    }

    /** Where entries are stored; needed unless the durability is {@link Durability#MEMORY}. */
    public NodeBuilder dataDir(Path value) {
        draft.dataDir = value;
        return this;
    }

    /** When an entry counts as durable; default {@link Durability#FSYNC}. */
    public NodeBuilder durability(Durability value) {
        draft.durability = value;
        return this;
    }

    /** Times and sizes of the protocol. */
    public NodeBuilder protocol(ProtocolConfig value) {
        draft.protocol = value;
        return this;
    }

    /** Has the node run another protocol beside the outbox; its API is found with {@link GeoRepNode#service}. */
    public NodeBuilder add(ProtocolModule<?> module) {
        draft.modules.add(module);
        return this;
    }

    /** Which peers get copies; default: never the own site while another is selectable. */
    public NodeBuilder selection(PeerSelection value) {
        draft.selection = value;
        return this;
    }

    /** Finds the codec of outboxes that are opened with a class, after {@code byte[]} and {@code String}. */
    public NodeBuilder codecs(CodecResolver value) {
        draft.codecs = value;
        return this;
    }

    /** Makes the transport; default: the one factory on the class path. */
    public NodeBuilder transport(TransportFactory value) {
        draft.transport = value;
        return this;
    }

    /** Opens the store; default: RocksDB in {@link #dataDir}, or memory. */
    public NodeBuilder store(StoreFactory value) {
        draft.store = value;
        return this;
    }

    /** Source of time; default the machine's. */
    public NodeBuilder ticker(Ticker value) {
        draft.ticker = value;
        return this;
    }

    /** Source of randomness of the protocols; default seeded from the system. */
    public NodeBuilder random(RandomGenerator value) {
        draft.random = value;
        return this;
    }

    /** Time away that {@link GeoRepNode#close()} announces; default 1 minute, zero: gone for good. */
    public NodeBuilder expectedAway(Duration value) {
        draft.expectedAway = value;
        return this;
    }

    /** Longest time closing waits for handlers at work, and again for sends under way; default 10 s. */
    public NodeBuilder closeTimeout(Duration value) {
        draft.closeTimeout = value;
        return this;
    }

    /** Longest time {@link #start()} waits for the store and the transport; default 1 minute. */
    public NodeBuilder startTimeout(Duration value) {
        draft.startTimeout = value;
        return this;
    }

    /**
     * Opens the store, starts the threads, listens, and answers the running node. It does not wait for other nodes.
     *
     * @throws ConfigurationException when settings are not valid; the message names all of them
     * @throws StoreException when the store cannot be opened
     * @throws TransportException when the address cannot be bound
     */
    public GeoRepNode start() {
        return NodeAssembly.start(draft.validated());
    }
}
