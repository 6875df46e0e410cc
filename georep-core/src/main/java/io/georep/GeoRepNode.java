package io.georep;

import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.Replication;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running member of a GeoRep cluster inside this JVM. Thread-safe.
 *
 * <p>Life: {@link #builder()} … {@link NodeBuilder#start()}; open outboxes, send and forward; {@link #close(Duration)}.
 * A node holds three threads of its own (driver, store, application) besides those of the transport and of handlers.
 *
 * <pre>{@code
 * GeoRepNode node = GeoRepNode.builder().nodeId("ams-1").site("eu-ams").listen(7400).seeds("nyc-1:7400").dataDir(path).start();
 * Outbox<String> outbox = node.outbox("sms", String.class, options -> options.f(1));
 * outbox.forward(delivery -> operator.submit(delivery.payload()));
 * outbox.send("hello").thenAccept(id -> log.info("stored {}", id));
 * }</pre>
 */
public interface GeoRepNode extends AutoCloseable {
    /** Collects the settings of a node. */
    static NodeBuilder builder() {
        return new NodeBuilder();
    }

    /** Who this node is in this boot. */
    NodeIdentity identity();

    /** Where it is in its life. */
    NodeState state();

    /** What stopped it; null unless the state is {@link NodeState#FAILED}. */
    @Nullable
    Throwable failure();

    /** Completes when the node is stopped: normally after {@link #close()}, with the error when it failed. */
    CompletionStage<Void> stopped();

    /**
     * Returns the API of a protocol this node runs: that of the outbox, or of one given to {@link NodeBuilder#add}.
     *
     * @throws io.georep.model.ConfigurationException when it runs none with this API
     */
    <S> S service(Class<S> type);

    /**
     * Opens a queue whose payloads the node's codecs can read, with f = 1.
     *
     * @throws ConfigurationException when there is no codec for the type, the queue is open already, or 65,536 others are
     */
    <T> Outbox<T> outbox(String name, Class<T> type);

    /** Opens a queue whose payloads the node's codecs can read. */
    <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options);

    /** Opens a queue with its own codec. */
    <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options);

    /** Opens a queue that the application keeps itself. */
    Replication replication(String name);

    /** Tells this callback when a peer changes its state; on the application thread, must not block. */
    GeoRepNode onPeerChange(Consumer<PeerChange> callback);

    /**
     * All known peers in the order of their names; waits for one turn of the driver, up to 10 seconds. Not for callbacks
     * of the node.
     *
     * @throws ClosedException when the node is stopped
     * @throws IllegalStateException when the node does not answer in time
     */
    List<PeerStatus> peers();

    /**
     * All known peers, without waiting. The stage fails with {@link ClosedException} when the node is stopped; a caller
     * that must not hang with a node that is stuck bounds it with {@code orTimeout}.
     */
    CompletionStage<List<PeerStatus>> readPeers();

    /** Which cluster this node belongs to; waits and fails like {@link #peers()}. */
    ClusterStatus cluster();

    /** What happened so far and what is held; waits and fails like {@link #peers()}. */
    NodeStatistics statistics();

    /** What happened so far and what is held, without waiting. */
    CompletionStage<NodeStatistics> readStatistics();

    /**
     * Whether the caller is this node's application thread, on which callbacks run: what waits for the node there waits for
     * ever, and no entry is handed out meanwhile.
     */
    boolean onApplicationThread();

    /**
     * Whether f+1 copies of a new entry could be made now, as far as this node knows; false when it is not running, is
     * drained or removed, or its store is full. Waits for one turn of the driver, up to 10 seconds. Not for callbacks of the node.
     *
     * @throws IllegalStateException when the node does not answer in time
     */
    boolean ready(int f);

    /** Answers {@link #ready} without waiting, for event loops; see {@link #readPeers()}. Never fails. */
    CompletionStage<Boolean> readReady(int f);

    /**
     * Prepares a node (this or another) for a predictable disaster: no new copies on it, its entries handed to others.
     * All nodes are told.
     */
    void drain(NodeId node);

    /** Ends {@link #drain}. */
    void undrain(NodeId node);

    /**
     * Gives another node up for good: others adopt its entries at once, make its copies again, dial it no more, and refuse
     * its process by name. While that process runs it accepts nothing new. All nodes are told.
     *
     * <p>Started again, with its data directory or without, the node joins anew; what others did meanwhile with the entries
     * in that directory counts. So shut it down first if it is to stay away. The removal is remembered for
     * {@code tombstoneLife}.
     */
    void remove(NodeId node);

    /**
     * Takes the cluster of another node that is seen as {@link PeerStatus#foreign}, for this node and all that are in touch with
     * it: mends one cluster whose parts refuse each other, as after a partition at its birth. Nothing is lost by it. What was
     * down meanwhile is refused when it returns, and needs the same order. Has no effect when that node is not foreign.
     */
    void joinClusterOf(NodeId node);

    /** Whether this node may adopt entries now, for example: can it reach the consumer? Initially true. */
    void allowAdoption(boolean allowed);

    /** Closes with the time away that the builder was told; see {@link #close(Duration)}. */
    @Override
    void close();

    /**
     * Stops in order: refuses new sends, lets handlers at work finish, waits for sends under way, says GOODBYE, closes
     * transport and store. Each step is bounded in time. Idempotent; must not be called from a callback of the node.
     *
     * @param expectedAway nobody adopts this node's entries before this time is over; zero: gone for good, others take
     *     over at once
     */
    void close(Duration expectedAway);

    /** Stops at once, as a crash would: no GOODBYE, sends under way end indeterminate. For tests and emergencies. */
    void halt();
}
