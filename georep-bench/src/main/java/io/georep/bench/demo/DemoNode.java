package io.georep.bench.demo;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.PeerChange;
import io.georep.bench.process.Link;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Starvation;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportFactory;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One node of the demo as a process of its own: a service that takes entries from clients on a connection, keeps them in
 * GeoRep and forwards them to the consumer at the other end of the same connection. It ends with that connection.
 */
@Command(name = "DemoNode")
final class DemoNode implements Callable<Integer>, Link.Receiver {
    private static final String QUEUE = "sms";
    private static final long STATUS_MILLIS = 200;
    private static final Duration AWAY = Duration.ofMinutes(1);
    private static final long SMALL_MEMTABLE_BYTES = 4 << 20;

    @Option(names = "--name", required = true)
    private String name = "";

    @Option(names = "--site", required = true)
    private String site = "";

    @Option(names = "--data", required = true)
    private Path data = Path.of("");

    @Option(names = "--control", required = true, description = "Port on which the demo waits for the node's call.")
    private int control;

    @Option(names = "--f", defaultValue = "1")
    private int f;

    @Option(names = "--durability", defaultValue = "FSYNC")
    private Durability durability = Durability.FSYNC;

    @Option(names = "--suspect", defaultValue = "1000")
    private int suspectMillis;

    @Option(names = "--terminate", defaultValue = "2000")
    private int terminateMillis;

    @Option(names = "--tombstone", defaultValue = "86400")
    private int tombstoneSeconds;

    @Option(names = "--seeds", split = ",")
    private List<String> seeds = List.of();

    @Option(names = "--port", defaultValue = "0")
    private int port;

    @Option(names = "--advertise")
    private @Nullable String advertise;

    @Option(names = "--small-disk", arity = "1")
    private boolean smallDisk;

    @Option(names = "--small-memtable", arity = "1")
    private boolean smallMemtable;

    @Option(names = "--clock-off", defaultValue = "0", description = "Milliseconds by which the wall clock is off.")
    private long clockOff;

    private final Map<Long, CompletableFuture<Void>> offered = new ConcurrentHashMap<>();
    private final AtomicLong deliveries = new AtomicLong();
    private final long process = ProcessHandle.current().pid();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean abandoned;
    private @Nullable Outbox<byte[]> outbox;
    private volatile @Nullable NettyTransport transport;
    private volatile @Nullable SwitchedStore store;
    private volatile long clockOffMillis;

    private DemoNode() {}

