package io.georep.spring.boot;

import io.georep.model.Durability;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the node and its queues.
 *
 * @param enabled whether the node, its queues and everything around them are configured
 * @param nodeId name of the node, unique in the cluster and bound to the data directory; default: the node the store in the
 *     data directory belongs to, or the name of the host
 * @param site what fails together with this node, data centre or region; default: the node's name
 * @param cluster name all nodes of a cluster share; nodes of another cluster are refused
 * @param host address to listen on
 * @param port port to listen on, 0 for any free one; without it the node is alone and f must be 0
 * @param advertise host:port that other nodes dial when it is not what this node listens on
 * @param seeds host:port of nodes to meet first; any one of them leads to all others
 * @param f copies of each entry on other nodes unless a queue says otherwise; default 1, or 0 without a port
 * @param dataDir directory of the embedded store; default: georep-data/ followed by the node's name
 * @param durability when an entry counts as durable: on disk, in the page cache, or in memory
 * @param expectedAway time away announced at shutdown: nobody adopts this node's entries before it is over; 0: gone for
 *     good, others take over at once
 * @param closeTimeout longest time closing waits for handlers at work, and again for sends under way
 * @param startTimeout longest time the start waits for the store and the port
 * @param shutdown what happens to pending entries at shutdown
 * @param protocol times and sizes of the protocol
 * @param listener defaults of all listeners
 * @param outboxes settings of single queues, by name
 * @param transactions sends inside Spring transactions
 * @param health what the health contributor asks
 * @param test how the node runs in tests
 * @param web answers to requests whose send failed
 * @param strict whether unknown properties under georep, and listeners on queues that nothing else names, fail the start;
 *     otherwise they are warned of
 */
