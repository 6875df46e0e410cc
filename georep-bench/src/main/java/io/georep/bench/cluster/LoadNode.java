package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.NodeStatistics;
import io.georep.PeerChange;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Sample;
import io.georep.model.Durability;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import io.georep.store.memory.MemoryStore;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A node under load as a process of its own: clients, node and a handler that does nothing, told what to do over a line. */
@Command(name = "LoadNode")
final class LoadNode implements Callable<Integer> {
    static final String CLUSTER = "georep-bench";
    private static final String QUEUE = "load";

    /** What the handler looks like. */
    enum Handler {
        /** On the node's application thread. */
        DIRECT,
        /** On a thread of its own. */
        THREAD,
        /** On a thread of its own, many at once. */
        BATCH,
        /** No handler. */
        NONE
    }

    /** Who gets the copies of an entry. */
    enum Peers {
        /** Nodes of other sites, as by default. */
        SITES,
        /** Those with the shortest round trips. */
        NEAREST,
        /** Any. */
        RANDOM;

        private PeerSelection selection() {
            return switch (this) {
                case SITES -> PeerSelection.siteAware();
                case NEAREST -> PeerSelection.nearest();
                case RANDOM -> PeerSelection.random();
            };
        }
    }

    @Option(names = "--name", required = true)
    private String name = "";

    @Option(names = "--site", required = true)
    private String site = "";

    @Option(names = "--port", defaultValue = "0")
    private int port;

    @Option(names = "--advertise", description = "Where the others reach it, if there is something between them.")
    private @Nullable String advertise;

    @Option(names = "--peers", defaultValue = "SITES")
    private Peers peers = Peers.SITES;

    @Option(names = "--control", required = true, description = "Port on which the driver waits for the node's call.")
    private int control;

    @Option(names = "--seeds", split = ",")
    private List<String> seeds = List.of();

    @Option(names = "--data")
    private @Nullable Path data;

    @Option(names = "--f", defaultValue = "1")
    private int f;

    @Option(names = "--durability", defaultValue = "FSYNC")
    private Durability durability = Durability.FSYNC;

    @Option(names = "--handler", defaultValue = "DIRECT")
    private Handler handler = Handler.DIRECT;

    @Option(names = "--window", defaultValue = "10000")
    private int window;

    @Option(names = "--suspect", defaultValue = "5000")
    private int suspectMillis;

    @Option(names = "--terminate", defaultValue = "25000")
    private int terminateMillis;

    @Option(names = "--links", defaultValue = "PLAIN")
    private LinkProtection links = LinkProtection.PLAIN;

    @Option(names = "--certificates")
    private @Nullable Path certificates;

    @Option(names = "--encrypted")
    private boolean encrypted;

    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong handledFirstNanos = new AtomicLong();
    private final AtomicLong handledLastNanos = new AtomicLong();
    private final AtomicLong adopted = new AtomicLong();
    private final AtomicLong adoptedFirstNanos = new AtomicLong();
    private final AtomicLong adoptedLastNanos = new AtomicLong();
    private final AtomicLong terminatedNanos = new AtomicLong();
    private @Nullable MeteredStore store;
    private @Nullable NettyTransport transport;
    private @Nullable LoadClients clients;

    private LoadNode() {}

