package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.OwnProtocols;
import io.georep.bench.process.DirectoryTree;
import io.georep.bench.process.Standstill;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetResult;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.core.Event;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.FleetProtocol;
import io.georep.flagons.core.FleetSettings;
import io.georep.flagons.local.FleetModule;
import io.georep.model.Durability;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.spi.PayloadCodec;
import io.netty.handler.ssl.OpenSsl;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Some nodes of a fleet in one JVM, which end without notice and are replaced, and clients that ask them. What happens goes
 * into a file that {@link FleetLog} reads.
 */
final class FleetHost implements AutoCloseable {
    static final String CLUSTER = "fleet";
    private static final Duration WITHIN = Duration.ofSeconds(6);
    /** As long as new hosts are started, groups change, and nobody is complete. */
    private static final Duration COMPLETE_WITHIN = Duration.ofMinutes(5);

    private static final int KEYS = 60;

    /** A node that is new takes and makes dozens of connections, which costs the JVM several times as much as OpenSSL. */
    private static final LinkProtection TLS = OpenSsl.isAvailable() ? LinkProtection.OPENSSL : LinkProtection.TLS;

    /** In so many an event is stable, whatever the size of the fleet. */
    private static final int LAST_ROUNDS = 26;

    /** The module of the library, but its protocol tells what it delivers. */
    private record Watched(FleetModule module, Consumer<Event> delivered)
            implements ProtocolModule<FleetMaps, FleetCommand, FleetEvent> {
        @Override
        public ProtocolId id() {
            return module.id();
        }

        @Override
        public Class<FleetMaps> serviceType() {
            return FleetMaps.class;
        }

        @Override
        public Parts<FleetMaps, FleetCommand, FleetEvent> start(
                Place place, Peers peers, NodeHandle<FleetCommand> node) {
            return new Parts<>(
                    new FleetProtocol(module.settings(), module.seeds(), peers, event -> false, delivered),
                    module.start(place, peers, node).local());
        }
    }

    private record Life(String name, GeoRepNode node) {}

    private final Path directory;
    private final int number;
    private final FleetSettings settings;
    private final boolean isTls;
    private final Random random;
    private final PrintWriter log;
    private final List<Life> lives = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<Future<?>> troubles = new ArrayList<>();
    private final Standstill standstill = Standstill.watch("georep-");
    private int born;
    private long asked;

    /**
     * @param directory of all hosts; with the files of {@link LinkProtection#write} if there is to be TLS
     * @param number of this host
     */
    FleetHost(Path directory, int number, FleetSettings settings, boolean isTls) throws IOException {
        this.directory = directory;
        this.number = number;
        this.settings = settings;
        this.isTls = isTls;
        random = new Random(number);
        log = FleetLog.writer(directory, number);
    }

    /** Starts so many nodes. The very first of the fleet founds it. */
    void start(int nodes, boolean founds) throws IOException {
        for (int slot = 0; slot < nodes; slot++) {
            lives.add(born(number * nodes + slot, founds && slot == 0));
            Files.writeString(
                    directory.resolve("seeds-" + number),
                    String.join("\n", lives.stream().map(FleetHost::address).toList()));
        }
    }

    private static String address(Life life) {
        return life.node.identity().address();
    }

