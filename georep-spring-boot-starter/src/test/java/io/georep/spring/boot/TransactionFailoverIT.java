package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.spi.TransportFactory;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.TransactionCheck;
import io.georep.spring.transaction.UndecidedEntries;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Three applications; the one whose transaction sent an entry is lost, or given up, before the transaction ends. */
@Timeout(240)
class TransactionFailoverIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final NodeId FIRST = NodeId.of("n1");

    /** What the nodes have in common: the network, and the database the check looks into. */
    record World(LocalNetwork network, BlockingQueue<String> forwarded, List<String> asked) {}

    private final World world =
            new World(new LocalNetwork(), new LinkedBlockingQueue<>(), new CopyOnWriteArrayList<>());
    private final Map<Integer, ConfigurableApplicationContext> contexts = new TreeMap<>();

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        for (int number = 1; number <= 3; number++) {
            contexts.put(number, application(number));
        }
        contexts.values()
                .forEach(context -> Awaitility.await()
                        .atMost(SOON)
                        .until(() -> context.getBean(GeoRepNode.class).ready(2)));
    }

    @AfterEach
    void stop() {
        contexts.values().forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext application(int number) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(ready -> ready.getBeanFactory().registerSingleton("world", world))
                .properties(
                        "georep.node-id=n" + number,
                        "georep.site=site-" + number,
                        "georep.host=local",
                        "georep.port=" + (1000 + number),
                        "georep.seeds=local:1001,local:1002,local:1003",
                        "georep.f=2",
                        "georep.data-dir=" + directory.resolve("n" + number),
                        "georep.durability=os",
                        "georep.close-timeout=1s",
                        "georep.transactions.check-after=200ms",
                        "georep.transactions.check-interval=100ms",
                        "georep.protocol.heartbeat=100ms",
                        "georep.protocol.suspect-after=1500ms",
                        "georep.protocol.terminate-after=1500ms",
                        "georep.protocol.put-timeout=1400ms",
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        GeoRepAutoConfiguration.class,
        GeoRepTransactionAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class Application {
        @Bean
        TransportFactory transport(World world) {
            return world.network().transports();
        }

        @Bean
        Orders orders(@OutboxName("orders") Outbox<String> outbox, GeoRepNode node, World world) {
            return new Orders(outbox, node, world);
        }

        @Bean
        TransactionCheck check(World world) {
            return (queue, entry) -> {
                world.asked().add(entry.payload().toString());
                return switch (entry.payload().toString()) {
                    case "committed" -> TransactionCheck.Outcome.COMMITTED;
                    case "rolled back" -> TransactionCheck.Outcome.ROLLED_BACK;
                    default -> TransactionCheck.Outcome.UNKNOWN;
                };
            };
        }
    }

    record Orders(Outbox<String> outbox, GeoRepNode node, World world) {
        @OutboxListener("orders")
        void forward(String payload) {
            world.forwarded().add(payload + " at " + node.identity().id());
        }
    }

    @Test
    void theCheckOfTheAdopterDecides() throws Exception {
        crashInsideATransaction("committed", "rolled back", "unclear");

        assertThat(next()).isIn("committed at n2", "committed at n3"); // each entry has its own line of owners
        Awaitility.await()
                .atMost(SOON)
                .until(() -> world.asked().containsAll(List.of("rolled back", "unclear"))
                        && undecided(2).size() + undecided(3).size() == 1);
        int adopter = adopter();
        EntryId unclear = undecided(adopter).get(0);
        Awaitility.await().atMost(SOON).until(() -> unknown(adopter).equals(Map.of("orders", 1L)));
        contexts.put(1, application(1));
        Awaitility.await().atMost(SOON).until(() -> undecided(1).isEmpty());
        orders(adopter).outbox().decide(List.of(unclear), true);

        assertThat(next()).isEqualTo("unclear at n" + adopter);
        awaitNothingLeft();
        assertThat(world.forwarded()).isEmpty();
        assertThat(world.asked()).contains("committed", "rolled back", "unclear");
    }

    @Test
    void theOperatorWithdrawsWhatNobodyKnows() throws Exception {
        crashInsideATransaction("unclear");
        int adopter = adopter();
        EntryId unclear = undecided(adopter).get(0);

        orders(adopter).outbox().decide(List.of(unclear), false);
        contexts.put(1, application(1));

        awaitNothingLeft();
        assertThat(world.forwarded()).isEmpty();
    }

    @Test
    void aCommitAfterTheNodeWasGivenUpReachesTheAdopter() throws Exception {
        int[] adopter = new int[1];
        transaction().executeWithoutResult(status -> {
            orders(1).outbox().sendAndWait("late", SOON);
            world.network().isolate(FIRST);
            adopter[0] = adopter();
            world.network().heal();
            Awaitility.await().atMost(SOON).until(() -> undecided(1).isEmpty());
        });

        assertThat(next()).isEqualTo("late at n" + adopter[0]);
        awaitNothingLeft();
        assertThat(world.forwarded()).isEmpty();
    }

    @Test
    void aRollbackAfterTheNodeWasGivenUpReachesTheAdopter() {
        transaction().executeWithoutResult(status -> {
            orders(1).outbox().sendAndWait("late", SOON);
            world.network().isolate(FIRST);
            adopter();
            world.network().heal();
            Awaitility.await().atMost(SOON).until(() -> undecided(1).isEmpty());
            status.setRollbackOnly();
        });

        awaitNothingLeft();
        assertThat(world.forwarded()).isEmpty();
    }

    /** The first node is gone for the others, and stops like a killed process, with everything it holds on its disk. */
    private void crashInsideATransaction(String... payloads) {
        ConfigurableApplicationContext first = contexts.get(1);
        transaction().executeWithoutResult(status -> {
            for (String payload : payloads) {
                orders(1).outbox().sendAndWait(payload, SOON);
            }
            world.network().isolate(FIRST);
            orders(1).node().halt();
            status.setRollbackOnly();
        });
        first.close();
        contexts.remove(1);
        world.network().heal();
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(contexts.get(1).getBean(PlatformTransactionManager.class));
    }

    /** Waits until one of the others was asked; returns which. */
    private int adopter() {
        return Awaitility.await()
                .atMost(SOON)
                .until(() -> !undecided(2).isEmpty() ? 2 : !undecided(3).isEmpty() ? 3 : 0, at -> at > 0);
    }

    private Orders orders(int number) {
        return contexts.get(number).getBean(Orders.class);
    }

    private Map<String, Long> unknown(int number) {
        return contexts.get(number).getBean(UndecidedEntries.class).unknown();
    }

    private List<EntryId> undecided(int number) throws Exception {
        return orders(number)
                .outbox()
                .undecided(null, 10)
                .toCompletableFuture()
                .get(SOON.toSeconds(), TimeUnit.SECONDS)
                .stream()
                .map(Delivery::id)
                .toList();
    }

    /** No node holds anything, or says it does. */
    private void awaitNothingLeft() {
        contexts.forEach((number, context) -> {
            GeoRepNode node = context.getBean(GeoRepNode.class);
            Awaitility.await().atMost(SOON).until(() -> {
                var protocol = node.statistics().of(OutboxActivity.class).protocol();
                return protocol.copies() == 0
                        && protocol.held().values().stream().allMatch(held -> held == 0)
                        && unknown(number).isEmpty();
            });
        });
    }

    private String next() throws InterruptedException {
        return world.forwarded().poll(SOON.toSeconds(), TimeUnit.SECONDS);
    }
}
