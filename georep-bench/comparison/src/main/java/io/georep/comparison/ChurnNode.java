package io.georep.comparison;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.replicatedmap.ReplicatedMap;
import io.georep.GeoRepNode;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetResult;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.PayloadCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A member of a product as a process of its own, for {@link ChurnBench}. It takes questions from its standard input, a line each
 * with a number, and answers with that number, in whatever order. When the input ends, so does the process.
 */
final class ChurnNode {
    private static final String NOTHING = "-";
    private static final int FLEET_PORT = 7400;
    private static final int HAZELCAST_PORT = 7600;
    private static final int SEEDS = 5;
    private static final long LOOK_MILLIS = 100;

    /** Less than what the one who asks waits for, so that it hears that an outcome is not sure. */
    private static final FleetOptions WITHIN = FleetOptions.ORDERED.within(Duration.ofSeconds(5));

    /** Both return no stage that fails but for what the product says. */
    private interface Store {
        CompletionStage<@Nullable String> get(String key);

        CompletionStage<?> put(String key, String value);
    }

    private final PrintStream answers;
    private final Store store;

    private ChurnNode(PrintStream answers, Store store) {
        this.answers = answers;
        this.store = store;
    }

    /** Takes FLEET or HAZELCAST, the place, the prefix of addresses, how many places there are, and whether it is the first of all. */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        int place = Integer.parseInt(args[1]);
        List<String> hosts = IntStream.rangeClosed(1, Integer.parseInt(args[3]))
                .mapToObj(each -> args[2] + each)
                .toList();
        Store store =
                args[0].equals("FLEET") ? fleet(place, hosts, Boolean.parseBoolean(args[4])) : hazelcast(place, hosts);
        answers.println("0 ready");
        new ChurnNode(answers, store).serve();
        System.exit(0);
    }

    /** It can be asked before it answers for keys itself, but not while none of the first ones does. */
    private static Store fleet(int place, List<String> hosts, boolean founds) throws InterruptedException {
        String[] seeds = IntStream.rangeClosed(1, SEEDS)
                .mapToObj(each -> hosts.get((place + each) % hosts.size()) + ":" + FLEET_PORT)
                .toArray(String[]::new);
        FleetMapSettings settings = founds ? FleetMapSettings.founder() : FleetMapSettings.member(seeds);
        GeoRepNode node = GeoRepNode.fleetNode(settings.nodes(hosts.size()))
                .cluster("comparison")
                .listen(hosts.get(place), FLEET_PORT)
                .transport(new NettyTransportFactory(
                        links -> links.openToAnyoneWhoReachesThePort(true).eventLoopThreads(1)))
                .start();
        FleetMaps fleet = node.service(FleetMaps.class);
        while (!fleet.readStatistics().toCompletableFuture().join().complete()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        FleetMap<String, String> map = fleet.map("churn", PayloadCodec.string(), PayloadCodec.string());
        return new Store() {
            @Override
            public CompletionStage<@Nullable String> get(String key) {
                return map.get(key, WITHIN).thenApply(ChurnNode::sure);
            }

            @Override
            public CompletionStage<?> put(String key, String value) {
                return map.put(key, value, WITHIN);
            }
        };
    }

    private static @Nullable String sure(FleetResult<String> found) {
        if (!found.isSure()) {
            throw new IllegalStateException("unsure");
        }
        return found.value();
    }

    /** Its replicated map has everything on each member. Calls wait, so they need threads. */
    private static Store hazelcast(int place, List<String> hosts) {
        System.setProperty("hazelcast.local.localAddress", hosts.get(place));
        System.setProperty("hazelcast.local.publicAddress", hosts.get(place));
        Config config = new Config("n" + place).setClusterName("comparison");
        HazelcastMap.network(
                config,
                HAZELCAST_PORT,
                hosts.stream().map(each -> each + ":" + HAZELCAST_PORT).toList());
        ReplicatedMap<String, String> map =
                Hazelcast.newHazelcastInstance(config).getReplicatedMap("churn");
        ExecutorService threads = Executors.newCachedThreadPool();
        return new Store() {
            @Override
            public CompletionStage<@Nullable String> get(String key) {
                return CompletableFuture.supplyAsync(() -> map.get(key), threads);
            }

            @Override
            public CompletionStage<?> put(String key, String value) {
                return CompletableFuture.supplyAsync(() -> map.put(key, value), threads);
            }
        };
    }

    private void serve() throws IOException {
        try (BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                answer(line.split(" ", -1));
            }
        }
    }

    private void answer(String[] words) {
        CompletionStage<?> done = words[1].equals("get") ? store.get(words[2]) : store.put(words[2], words[3]);
        done.whenComplete((value, error) -> {
            String said = error != null ? "failed" : words[1].equals("get") && value != null ? (String) value : NOTHING;
            synchronized (answers) {
                answers.println(words[0] + " " + said);
            }
        });
    }
}