    private List<String> seeds() throws IOException {
        List<String> seeds = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory, "seeds-*")) {
            for (Path file : files) {
                seeds.addAll(Files.readAllLines(file));
            }
        }
        Collections.shuffle(seeds, random);
        return seeds.subList(0, Math.min(5, seeds.size()));
    }

    private Life born(int slot, boolean founds) throws IOException {
        String name = number + "-" + born++;
        MutualTls tls = isTls ? TLS.tls(directory) : null;
        SharedSecret secret = isTls ? null : LinkProtection.SECRET.secret();
        FleetModule module = new FleetModule(settings, founds ? List.of() : seeds());
        GeoRepNode node = OwnProtocols.add(
                        GeoRepNode.builder()
                                .nodeId(LoadCluster.name(slot))
                                .cluster(CLUSTER)
                                .listen("127.0.0.1", 0)
                                .durability(Durability.OS)
                                .dataDir(directory.resolve("data-" + slot))
                                .transport(new NettyTransportFactory(
                                        config -> config.tls(tls).secret(secret).eventLoopThreads(1))),
                        new Watched(module, event -> write("has", name, FleetLog.words(event))))
                .start();
        write("born", name, System.currentTimeMillis() + " " + node.identity().address());
        return new Life(name, node);
    }

    private void write(String what, String who, String words) {
        synchronized (log) {
            log.println(what + " " + who + " " + words);
        }
    }

    List<FleetStatistics> statistics() {
        synchronized (lives) {
            return lives.stream()
                    .map(life -> life.node
                            .service(FleetMaps.class)
                            .readStatistics()
                            .toCompletableFuture()
                            .join())
                    .toList();
        }
    }

    /** Waits until all nodes here answer for their keys. */
    void awaitComplete() {
        await().atMost(COMPLETE_WITHIN)
                .untilAsserted(
                        () -> assertThat(statistics()).as("nodes that have all").allMatch(FleetStatistics::complete));
    }

    /** From now on so many operations a second are asked for, and one node is replaced each time that so long has passed. */
    void go(double perSecond, @Nullable Duration replaceEvery) {
        standstill.restart();
        if (perSecond > 0) {
            long every = (long) (1_000_000 / perSecond);
            troubles.add(timer.scheduleAtFixedRate(guarded(this::ask), every, every, TimeUnit.MICROSECONDS));
        }
        if (replaceEvery != null) {
            long every = replaceEvery.toMillis();
            troubles.add(timer.scheduleWithFixedDelay(guarded(this::replace), every, every, TimeUnit.MILLISECONDS));
        }
    }

    /** Returns what the reading says when so long has passed. */
    <T> T after(Duration time, Callable<T> reading) throws Exception {
        return timer.schedule(reading, time.toMillis(), TimeUnit.MILLISECONDS).get();
    }

    private interface Step {
        void run() throws IOException;
    }

    private Runnable guarded(Step step) {
        return () -> {
            try {
                step.run();
            } catch (IOException | RuntimeException e) {
                write("failed", "-", e.toString().replace(' ', '_'));
            }
        };
    }

    /** Half of those that end come back with what they have on disk, the others empty. */
    private void replace() throws IOException {
        int index = random.nextInt(lives.size());
        Life old = lives.get(index);
        int slot = number * lives.size() + index;
        write("died", old.name, Long.toString(System.currentTimeMillis()));
        old.node.halt();
        if (random.nextBoolean()) {
            DirectoryTree.delete(directory.resolve("data-" + slot));
        }
        Life fresh = born(slot, false);
        synchronized (lives) {
            lives.set(index, fresh);
        }
        Files.writeString(
                directory.resolve("seeds-" + number),
                String.join("\n", lives.stream().map(FleetHost::address).toList()));
    }

    private void ask() {
        int draw = random.nextInt(20);
        String kind = draw < 10 ? "GET" : draw < 16 ? "PUT" : draw < 18 ? "REMOVE" : "PUT_IF_ABSENT";
        boolean claims = kind.equals("PUT_IF_ABSENT");
        String key = claims ? "claim" + random.nextInt(1000) : "key" + random.nextInt(KEYS);
        String request = number + "-" + asked++;
        String value = kind.startsWith("PUT") ? "v" + request + "-" + "x".repeat(80) : FleetLog.NONE;
        Life life = lives.get(random.nextInt(lives.size()));
        FleetMap<String, String> map =
                life.node.service(FleetMaps.class).map(FleetLog.MAP, PayloadCodec.string(), PayloadCodec.string());
        write("asked", request, System.currentTimeMillis() + " " + kind + " " + key + " " + value);
        FleetOptions options = FleetOptions.ORDERED.within(WITHIN);
        CompletionStage<FleetResult<String>> result = switch (kind) {
            case "GET" -> map.get(key, options);
            case "PUT" -> map.put(key, value, options);
            case "REMOVE" -> map.remove(key, options);
            default -> map.putIfAbsent(key, value, options);
        };
        result.whenComplete((outcome, error) ->
                write("told", request, System.currentTimeMillis() + " " + FleetLog.words(outcome, error)));
    }

    /** Nothing more is asked for or replaced; returns when what was made last is delivered and all have all. */
    void quiet() throws Exception {
        write("stood", "-", standstill.stoodMillis() + " " + standstill.lookedMillis());
        standstill.close();
        troubles.forEach(each -> each.cancel(false));
        after(Duration.ofMillis(LAST_ROUNDS * settings.roundMillis()), () -> true);
        awaitComplete();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        for (Life life : lives) {
            write("last", life.name, Long.toString(System.currentTimeMillis()));
            life.node.halt();
        }
        synchronized (log) {
            log.println(FleetLog.END);
            log.close();
        }
    }
}
