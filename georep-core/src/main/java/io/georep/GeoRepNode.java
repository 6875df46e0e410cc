package io.georep;

import io.georep.flagons.FleetMapSettings;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.Replication;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running member of a GeoRep cluster inside this JVM. Thread-safe.
 *
 * <p>Collect the settings with {@link #builder()} and start the node with {@link NodeBuilder#start()}. Open outboxes, send and
 * forward. Stop the node with {@link #close(Duration)}. A node has a driver, a store thread,
 * and application threads, in addition to those of the transport and of handlers. Callbacks run on an application thread: each
 * protocol has one, and the node has one for its own callbacks. A slow callback of one protocol delays no other protocol.
 *
 * <pre>{@code
 * GeoRepNode node = GeoRepNode.builder().nodeId("ams-1").site("eu-ams").listen("localhost", 7400).seeds("nyc-1:7400").dataDir(path).start();
 * Outbox<String> outbox = node.outbox("sms", String.class, options -> options.f(1));
 * outbox.forward(delivery -> operator.submit(delivery.payload()));
 * node.awaitReady(1, Duration.ofMinutes(1));
 * outbox.send("hello").thenAccept(id -> log.info("stored {}", id));
 * }</pre>
 */
public interface GeoRepNode extends AutoCloseable {
    /** Returns a builder that collects the settings of a node. */
    static NodeBuilder builder() {
        return new NodeBuilder();
    }

    /**
     * Returns a builder with all that a node of a fleet, or a client of one, needs, except where it listens and, beyond loopback, the
     * secret or certificate of its transport. It has a name drawn at random, no outbox, and keeps what it has in memory only.
     */
    static NodeBuilder fleetNode(FleetMapSettings settings) {
        return builder()
                .nodeId("fleet-" + UUID.randomUUID())
                .durability(Durability.MEMORY)
                .withoutOutbox()
                .fleet(settings);
    }

    /** Returns who this node is in this boot. */
    NodeIdentity identity();

    /** Returns where the node is in its life. */
    NodeState state();

    /** Returns what stopped the node; null unless the state is {@link NodeState#FAILED}. */
    @Nullable
    Throwable failure();

    /** Returns a stage that completes when the node is stopped: normally after {@link #close()}, with the error if it failed. */
    CompletionStage<Void> stopped();

    /**
     * Returns the API of a protocol that this node runs: that of the outbox, or of a protocol given to {@link NodeBuilder#add}.
     *
     * @throws io.georep.model.ConfigurationException if the node runs no protocol with this API
     */
    <S> S service(Class<S> type);

    /**
     * Opens a queue whose payloads the node's codecs can read, with f = 1.
     *
     * @throws ConfigurationException if there is no codec for the type, if the queue is open already, or if 65,536 others are
     */
    <T> Outbox<T> outbox(String name, Class<T> type);

    /** Opens a queue whose payloads the node's codecs can read. */
    <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options);

    /** Opens a queue with this codec. */
    <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options);

    /** Opens a queue that the application keeps itself; the node only makes the copies. */
    Replication replication(String name);

    /** Registers a callback for changes of a peer's state. It runs on an application thread and must not block. */
    GeoRepNode onPeerChange(Consumer<PeerChange> callback);

    /**
     * Returns all known peers in the order of their names. Waits for one turn of the driver, up to 10 seconds. Do not call this
     * in callbacks of the node.
     *
     * @throws ClosedException if the node is stopped
     * @throws IllegalStateException if the node does not answer in time
     */
    List<PeerStatus> peers();

    /**
     * Reads all known peers without waiting. The stage fails with {@link ClosedException} if the node is stopped. A caller that
     * must not hang together with a stuck node can bound it with {@code orTimeout}. What is attached to the stage must not block:
     * it may run on the thread that gives all such answers, where calls that wait for the node are refused.
     */
    CompletionStage<List<PeerStatus>> readPeers();

    /** Returns the cluster to which this node belongs. Waits and fails like {@link #peers()}. */
    ClusterStatus cluster();

    /** Returns what the node has done since its start and what it holds now. Waits and fails like {@link #peers()}. */
    NodeStatistics statistics();

    /** Reads what the node has done since its start and what it holds now, without waiting; see {@link #readPeers()}. */
    CompletionStage<NodeStatistics> readStatistics();

    /**
     * Returns whether the caller runs on one of this node's application threads, on which callbacks run. A call that waits for
     * the node there could wait for itself, and the node would hand out no entry meanwhile.
     */
    boolean onApplicationThread();

    /**
     * Returns whether f + 1 copies of a new entry could be made now, as far as this node knows. The result is false if too few
     * peers are in reach, if the node is not running, drained or removed, or if its store takes nothing. Waits for one turn of
     * the driver, up to 10 seconds. Do not call this in callbacks of the node.
     *
     * @throws IllegalStateException if the node does not answer in time
     */
    boolean ready(int f);

    /**
     * Waits until {@link #ready(int) ready(f)} is true. Nodes need a moment to meet after their start; until then, sends with
     * f > 0 are refused. Do not call this in callbacks of the node.
     *
     * @param atMost how long to wait at most
     * @return true if the node is ready; false if the time was over first
     * @throws ClosedException if the node is stopped, or stops meanwhile
     * @throws IllegalStateException if the thread is interrupted
     */
    boolean awaitReady(int f, Duration atMost);

    /** Reads {@link #ready} without waiting, for event loops; see {@link #readPeers()}. The stage never fails. */
    CompletionStage<Boolean> readReady(int f);

    /**
     * Empties a node, this one or another, before a disaster that can be foreseen. The node accepts nothing new, gets no copies,
     * and hands its entries to other nodes. All nodes are told.
     *
     * @throws ConfigurationException if it is another node, and the certificate of this one is limited
     */
    void drain(NodeId node);

    /** Ends {@link #drain}, and fails like it. */
    void undrain(NodeId node);

    /**
     * Gives another node up for good. The other nodes adopt its entries at once, make its copies again, no longer dial it, and
     * refuse its process by name. If that process still runs, it accepts nothing new. All nodes are told.
     *
     * <p>If the node is started again, with its data directory or without, it joins anew. What others did meanwhile with the
     * entries in that directory counts. So shut the node down first if it is to stay away. The removal is remembered for
     * {@code tombstoneLife}.
     *
     * @throws IllegalArgumentException if it is this node
     * @throws ConfigurationException if the certificate of this node is limited
     */
    void remove(NodeId node);

    /**
     * Makes this node, and all nodes in touch with it, join the cluster of a node that this one sees as {@link
     * PeerStatus#foreign}. This mends a cluster whose parts refuse each other, for example because the network was split when
     * the cluster was formed. Nothing is lost. A node that was down meanwhile is refused when it returns, and needs the same
     * order. Has no effect if that node is not foreign.
     *
     * @throws ConfigurationException if the certificate of this node is limited
     */
    void joinClusterOf(NodeId node);

    /**
     * Sets whether this node may adopt entries, for example because it can reach the consumer. Initially it may. After
     * a start it has T_s + T_x to say so: what belonged to nodes that are not heard, or were removed before, is adopted no
     * earlier. Nobody hands entries over to a node that may not, as soon as its word has arrived. What it holds already it
     * keeps.
     */
    void allowAdoption(boolean allowed);

    /** Closes with the absence set by {@link NodeBuilder#expectedAway}; see {@link #close(Duration)}. */
    @Override
    void close();

    /**
     * Stops the node in order: it refuses new sends, lets handlers at work finish, waits for sends under way, tells the other
     * nodes goodbye, and closes transport and store. Each step is bounded in time. Idempotent. Do not call this in a callback of
     * the node.
     *
     * @param expectedAway how long the node will be away; nobody adopts its entries before. Zero: it leaves for good, and others
     *     adopt at once
     */
    void close(Duration expectedAway);

    /**
     * Stops the node at once, as a crash would: the other nodes are told nothing, and sends under way end as indeterminate. For
     * tests and emergencies.
     */
    void halt();
}
