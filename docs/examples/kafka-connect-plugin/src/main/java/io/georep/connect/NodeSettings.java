package io.georep.connect;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.ProtocolConfig;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransportConfig;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** What the node of every task needs, sink or source. */
final class NodeSettings {
    static final String WORKER = "georep.worker";
    static final String DATA_DIR = "georep.data.dir";
    static final String CLUSTER = "georep.cluster";
    static final String SITE = "georep.site";
    static final String LISTEN = "georep.listen";
    static final String ADVERTISE = "georep.advertise.host";
    static final String SEEDS = "georep.seeds";
    static final String SECRET = "georep.secret";
    static final String SECRET_FILE = "georep.secret.file";
    static final String TLS_KEY = "georep.tls.key";
    static final String TLS_CERTIFICATES = "georep.tls.certificates";
    static final String TLS_TRUSTED = "georep.tls.trusted";
    static final String SUSPECT = "georep.suspect.after.ms";
    static final String TERMINATE = "georep.terminate.after.ms";
    static final String STOP = "georep.stop.timeout.ms";
    static final String LEFTOVERS = "georep.leftovers.after.ms";
    static final String TASK = "georep.task";
    private static final String NAME = "name";

    private final AbstractConfig set;
    private final TaskName task;

    NodeSettings(AbstractConfig set, TaskName.Role role) {
        this.set = set;
        this.task =
                new TaskName(role, set.originalsStrings().getOrDefault(NAME, "georep"), set.getInt(TASK), worker(set));
    }

    /** Adds the settings of a node. */
    static ConfigDef with(ConfigDef config) {
        config.define(
                        SEEDS,
                        ConfigDef.Type.LIST,
                        ConfigDef.NO_DEFAULT_VALUE,
                        ConfigDef.LambdaValidator.with(NodeSettings::checkSeeds, () -> "host:port or host:first-last"),
                        Importance.HIGH,
                        "Nodes to meet first, one of them is enough: the workers of all sites, each with all its ports.")
                .define(
                        DATA_DIR,
                        ConfigDef.Type.STRING,
                        ConfigDef.NO_DEFAULT_VALUE,
                        new ConfigDef.NonEmptyString(),
                        Importance.HIGH,
                        "Directory on the worker's disk, on which entries survive its crash. Each task has a store of its own"
                                + " in it; no two workers may share it.")
                .define(
                        WORKER,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "Name of the worker, part of its nodes' names. Workers have one configuration of a connector, so give"
                                + " it by a config provider, such as ${env:WORKER}. Empty: the worker's system property"
                                + " georep.worker, its environment variable GEOREP_WORKER, or else its host name.")
                .define(
                        SITE,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "What fails together with this worker, such as its data centre. Copies go to other sites first. Empty:"
                                + " the worker itself.")
                .define(
                        CLUSTER,
                        ConfigDef.Type.STRING,
                        "georep",
                        Importance.MEDIUM,
                        "Name of the GeoRep cluster. Nodes of differently named clusters refuse each other.")
                .define(
                        LISTEN,
                        ConfigDef.Type.STRING,
                        "0.0.0.0:7400-7409",
                        ConfigDef.LambdaValidator.with(
                                (name, value) -> AddressRange.of(name, (String) value),
                                () -> "host:port or host:first-last"),
                        Importance.HIGH,
                        "Where nodes listen. Each task on a worker takes the first port that is free; port 0 is any. Beyond"
                                + " the loopback interface it needs a secret or TLS.")
                .define(
                        ADVERTISE,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "Host that other nodes dial, if it is not the one that is listened on. Its ports are the same.");
        return withTimes(withProtection(config))
                .defineInternal(TASK, ConfigDef.Type.INT, 0, Importance.LOW)
                .defineInternal(LEFTOVERS, ConfigDef.Type.LONG, 30_000L, Importance.LOW);
    }

    private static ConfigDef withProtection(ConfigDef config) {
        return config.define(
                        SECRET,
                        ConfigDef.Type.PASSWORD,
                        "",
                        Importance.HIGH,
                        "What all nodes of the cluster know, in Base64. 'openssl rand -base64 32' makes a good one.")
                .define(
                        SECRET_FILE,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.HIGH,
                        "File on the worker that has the secret instead.")
                .define(
                        TLS_KEY,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "Instead of a secret: PEM file on the worker with its private key.")
                .define(
                        TLS_CERTIFICATES,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "PEM file with the worker's certificate, which has the names of all nodes that its tasks can be.")
                .define(
                        TLS_TRUSTED,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "PEM file with the authorities that sign the certificates of nodes.");
    }

