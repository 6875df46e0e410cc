package io.georep.spring.boot;

import io.georep.flagons.FleetMapSettings;
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
 * @param enabled whether the starter configures the node, its queues and everything around them
 * @param nodeId name of the node, unique in the cluster and tied to the data directory; default: the name of the node
 *     to which the store in the data directory belongs, or else the name of the host
 * @param site the place that fails as a whole, a data centre or a region; default: the node's name
 * @param cluster name that all nodes of a cluster share; nodes of another cluster are refused
 * @param host address on which the node listens
 * @param port port on which the node listens, 0 for any free one; without a port the node is alone and f must be 0
 * @param advertise host:port that other nodes dial, if it differs from the address on which this node listens
 * @param seeds host:port of nodes to meet first; any one of them leads to all others
 * @param f copies of each entry on other nodes, unless a queue says otherwise; default 1, or 0 without a port
 * @param dataDir directory of the embedded store; default: georep-data/ followed by the node's name
 * @param durability when an entry counts as durable: on disk, in the page cache, or in memory
 * @param expectedAway absence announced at shutdown, until whose end nobody adopts; 0: it leaves, others adopt at once
 * @param closeTimeout how long closing waits at most for handlers at work, and again for sends under way
 * @param startTimeout how long the start waits at most for the store and the port
 * @param shutdown what happens to pending entries at shutdown
 * @param ssl TLS between nodes
 * @param security what keeps strangers off the links between nodes
 * @param store how the embedded store keeps what it is given
 * @param protocol times and sizes of the protocol
 * @param listener defaults of all listeners
 * @param outboxes settings of single queues, by name
 * @param connectors settings of connectors, which are plugins of Kafka Connect, by their names
 * @param pluginPath directories with plugins; each jar and each directory in them is one
 * @param transactions sends inside Spring transactions
 * @param health what the health contributor asks
 * @param test how the node runs in tests
 * @param console the page in the browser that shows the node
 * @param web answers to requests whose send failed
 * @param maps replicated maps, which the node has with master.peers, with alone, or with a bean of type ViewMaster.Factory
 * @param orderedMaps ordered maps, which the node has if groups are named
 * @param fleet the fleet of which the node is one, if seeds of it or a role are given
 * @param strict whether the start fails if a property under georep is unknown, or if a listener is on a queue that
 *     nothing else names; otherwise the log warns
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
        @DefaultValue Ssl ssl,
        @DefaultValue Security security,
        @DefaultValue Store store,
        @DefaultValue Protocol protocol,
        @DefaultValue Listener listener,
        @DefaultValue Map<String, Queue> outboxes,
        @DefaultValue Map<String, Map<String, String>> connectors,
        @DefaultValue List<Path> pluginPath,
        @DefaultValue Maps maps,
        @DefaultValue OrderedMaps orderedMaps,
        @DefaultValue Fleet fleet,
        @DefaultValue Transactions transactions,
        @DefaultValue Health health,
        @DefaultValue Test test,
        @DefaultValue Console console,
        @DefaultValue Web web,
        @DefaultValue("false") boolean strict) {

    /** Returns all but the settings of connectors, which may hold passwords. */
    @Override
    public String toString() {
        return "GeoRepProperties[nodeId=" + nodeId + ", site=" + site + ", cluster=" + cluster + ", security="
                + security + ", outboxes=" + outboxes.keySet() + ", connectors=" + connectors.keySet() + "]";
    }

    /** Copies on other nodes when a queue does not say. */
    int defaultF() {
        return f != null ? f : port == null ? 0 : 1;
    }

    /** Returns whether nothing is stored on disk. */
    boolean inMemory() {
        return test.enabled() || durability == Durability.MEMORY;
    }

    /**
     * Returns the most copies any queue gets with this transport: none in a test, where the node is alone, except on a network that
     * is part of the test itself.
     */
    int copiesMax(@Nullable TransportFactory transport) {
        return test.enabled() && !(transport instanceof LocalNetwork) ? 0 : Integer.MAX_VALUE;
    }

    /**
     * What happens to pending entries at shutdown.
     *
     * @param handOver whether the node hands pending entries to other nodes before it leaves for good
     * @param handOverTimeout how long the hand-over may take
     */
    record Shutdown(
            @DefaultValue("false") boolean handOver,
            @DefaultValue("30s") Duration handOverTimeout) {}

    /**
     * TLS 1.3 between nodes. Each node has a certificate that names it.
     *
     * @param bundle name of the SSL bundle with the certificate of this node and the authorities that it trusts; default:
     *     links are not encrypted
     * @param dnsNames rule by which DNS names say which node a certificate is for, for example
     *     {node}.georep.example.com; default: URIs like georep:cluster/node say it
     * @param limitedDnsNames rule by which DNS names say which node a limited certificate is for, which may not decide over
     *     other nodes, for example {node}.edge.example.com; needs dns-names, and no name may fit both
     * @param revoked file with the serial numbers of certificates that are no longer good, one per line, in hexadecimal digits
     */
    record Ssl(
            @Nullable String bundle,
            @Nullable String dnsNames,
            @Nullable String limitedDnsNames,
            @Nullable Path revoked) {}

    /**
     * What keeps strangers off the links between nodes. A node that other machines may reach does not start without.
     *
     * @param secret at least 16 random bytes in Base64 that all nodes of the cluster share and nobody else knows; while it
     *     is changed, a second one after a space: the node proves the first and accepts both
     * @param secretFile file that holds the secret, in place of the secret itself
     * @param openToAnyoneWhoReachesThePort whether the node starts although nothing keeps strangers off: whoever reaches
     *     the port can then join the cluster, read copies and delete entries
     */
    record Security(
            @Nullable String secret,
            @Nullable Path secretFile,
            @DefaultValue("false") boolean openToAnyoneWhoReachesThePort) {
        /** Returns all but the secret, which must not be printed. */
        @Override
        public String toString() {
            return "Security[secret=" + (secret == null ? "none" : "******") + ", secretFile=" + secretFile
                    + ", openToAnyoneWhoReachesThePort=" + openToAnyoneWhoReachesThePort + "]";
        }
    }

    /**
     * How the embedded store keeps what it is given.
     *
     * @param encryption of the data directory
     */
    record Store(@DefaultValue Encryption encryption) {}

    /**
     * Encryption of the data directory.
     *
     * @param keyFile file with a line for each key: an id and 32 random bytes in Base64; the first key is for writing, all are
     *     for reading; default: nothing is encrypted
     * @param enabled whether what is written is encrypted; if not, the keys are for reading only
     */
    record Encryption(
            @Nullable Path keyFile, @DefaultValue("true") boolean enabled) {}

    /**
     * Times and sizes of the protocol. Symbols of the protocol description in brackets.
     *
     * @param heartbeat [T_hb] the longest this node keeps silent towards a live peer
     * @param heartbeatAway [T_hbd] the longest this node keeps silent towards peers that are given up or away
     * @param suspectAfter [T_s] how long a peer is silent before it gets no new copies; at least 3 heartbeats
     * @param terminateAfter [T_x] how much longer a peer is silent before its entries are adopted
     * @param putTimeout [T_put] how long a send may take to collect all acknowledgements; shorter than suspect-after
     * @param tombstoneLife [T_tomb] how long a node remembers finished entries
     * @param minRtt [L_rtt] the smallest round trip of an acceptable owner; if fewer than f peers reach it, the farthest of the nearer
     *     ones fill up
     * @param reReplicateAfter [T_rr] how long an owner must have been given up before its copies are made elsewhere; 0: never
     * @param payloadBytesMax the largest payload of one entry, in bytes
     * @param pendingPutsMax how many sends may wait for their copies
     * @param pendingBytesMax how many payload bytes may wait for their copies
     * @param cacheBytesMax how many payload bytes of stored entries stay in memory
     * @param storeStallAfter how long the store may be silent before this node takes nothing new
     * @param storeFailAfter how long the store may be silent before this node gives it up and stops; longer than store-stall-after
     * @param storeBacklogBytesMax how many payload bytes may wait to be written before this node takes nothing new
     */
    record Protocol(
            @DefaultValue("1s") Duration heartbeat,
            @DefaultValue("5s") Duration heartbeatAway,
            @DefaultValue("5s") Duration suspectAfter,
            @DefaultValue("25s") Duration terminateAfter,
            @DefaultValue("3s") Duration putTimeout,
            @DefaultValue("24h") Duration tombstoneLife,
            @DefaultValue("0s") Duration minRtt,
            @DefaultValue("10m") Duration reReplicateAfter,
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
     * @param concurrency how many calls of a listener run at the same time
     * @param window how many entries may be ready for a listener or in its hands
     * @param batchMax how many entries a batch listener gets at most in one call
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
     * @param deduplicationWindow how long the node remembers producer keys: a send with a key seen before returns the
     *     earlier entry; default: not at all
     * @param deduplicationKeysMax how many producer keys are remembered
     * @param autoStartup whether the listener of this queue starts with the application
     * @param concurrency how many calls of the listener run at the same time
     * @param window how many entries may be ready for the listener or in its hands
     * @param batchMax how many entries a batch listener gets at most in one call
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
     * @param delayMax the longest delay
     * @param factor how much longer each delay is than the one before
     * @param jitter part of a delay by which it is randomly shorter or longer, 0 to 1
     * @param attempts how many attempts are made before the entry becomes a dead letter; 0 for no limit
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
     * @param enabled whether a send inside a transaction waits for the outcome of the transaction
     * @param holdTimeout how long a commit waits at most until the held copies are durable
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
     * @param f how many copies must be possible for the node to be ready; default: the largest f of its queues
     */
    record Health(@Nullable Integer f) {}

    /**
     * The page in the browser that shows the node.
     *
     * @param enabled whether there is one at /georep, beside the endpoints of Actuator; needs spring-boot-starter-actuator and a
     *     servlet web server
     */
    record Console(@DefaultValue("false") boolean enabled) {}

    /**
     * Answers to requests whose send failed.
     *
     * @param problemDetails whether a RejectedException, a ClosedException and an IndeterminateException that no handler of
     *     the application takes are answered with problem details: status 429, 413, 503 or 504
     */
    record Web(@DefaultValue("true") boolean problemDetails) {}

    /**
     * Replicated maps.
     *
     * @param alone whether this node is the only one that has the maps; for development, and for a node without a port
     * @param master the nodes that decide who the members are
     * @param keysMax how many keys all maps may have together
     * @param bytesMax how many bytes keys and values may have together; every node keeps them in memory
     * @param valueBytesMax how many bytes one key and its value may have together
     * @param uncommittedMax how many writes of this node may wait to be committed
     * @param lease how long a node may serve without hearing from the master of views
     * @param suspectAfter how long a member may be without link to another one until the master is told
     * @param writeTimeout how long a write may take before its outcome is called indeterminate
     * @param readTimeout how long the tail may take to answer a read
     * @param caches caches of Spring, by name; each is a replicated map
     */
    record Maps(
            @DefaultValue("false") boolean alone,
            @DefaultValue MapMaster master,
            @DefaultValue("500000") int keysMax,
            @DefaultValue("268435456") long bytesMax,
            @DefaultValue("4194304") int valueBytesMax,
            @DefaultValue("10000") int uncommittedMax,
            @DefaultValue("2s") Duration lease,
            @DefaultValue("2s") Duration suspectAfter,
            @DefaultValue("10s") Duration writeTimeout,
            @DefaultValue("2s") Duration readTimeout,
            @DefaultValue Map<String, MapCache> caches) {}

    /**
     * Nodes that decide together who the members of the replicated maps are. All nodes have the same keepers and founders.
     *
     * @param keepers names of the 3 or 5 nodes that keep these decisions in their stores; other nodes only ask them. The list cannot be
     *     changed later
     * @param founders names of the members of the first view, the tail last; default: the keepers
     * @param membersMin below so many members the maps are only read; 0: more than half of the founders
     */
    record MapMaster(
            @DefaultValue List<String> keepers,
            @DefaultValue List<String> founders,
            @DefaultValue("0") int membersMin) {}

    /**
     * A cache.
     *
     * @param keyType class of the keys
     * @param valueType class of the values
     * @param timeToLive how long a value is kept; default: for ever
     */
    record MapCache(
            @DefaultValue("java.lang.String") Class<?> keyType,
            @Nullable Class<?> valueType,
            @Nullable Duration timeToLive) {}

    /**
     * Ordered maps. All nodes have the same groups and replicas, and these cannot be changed later.
     *
     * @param groups for each group the names of the nodes that order its operations, 3 or 5; the first one leads it when it can.
     *     All keys begin in the first group
     * @param replicas names of other nodes, which hold everything and take calls
     * @param lease for how long the leader of a group may answer reads by itself; if it dies, the keys of the group stand still for up
     *     to one and a half times as long
     * @param timeout how long a call may take; then a write is indeterminate and a read unavailable
     * @param waitingMax how many calls of this node may wait
     * @param keysMax how many keys all maps may have together
     * @param bytesMax how many bytes keys and values may have together; every node keeps them in memory
     * @param placement how often keys are given to the groups near those who use them; zero: never
     */
    record OrderedMaps(
            @DefaultValue List<List<String>> groups,
            @DefaultValue List<String> replicas,
            @DefaultValue("2s") Duration lease,
            @DefaultValue("10s") Duration timeout,
            @DefaultValue("10000") int waitingMax,
            @DefaultValue("500000") int keysMax,
            @DefaultValue("268435456") long bytesMax,
            @DefaultValue("10s") Duration placement) {}

    /**
     * The fleet. A member, which has seeds, is what a node is if it names seeds and no role.
     *
     * @param role founder: the first node of a fleet, to be started once; member: any other one; client: it is no node of the fleet,
     *     and asks the seeds
     * @param seeds host:port of nodes of the fleet to meet first, or to ask
     * @param nodes about how many nodes the fleet may have; the same on all of them
     * @param writers public keys for Ed25519, in Base64, of those who may change values; a retired one is followed by "until" and a
     *     time; the same on all nodes; none: anybody
     * @param writerKeyFile file with the private key for its own changes; none: where there are writers, it only reads
     */
    record Fleet(
            FleetMapSettings.@Nullable Role role,
            @DefaultValue List<String> seeds,
            @DefaultValue("1000") int nodes,
            @DefaultValue List<String> writers,
            @Nullable Path writerKeyFile) {}

    /**
     * How the node runs in tests.
     *
     * @param enabled whether the node is alone, whatever its port and seeds, keeps its entries in memory, makes no copies
     *     (f = 0) and takes a random name unless it has one; default: true in tests with Spring's test support
     */
    record Test(@DefaultValue("false") boolean enabled) {}
}