    /** Options: see {@link LoadCluster}, which starts it. */
    public static void main(String[] args) {
        Program.run(new LoadNode(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long started = System.nanoTime();
        GeoRepNode node = builder().start();
        long bootMillis = (System.nanoTime() - started) / 1_000_000;
        node.onPeerChange(this::peerChanged);
        Outbox<byte[]> outbox = node.outbox(QUEUE, byte[].class, options -> options.f(f));
        outbox.onAdoption(adoption -> count(adopted, adoptedFirstNanos, adoptedLastNanos));
        if (handler != Handler.NONE) {
            handle(outbox, handler);
        }
        CommandServer server =
                new CommandServer(control, "hello " + node.identity().address() + " " + bootMillis);
        server.on("status", words -> status(node).format());
        server.on("sample", words -> sample(node).format());
        server.on("load", words -> load(node, outbox, words));
        server.on("mark", words -> mark());
        server.on("sends", words -> requireClients().sends());
        server.on("cycles", words -> requireClients().cycles());
        server.on("stop", words -> stopLoad());
        server.on("fill", words -> new Fill(outbox, Integer.parseInt(words[2])).run(Long.parseLong(words[1])));
        server.on("handle", words -> handle(outbox, Handler.valueOf(words[1])));
        server.serve();
        node.halt();
        return 0;
    }

    private NodeBuilder builder() {
        Duration suspect = Duration.ofMillis(suspectMillis);
        ProtocolConfig.Builder protocol = ProtocolConfig.builder()
                .heartbeat(suspect.dividedBy(5))
                .suspectAfter(suspect)
                .terminateAfter(Duration.ofMillis(terminateMillis))
                .putTimeout(suspect.multipliedBy(3).dividedBy(5));
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(name)
                .site(site)
                .cluster(CLUSTER)
                .listen("127.0.0.1", port)
                .seeds(seeds)
                .durability(durability)
                .selection(peers.selection())
                .startTimeout(LoadCluster.START_WITHIN)
                .protocol(protocol.build())
                .transport(this::openTransport)
                .store(this::openStore);
        if (advertise != null) {
            builder.advertise(advertise);
        }
        return data == null ? builder : builder.dataDir(data);
    }

    private Transport openTransport(TransportFactory.Settings settings) {
        NettyTransport made = new NettyTransport(NettyTransportConfig.builder()
                .cluster(settings.cluster())
                .bindAddress(settings.host() + ":" + settings.port())
                .frameBytesMax(settings.frameBytesMax())
                .tls(links.tls(certificates))
                .secret(links.secret())
                .build());
        transport = made;
        return made;
    }

    private MeteredStore openStore(StoreFactory.Settings settings) {
        Path directory = settings.directory();
        MeteredStore made = new MeteredStore(
                directory == null
                        ? new MemoryStore()
                        : RocksDbStore.open(
                                directory,
                                RocksDbStoreConfig.builder(settings.node(), settings.cluster())
                                        .durability(settings.durability())
                                        .encryption(encrypted ? fixedKey() : null)
                                        .build()));
        store = made;
        return made;
    }

    private static EncryptionKeys fixedKey() {
        return EncryptionKeys.of(EncryptionKey.of("bench", new byte[EncryptionKey.BYTES]));
    }

    private String handle(Outbox<byte[]> outbox, Handler chosen) {
        Consumer<ForwardOptions> direct = options -> options.window(window).executor(Runnable::run);
        Consumer<ForwardOptions> threaded = options -> options.window(window).batchMax(1000);
        switch (chosen) {
            case DIRECT -> outbox.forward(delivery -> handled(1), direct);
            case THREAD -> outbox.forward(delivery -> handled(1), threaded);
            case BATCH -> outbox.forwardBatches(deliveries -> handled(deliveries.size()), threaded);
            case NONE -> throw new IllegalArgumentException("handle NONE");
        }
        return "ok";
    }

    private void handled(int entries) {
        long before = handled.getAndAdd(entries);
        if (before == 0 || before % 1024 + entries >= 1024 || adopted.get() > 0) {
            long now = System.nanoTime();
            handledFirstNanos.compareAndSet(0, now);
            handledLastNanos.set(now);
        }
    }

    private static void count(AtomicLong counter, AtomicLong firstNanos, AtomicLong lastNanos) {
        long now = System.nanoTime();
        counter.incrementAndGet();
        firstNanos.compareAndSet(0, now);
        lastNanos.set(now);
    }

    private void peerChanged(PeerChange change) {
        if (change.after() == PeerState.TERMINATED) {
            terminatedNanos.compareAndSet(0, System.nanoTime());
        }
    }

    private String load(GeoRepNode node, Outbox<byte[]> outbox, String[] words) {
        LongSupplier deleted = () ->
                deletedEverywhere(node.statistics().of(OutboxActivity.class).protocol());
        LoadClients started = new LoadClients(outbox::send, words[3].equals("cycle") ? deleted : null);
        clients = started;
        started.start(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[4]));
        return "ok";
    }

    private String mark() {
        requireClients().mark();
        return "ok";
    }

    private String stopLoad() {
        requireClients().stop();
        return "ok";
    }

    private LoadClients requireClients() {
        LoadClients started = clients;
        if (started == null) {
            throw new IllegalStateException("no load was started");
        }
        return started;
    }

    private Sample status(GeoRepNode node) {
        OutboxStatistics statistics = node.statistics().of(OutboxActivity.class).protocol();
        Map<String, Long> values = new TreeMap<>();
        values.put("ready", node.ready(f) ? 1L : 0L);
        values.put(
                "active",
                node.peers().stream()
                        .filter(peer -> peer.state() == PeerState.ACTIVE)
                        .count());
        values.put("receiving", statistics.receiving());
        values.put("held", held(statistics));
        values.put("copies", statistics.copies());
        values.put("untold", statistics.deletesUntold());
        return new Sample(values);
    }

    private static long held(OutboxStatistics statistics) {
        return statistics.held().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Entries of this node that are forwarded and of which no copy is left anywhere. */
    static long deletedEverywhere(OutboxStatistics statistics) {
        return statistics.forwarded() - statistics.deletesUntold();
    }

    private Sample sample(GeoRepNode node) {
        NodeStatistics statistics = node.statistics();
        Map<String, Long> values = new TreeMap<>();
        values.put("nanos", System.nanoTime());
        OutboxStatistics protocol = statistics.of(OutboxActivity.class).protocol();
        values.put("cycles", deletedEverywhere(protocol));
        values.put("acknowledged", protocol.acknowledged());
        values.put("forwarded", protocol.forwarded());
        values.put("turns", statistics.turns());
        values.put("inputs", statistics.inputs());
        values.put("failures", clients == null ? 0 : requireClients().failures());
        values.put("handled", handled.get());
        values.put("handledFirst", handledFirstNanos.get());
        values.put("handledLast", handledLastNanos.get());
        values.put("adopted", adopted.get());
        values.put("adoptedFirst", adoptedFirstNanos.get());
        values.put("adoptedLast", adoptedLastNanos.get());
        values.put("terminated", terminatedNanos.get());
        values.put("cpu", ProcessMeter.cpuNanos());
        values.put("gcs", ProcessMeter.collections());
        values.put("gcMillis", ProcessMeter.collectionMillis());
        values.put("allocated", ProcessMeter.allocatedBytes());
        values.put("heap", ProcessMeter.heapBytes());
        values.put("rss", ProcessMeter.residentBytes());
        values.put("rssPeak", ProcessMeter.residentPeakBytes());
        ProcessMeter.threadNanos().forEach((name, nanos) -> values.put("thread." + name, nanos));
        addStoreAndTransport(values);
        return new Sample(values);
    }

    private void addStoreAndTransport(Map<String, Long> values) {
        MeteredStore usedStore = store;
        if (usedStore != null) {
            values.put("batches", usedStore.batches.sum());
            values.put("operations", usedStore.operations.sum());
            values.put("valueBytes", usedStore.valueBytes.sum());
        }
        NettyTransport usedTransport = transport;
        if (usedTransport != null) {
            values.put("frames", usedTransport.counters().framesOut());
            values.put("wireBytes", usedTransport.counters().bytesOut());
        }
    }
}