    private static ConfigDef withTimes(ConfigDef config) {
        return config.define(
                        SUSPECT,
                        ConfigDef.Type.LONG,
                        5_000L,
                        Range.between(500, 600_000),
                        Importance.LOW,
                        "Milliseconds of silence after which a node gets no more copies.")
                .define(
                        TERMINATE,
                        ConfigDef.Type.LONG,
                        25_000L,
                        Range.between(100, 3_600_000),
                        Importance.LOW,
                        "Milliseconds of further silence after which others take over what it held.")
                .define(
                        STOP,
                        ConfigDef.Type.LONG,
                        3_000L,
                        Range.between(0, 600_000),
                        Importance.LOW,
                        "Milliseconds for which a task that stops waits until others have all that it held. Keep it below the"
                                + " worker's task.shutdown.graceful.timeout.ms. What is left stays in its store.");
    }

    private static void checkSeeds(String name, Object value) {
        List<?> seeds = (List<?>) value;
        if (seeds == null || seeds.isEmpty()) {
            throw new ConfigException(name, value, "name at least one node of another worker, as host:port");
        }
        for (Object seed : seeds) {
            if (AddressRange.of(name, String.valueOf(seed)).first() == 0) {
                throw new ConfigException(name, seed, "port 0 cannot be dialled");
            }
        }
    }

    private static String worker(AbstractConfig set) {
        String property = System.getProperty(WORKER);
        String variable = System.getenv("GEOREP_WORKER");
        if (!set.getString(WORKER).isBlank()) {
            return set.getString(WORKER);
        } else if (property != null) {
            return property;
        } else if (variable != null) {
            return variable;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new ConfigException(WORKER, "", "this worker has no host name: give it a name");
        }
    }

    TaskName task() {
        return task;
    }

    Path stores() {
        return task.stores(Path.of(set.getString(DATA_DIR)), set.getString(CLUSTER));
    }

    Duration stopTimeout() {
        return Duration.ofMillis(set.getLong(STOP));
    }

    Duration leftoversAfter() {
        return Duration.ofMillis(set.getLong(LEFTOVERS));
    }

    AddressRange listen() {
        return AddressRange.of(LISTEN, set.getString(LISTEN));
    }

    /**
     * A node of this worker on one of its ports.
     *
     * @throws io.georep.model.ConfigurationException if a secret or a certificate cannot be used
     */
    NodeBuilder builder(String nodeId, int port) {
        AddressRange listen = listen();
        String host = set.getString(ADVERTISE).isBlank() ? listen.host() : set.getString(ADVERTISE);
        String own = host + ":" + port;
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(nodeId)
                .site(set.getString(SITE).isBlank() ? TaskName.fitting(task.worker()) : set.getString(SITE))
                .cluster(set.getString(CLUSTER))
                .listen(listen.host(), port)
                .seeds(set.getList(SEEDS).stream()
                        .flatMap(seed -> AddressRange.of(SEEDS, seed).addresses().stream())
                        .filter(seed -> !seed.equals(own))
                        .distinct()
                        .toList())
                .dataDir(stores().resolve(nodeId))
                .protocol(protocol())
                .transport(new NettyTransportFactory(this::protect));
        return set.getString(ADVERTISE).isBlank() ? builder : builder.advertise(own);
    }

    /** A task that is gone seldom returns with its store, so copies are made again soon. */
    private ProtocolConfig protocol() {
        Duration suspect = Duration.ofMillis(set.getLong(SUSPECT));
        return ProtocolConfig.builder()
                .heartbeat(suspect.dividedBy(5))
                .heartbeatAway(suspect)
                .suspectAfter(suspect)
                .terminateAfter(Duration.ofMillis(set.getLong(TERMINATE)))
                .putTimeout(suspect.multipliedBy(3).dividedBy(5))
                .reReplicateAfter(suspect)
                .build();
    }

    private void protect(NettyTransportConfig.Builder links) {
        Password secret = set.getPassword(SECRET);
        if (!set.getString(SECRET_FILE).isBlank()) {
            links.secret(SharedSecret.ofFile(Path.of(set.getString(SECRET_FILE))));
        } else if (!secret.value().isBlank()) {
            links.secret(SharedSecret.ofBase64(secret.value()));
        }
        if (!set.getString(TLS_KEY).isBlank()) {
            links.tls(MutualTls.pem(
                            Path.of(set.getString(TLS_KEY)),
                            Path.of(set.getString(TLS_CERTIFICATES)),
                            Path.of(set.getString(TLS_TRUSTED)))
                    .build());
        }
    }
}