@ConfigurationProperties("georep")
record GeoRepProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String nodeId,
        @Nullable String site,
        @DefaultValue("georep") String cluster,
        @DefaultValue("0.0.0.0") String host,
        @Nullable Integer port,
        @Nullable String advertise,
        @DefaultValue List<String> seeds,
        @Nullable Integer f,
        @Nullable Path dataDir,
        @DefaultValue("fsync") Durability durability,
        @DefaultValue("1m") Duration expectedAway,
        @DefaultValue("10s") Duration closeTimeout,
        @DefaultValue("1m") Duration startTimeout,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Protocol protocol,
        @DefaultValue Listener listener,
        @DefaultValue Map<String, Queue> outboxes,
        @DefaultValue Transactions transactions,
        @DefaultValue Health health,
        @DefaultValue Test test,
        @DefaultValue Web web,
        @DefaultValue("false") boolean strict) {

    /** Copies on other nodes when a queue does not say. */
    int defaultF() {
        return f != null ? f : port == null ? 0 : 1;
    }

    /** Whether nothing is stored on disk. */
    boolean inMemory() {
        return test.enabled() || durability == Durability.MEMORY;
    }

    /**
     * The most copies any queue gets with this transport: none in a test, where the node is alone, except on a network that
     * is part of the test itself.
     */
    int copiesMax(@Nullable TransportFactory transport) {
        return test.enabled() && !(transport instanceof LocalNetwork) ? 0 : Integer.MAX_VALUE;
    }

    /**
     * What happens to pending entries at shutdown.
     *
     * @param handOver whether pending entries are handed to other nodes before this one says goodbye for good
     * @param handOverTimeout longest time the hand-over may take
     */
    record Shutdown(
            @DefaultValue("false") boolean handOver,
            @DefaultValue("30s") Duration handOverTimeout) {}

    /**
     * Times and sizes of the protocol. Symbols of the protocol description in brackets.
     *
     * @param heartbeat [T_hb] longest silence towards a live peer
     * @param heartbeatAway [T_hbd] longest silence towards peers that are given up or away
     * @param suspectAfter [T_s] silence until a peer is suspected; at least 3 heartbeats
     * @param terminateAfter [T_x] further silence until its entries are adopted
     * @param putTimeout [T_put] time to collect all acknowledgements of a send; shorter than suspect-after
     * @param tombstoneLife [T_tomb] how long the ids of finished entries are kept
     * @param minRtt [L_rtt] smallest round trip of an acceptable replica
     * @param minRttStrict whether a send fails when fewer than f peers reach min-rtt
     * @param reReplicateAfter [T_rr] time an owner must be given up before its copies are made elsewhere; 0: never
     * @param linger longest time sends gather while a frame to the same peer is unanswered
     * @param groupBytesMax [B_max] largest group of entries that travels and is stored together, in bytes
     * @param payloadBytesMax largest payload of one entry, in bytes
     * @param pendingPutsMax most sends waiting for copies
     * @param pendingBytesMax most payload bytes waiting for copies
     * @param cacheBytesMax most payload bytes of stored entries kept in memory
     * @param storeStallAfter silence of the store until this node takes nothing new
     * @param storeFailAfter silence of the store until this node gives it up and stops; longer than store-stall-after
     * @param storeBacklogBytesMax payload bytes waiting to be written until this node takes nothing new
     */
    record Protocol(
            @DefaultValue("1s") Duration heartbeat,
            @DefaultValue("5s") Duration heartbeatAway,
            @DefaultValue("5s") Duration suspectAfter,
            @DefaultValue("25s") Duration terminateAfter,
            @DefaultValue("3s") Duration putTimeout,
            @DefaultValue("24h") Duration tombstoneLife,
            @DefaultValue("0s") Duration minRtt,
            @DefaultValue("false") boolean minRttStrict,
            @DefaultValue("10m") Duration reReplicateAfter,
            @DefaultValue("1ms") Duration linger,
            @DefaultValue("262144") int groupBytesMax,
            @DefaultValue("1048576") int payloadBytesMax,
            @DefaultValue("100000") int pendingPutsMax,
            @DefaultValue("67108864") long pendingBytesMax,
            @DefaultValue("33554432") long cacheBytesMax,
            @DefaultValue("5s") Duration storeStallAfter,
            @DefaultValue("1m") Duration storeFailAfter,
            @DefaultValue("134217728") long storeBacklogBytesMax) {}

    /**
     * Defaults of all listeners.
     *
     * @param autoStartup whether listeners start with the application
     * @param concurrency handler calls at the same time
     * @param window entries that may be ready for the handler or in its hands
     * @param batchMax most entries in one call of a batch listener
     * @param retry what happens after a handler failed
     */
    record Listener(
            @DefaultValue("true") boolean autoStartup,
            @DefaultValue("1") int concurrency,
            @DefaultValue("100") int window,
            @DefaultValue("100") int batchMax,
            @DefaultValue RetrySettings retry) {}

    /**
     * Settings of one queue; they win over those of annotations.
     *
     * @param f copies on other nodes
     * @param deduplicationWindow how long the node remembers producer keys: a send with a key seen before answers the
     *     earlier entry; default: not at all
     * @param deduplicationKeysMax most producer keys remembered
     * @param autoStartup whether its listener starts with the application
     * @param concurrency handler calls at the same time
     * @param window entries that may be ready for the handler or in its hands
     * @param batchMax most entries in one call of a batch listener
     * @param retry what happens after the handler failed
     */
    record Queue(
            @Nullable Integer f,
            @Nullable Duration deduplicationWindow,
            @DefaultValue("100000") int deduplicationKeysMax,
            @Nullable Boolean autoStartup,
            @Nullable Integer concurrency,
            @Nullable Integer window,
            @Nullable Integer batchMax,
            @DefaultValue RetrySettings retry) {}

    /**
     * What happens after a handler failed. What is left out is taken from the next level: the queue, the annotation, the
     * defaults of all listeners, and last 1 s to 1 min, growing by 2, with a jitter of 0.2, for ever.
     *
     * @param delayMin delay after the first attempt
     * @param delayMax longest delay
     * @param factor how much longer each delay is than the one before
     * @param jitter part of a delay by which it is randomly shorter or longer, 0 to 1
     * @param attempts attempts before the entry becomes a dead letter; 0 for no limit
     */
    record RetrySettings(
            @Nullable Duration delayMin,
            @Nullable Duration delayMax,
            @Nullable Double factor,
            @Nullable Double jitter,
            @Nullable Integer attempts) {}

    /**
     * Sends inside Spring transactions.
     *
     * @param enabled whether a send inside a transaction waits for its outcome
     * @param holdTimeout longest time a commit waits until the held copies are durable
     * @param checkAfter age at which an entry whose outcome is unknown is first checked
     * @param checkInterval time between two checks of the same entry
     */
    record Transactions(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("10s") Duration holdTimeout,
            @DefaultValue("10s") Duration checkAfter,
            @DefaultValue("30s") Duration checkInterval) {}

    /**
     * What the health contributor asks.
     *
     * @param f copies that must be possible for the node to be ready; default: the largest f of its queues
     */
    record Health(@Nullable Integer f) {}

    /**
     * Answers to requests whose send failed.
     *
     * @param problemDetails whether a RejectedException, a ClosedException and an IndeterminateException that no handler of
     *     the application takes are answered with problem details: status 429, 413, 503 or 504
     */
    record Web(@DefaultValue("false") boolean problemDetails) {}

    /**
     * How the node runs in tests.
     *
     * @param enabled whether the node is alone, whatever its port and seeds, keeps its entries in memory, makes no copies
     *     (f = 0) and takes a random name unless it has one; default: true in tests with Spring's test support
     */
    record Test(@DefaultValue("false") boolean enabled) {}
}
