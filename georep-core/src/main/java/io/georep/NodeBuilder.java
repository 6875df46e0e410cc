package io.georep;

import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.local.FleetModule;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.local.ReplicatedMapsModule;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.local.GeoPaxosModule;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.local.KeySpacesModule;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.protocol.local.ProtocolModule;
import io.georep.reports.local.ReportsModule;
import io.georep.spi.CodecResolver;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import io.georep.store.rocksdb.StoreOwner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a node. Each setter returns the builder; {@link #start()} checks all settings together. Only {@link
 * #nodeId} has no default. Not thread-safe.
 */
public final class NodeBuilder {
    private final NodeSettings.Draft draft = new NodeSettings.Draft();

    NodeBuilder() {}

    /** Sets the name of the node. It must be unique in the cluster, and is tied to the data directory. */
    public NodeBuilder nodeId(String value) {
        draft.nodeId = value;
        return this;
    }

    /** Sets the place that fails as a whole: a data centre or a region. Default: the node's name. */
    public NodeBuilder site(String value) {
        draft.site = value;
        return this;
    }

    /** Sets the name of the cluster; default {@code georep}. Nodes of differently named clusters refuse each other. */
    public NodeBuilder cluster(String value) {
        draft.cluster = value;
        return this;
    }

    /**
     * Listens on this port of all addresses; 0 takes any free port. Without a port the node is alone, and f must be 0. If other
     * machines can reach the address, the transport must keep strangers off: see {@link #transport}.
     */
    public NodeBuilder listen(int port) {
        return listen("0.0.0.0", port);
    }

    /** Listens on this port of one address. */
    public NodeBuilder listen(String host, int port) {
        draft.host = host;
        draft.port = port;
        return this;
    }

    /**
     * Sets the {@code host:port} that other nodes dial, if it differs from the address this one listens on, as with containers
     * or address translation.
     */
    public NodeBuilder advertise(String address) {
        draft.advertise = address;
        return this;
    }

    /**
     * Sets the {@code host:port} of nodes to meet first, in place of those named before. Any one of them leads to all others.
     */
    public NodeBuilder seeds(String... addresses) {
        return seeds(List.of(addresses));
    }

    /** Sets the {@code host:port} of nodes to meet first, in place of those named before. */
    public NodeBuilder seeds(Collection<String> addresses) {
        draft.seeds = List.copyOf(addresses);
        return this;
    }

    /** Sets where entries are stored. Needed unless the durability is {@link Durability#MEMORY}. */
    public NodeBuilder dataDir(Path value) {
        draft.dataDir = value;
        return this;
    }

    /** Sets when an entry counts as durable; default {@link Durability#FSYNC}. */
    public NodeBuilder durability(Durability value) {
        draft.durability = value;
        return this;
    }

    /** Sets the times and sizes of the protocol. */
    public NodeBuilder protocol(ProtocolConfig value) {
        draft.protocol = value;
        return this;
    }

    /**
     * Lowers the f of every queue and send that asks for more copies than this; default: nothing is lowered. Meant for tests
     * of an application on fewer nodes than it is written for: with 0 a node that is alone accepts everything.
     */
    public NodeBuilder copiesMax(int value) {
        draft.copiesMax = value;
        return this;
    }

    /**
     * Gives the node key spaces: {@code node.service(KeySpaces.class)} returns them. All nodes of a cluster need them for
     * spaces that are replicated.
     */
    public NodeBuilder keySpaces(KeySpaceSettings settings) {
        return addOwn(new KeySpacesModule(settings));
    }

    /**
     * Gives the node replicated maps: {@code node.service(ReplicatedMaps.class)} returns them. All nodes of a cluster that are
     * to have the maps need this, with masters that lead to the same decisions.
     *
     * @param master makes what says who the members are; called when settings are checked and when the node starts
     */
    public NodeBuilder replicatedMaps(FunnelSettings settings, ViewMaster.Factory master) {
        return addOwn(new ReplicatedMapsModule(settings, master));
    }

    /**
     * Gives the node ordered maps: {@code node.service(OrderedMaps.class)} returns them. The voters and replicas of the settings
     * need this with the same settings.
     */
    public NodeBuilder orderedMaps(OrderedMapSettings settings) {
        return addOwn(new GeoPaxosModule(settings));
    }

    /**
     * Makes the node one of a fleet, or a client of one: {@code node.service(FleetMaps.class)} returns the fleet maps. Nodes of a fleet
     * need not know each other, nor be members of one cluster; they have the same {@link #cluster} name and {@link #transport} secret or
     * certificates. For a node that has nothing else to do see {@link GeoRepNode#fleetNode}.
     */
    public NodeBuilder fleet(FleetMapSettings settings) {
        return addOwn(new FleetModule(settings));
    }

    /**
     * Makes the node say of itself to others what the application writes, and tell what they say: {@code
     * node.service(Reports.class)} is where both begin. Nodes without it are not asked.
     */
    public NodeBuilder reports() {
        return addOwn(new ReportsModule());
    }

    /** Leaves the outbox out: the node has only the protocols that it is given, and opens no queues. */
    public NodeBuilder withoutOutbox() {
        draft.hasOutbox = false;
        return this;
    }

    /** Adds a protocol of this library. */
    NodeBuilder addOwn(ProtocolModule<?, ?, ?> module) {
        draft.own.removeIf(other -> other.id().equals(module.id()));
        draft.own.add(module);
        return this;
    }

    /**
     * Makes the node run a protocol of the application beside the outbox. {@link GeoRepNode#service} returns its API. Numbers below
     * 64 are for protocols of this library.
     */
    public NodeBuilder add(ProtocolModule<?, ?, ?> module) {
        draft.modules.add(module);
        return this;
    }

    /** Sets which peers get copies. Default: nodes of the own site only if other sites have too few. */
    public NodeBuilder selection(PeerSelection value) {
        draft.selection = value;
        return this;
    }

    /** Sets what finds the codec of outboxes that are opened with a class other than {@code byte[]} and {@code String}. */
    public NodeBuilder codecs(CodecResolver value) {
        draft.codecs = value;
        return this;
    }

    /**
     * Sets what creates the transport, for example {@code new NettyTransportFactory(links -> links.secret(secret))}. Default: the
     * one factory on the class path, which lets a node listen on loopback addresses only.
     */
    public NodeBuilder transport(TransportFactory value) {
        draft.transport = value;
        return this;
    }

    /**
     * Sets the keys that entries, their headers and key-space values are encrypted with in {@link #dataDir}. Default, and null:
     * nothing is encrypted. A store of your own, see {@link #store}, takes its keys itself.
     */
    public NodeBuilder encryption(@Nullable EncryptionKeys value) {
        draft.encryption = value;
        return this;
    }

    /** Sets what opens the store. Default: RocksDB in {@link #dataDir}, or memory if there is none. */
    public NodeBuilder store(StoreFactory value) {
        draft.store = value;
        return this;
    }

    /** Sets the source of time. Default: the machine's clocks. */
    public NodeBuilder ticker(Ticker value) {
        draft.ticker = value;
        return this;
    }

    /** Sets the absence that {@link GeoRepNode#close()} announces; default 1 minute. Zero: the node leaves for good. */
    public NodeBuilder expectedAway(Duration value) {
        draft.expectedAway = value;
        return this;
    }

    /** Sets how long closing waits at most for handlers at work, and again for sends under way; default 10 s. */
    public NodeBuilder closeTimeout(Duration value) {
        draft.closeTimeout = value;
        return this;
    }

    /** Sets how long {@link #start()} waits at most for the store and the transport; default 1 minute. */
    public NodeBuilder startTimeout(Duration value) {
        draft.startTimeout = value;
        return this;
    }

    /** Returns the name of the node whose store is in this directory; null if there is none, or none that can be read. */
    public static @Nullable NodeId storedNodeId(Path dataDir) {
        return StoreOwner.of(dataDir);
    }

    /**
     * Throws what {@link #start()} would throw for these settings; starts nothing.
     *
     * @throws ConfigurationException when settings are not valid; the message names all of them
     */
    public void check() {
        draft.validated();
    }

    /**
     * Opens the store, starts the threads, listens, and returns the running node. It does not wait for other nodes.
     *
     * @throws ConfigurationException if settings are not valid; the message lists all of them
     * @throws StoreException if the store cannot be opened
     * @throws TransportException if the address cannot be bound
     */
    public GeoRepNode start() {
        return NodeAssembly.start(draft.validated());
    }
}