    /** Options: see {@link DemoCluster}, which starts it. */
    public static void main(String[] args) {
        Program.run(new DemoNode(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        clockOffMillis = clockOff;
        GeoRepNode node = settings().start();
        try (Link link = new Link("control", new Socket(InetAddress.getLoopbackAddress(), control), this)) {
            link.start();
            link.send(new DemoMessage.Hello(
                    node.identity().id().value(),
                    node.identity().address(),
                    node.identity().incarnation()));
            Starvation.watch("georep-", (from, until) -> link.send(new DemoMessage.Starved(from, until)));
            serve(node, link);
            while (!stop.await(STATUS_MILLIS, TimeUnit.MILLISECONDS)) {
                link.send(status(node));
            }
            if (abandoned) {
                node.halt();
            } else {
                node.close();
            }
        }
        return 0;
    }

    private NodeBuilder settings() {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(name)
                .site(site)
                .cluster("georep-demo")
                .listen("127.0.0.1", port)
                .seeds(seeds)
                .dataDir(data)
                .durability(durability)
                .protocol(times(
                        Duration.ofMillis(suspectMillis),
                        Duration.ofMillis(terminateMillis),
                        Duration.ofSeconds(tombstoneSeconds)))
                .transport(this::open)
                .store(this::open)
                .ticker(new Wall())
                .expectedAway(AWAY);
        if (advertise != null) {
            builder.advertise(advertise);
        }
        return builder;
    }

    /** Opens the store, with small buffers if it is to reach its normal size, or the end of its disk, soon. */
    private SwitchedStore open(StoreFactory.Settings settings) {
        RocksDbStoreConfig.Builder config =
                RocksDbStoreConfig.builder(settings.node(), settings.cluster()).durability(durability);
        if (smallDisk || smallMemtable) {
            config.memtableBytes(SMALL_MEMTABLE_BYTES);
        }
        if (smallDisk) {
            config.minFreeBytes(NodeFiles.RESERVE_BYTES);
        }
        SwitchedStore opened =
                new SwitchedStore(RocksDbStore.open(Objects.requireNonNull(settings.directory()), config.build()));
        store = opened;
        return opened;
    }

    /** A wall clock that can be set; the other one is that of the machine. */
    private final class Wall implements Ticker {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis() + clockOffMillis;
        }
    }

    private void serve(GeoRepNode node, Link link) {
        node.onPeerChange(change -> link.send(seen(change)));
        node.peers()
                .forEach(peer -> link.send(
                        new DemoMessage.PeerSeen(peer.id().value(), peer.state().name(), System.nanoTime())));
        Outbox<byte[]> queue = node.outbox(QUEUE, byte[].class, options -> options.f(f));
        queue.onAdoption(adoption -> link.send(new DemoMessage.Adopted(
                adoption.delivery().id(), adoption.from().value())));
        queue.forward(
                delivery -> delivery.endsWith(offer(link, delivery)),
                options -> options.window(20_000).executor(Runnable::run));
        outbox = queue;
        ready.countDown();
    }

    /** T_s and T_x as told, everything else in proportion, so that the demo need not wait half a minute. */
    private static ProtocolConfig times(Duration suspectAfter, Duration terminateAfter, Duration tombstoneLife) {
        Duration heartbeat = suspectAfter.dividedBy(4);
        return ProtocolConfig.builder()
                .heartbeat(heartbeat)
                .heartbeatAway(suspectAfter.dividedBy(2))
                .suspectAfter(suspectAfter)
                .terminateAfter(terminateAfter)
                .tombstoneLife(tombstoneLife)
                .putTimeout(suspectAfter.minus(heartbeat.dividedBy(2)))
                .build();
    }

    private CompletionStage<?> offer(Link link, Delivery<byte[]> delivery) {
        long number = deliveries.incrementAndGet();
        CompletableFuture<Void> taken = new CompletableFuture<>();
        offered.put(number, taken);
        NodeId from = delivery.adoptedFrom();
        boolean sent = link.send(new DemoMessage.Offered(
                number,
                delivery.id(),
                delivery.payload(),
                from == null ? "" : from.value(),
                delivery.possiblySent(),
                process,
                System.nanoTime()));
        if (!sent) {
            offered.remove(number);
            taken.completeExceptionally(new IOException("no connection to the consumer"));
        }
        return taken;
    }

    private DemoMessage status(GeoRepNode node) {
        OutboxStatistics statistics = node.statistics().of(OutboxActivity.class).protocol();
        int active = (int) node.peers().stream()
                .filter(peer -> peer.state() == PeerState.ACTIVE)
                .count();
        return new DemoMessage.Status(
                node.ready(f),
                active,
                statistics.held().values().stream().mapToLong(Long::longValue).sum(),
                statistics.copies(),
                statistics.deletesUntold(),
                statistics.shortOfCopies());
    }

    private DemoMessage measured() {
        NettyTransport used = transport;
        return new DemoMessage.Measured(new Sample(Map.of(
                        AgeCurve.CPU, ProcessMeter.cpuNanos(),
                        AgeCurve.HEAP, ProcessMeter.liveHeapBytes(),
                        AgeCurve.RESIDENT, ProcessMeter.residentBytes(),
                        AgeCurve.SENT, used == null ? 0 : used.counters().bytesOut()))
                .format());
    }

    private Transport open(TransportFactory.Settings settings) {
        NettyTransport made = (NettyTransport) new NettyTransportFactory().create(settings);
        transport = made;
        return made;
    }

    private static DemoMessage seen(PeerChange change) {
        return new DemoMessage.PeerSeen(change.peer().value(), change.after().name(), System.nanoTime());
    }

    @Override
    public void message(Link link, DataInputStream in) throws IOException {
        DemoMessage message = DemoMessage.read(in);
        if (message instanceof DemoMessage.Submit submit) {
            submit(link, submit);
        } else if (message instanceof DemoMessage.Taken taken) {
            CompletableFuture<Void> handed = offered.remove(taken.delivery());
            if (handed != null) {
                handed.complete(null);
            }
        } else if (message instanceof DemoMessage.Measure) {
            link.send(measured());
        } else if (message instanceof DemoMessage.Hang hang) {
            SwitchedStore used = store;
            if (used != null) {
                used.hang(hang.on());
            }
        } else if (message instanceof DemoMessage.ClockOff off) {
            clockOffMillis = off.millis();
        } else if (message instanceof DemoMessage.Stop) {
            stop.countDown();
        } else {
            throw new IOException("unexpected " + message);
        }
    }

    private void submit(Link link, DemoMessage.Submit submit) throws IOException {
        try {
            ready.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        Outbox<byte[]> queue = outbox;
        if (queue == null) {
            throw new IOException("no outbox");
        }
        queue.send(submit.payload()).whenComplete((id, failure) -> answer(link, submit.attempt(), id, failure));
    }

    private static void answer(Link link, long attempt, @Nullable EntryId id, @Nullable Throwable failure) {
        if (id != null) {
            link.send(new DemoMessage.Stored(attempt, id));
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof RejectedException rejected) {
            link.send(new DemoMessage.Refused(attempt, false, rejected.reason().name()));
        } else {
            link.send(new DemoMessage.Refused(attempt, true, String.valueOf(cause)));
        }
    }

    @Override
    public void closed(Link link) {
        if (stop.getCount() > 0) {
            abandoned = true;
            stop.countDown();
        }
    }
}
