package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.OutboxActivity;
import io.georep.spi.TransportFactory;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.EntryHeader;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.ListSource;
import io.georep.spring.connect.ListSource.World;
import io.georep.testing.LocalNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sources of Kafka Connect feed outboxes. */
@Timeout(180)
class SourceConnectorTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String STRINGS = "org.apache.kafka.connect.storage.StringConverter";

    @TempDir
    Path directory;

    /** What listeners got. */
    static final BlockingQueue<Got> GOT = new LinkedBlockingQueue<>();

    record Got(String payload, String key, String origin) {}

    static class Listener {
        @OutboxListener("texts")
        void forward(String payload, Delivery<String> delivery, @EntryHeader("connect.key") String key) {
            GOT.add(new Got(payload, key, delivery.headers().get("origin")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {
        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    private static ApplicationContextRunner listing(String... settings) {
        GOT.clear();
        ApplicationContextRunner runner = TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withPropertyValues(
                        "georep.connectors.list.connector.class=" + ListSource.class.getName(),
                        "georep.connectors.list.offset.flush.interval.ms=50",
                        "georep.connectors.list.value.converter=" + STRINGS);
        for (String setting : settings) {
            runner = runner.withPropertyValues("georep.connectors.list." + setting);
        }
        return runner;
    }

    @Test
    void aListenerGetsTheRecordAsPayloadKeyAndHeaders() {
        World world = ListSource.world("list");
        world.texts.addAll(List.of("one", "two"));
        listing().withUserConfiguration(Listening.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("one", "key-one", "list"));
            assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("two", "key-two", "list"));
            await().atMost(SOON).until(() -> world.committed.equals(List.of("one", "two")));
            assertThat(world.leftOut).isEmpty();
        });
    }

    /** The task stays the same: whatever it has open, it keeps. */
    @Test
    void aRetriableErrorOfPollIsTriedAgain() {
        World world = ListSource.world("list");
        world.failures.set(3);
        world.texts.add("one");
        listing().withUserConfiguration(Listening.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("one", "key-one", "list"));
            assertThat(world.starts).hasSize(1);
            await().atMost(SOON)
                    .until(() ->
                            !context.getBean(Connectors.class).byName("list").troubled());
        });
    }

    @Test
    void kafkasOwnFileSourceGoesOnFromItsOffsetAfterARestart() throws Exception {
        Path file = Files.writeString(directory.resolve("in.txt"), "first\n");
        ApplicationContextRunner runner = TestApplication.runner()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withUserConfiguration(Lines.class)
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.durability=os",
                        "georep.f=0",
                        "georep.data-dir=" + directory.resolve("data"),
                        "georep.connectors.lines.connector.class=FileStreamSource",
                        "georep.connectors.lines.file=" + file,
                        "georep.connectors.lines.topic=lines",
                        "georep.connectors.lines.offset.flush.interval.ms=50",
                        "georep.connectors.lines.value.converter=StringConverter");
        GOT.clear();
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("first", null, null));
        });
        Files.writeString(file, "first\nsecond\n");
        runner.run(context -> assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("second", null, null)));
        assertThat(GOT).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    static class Lines {
        static class Listener {
            @OutboxListener("lines")
            void forward(String payload) {
                GOT.add(new Got(payload, null, null));
            }
        }

        @Bean
        Listener lines() {
            return new Listener();
        }
    }

    @Test
    void whatIsFilteredAwayIsCommittedToo() {
        World world = ListSource.world("list");
        world.texts.addAll(List.of("one", "two", "three"));
        listing("transforms=drop", "transforms.drop.type=org.apache.kafka.connect.transforms.Filter")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    await().atMost(SOON).until(() -> world.committed.equals(List.of("one", "two", "three")));
                    assertThat(world.leftOut).isEqualTo(world.committed);
                });
    }

    @Test
    void aRecordThatTheApplicationCannotReadIsDroppedOnlyIfThatIsTolerated() {
        World world = ListSource.world("list");
        world.topic = "numbers";
        world.texts.addAll(List.of("{\"to\":\"+46\",\"text\":\"hello\"}", "no JSON"));
        listing("errors.tolerance=all").withUserConfiguration(Typed.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(GOT.poll(20, TimeUnit.SECONDS)).isEqualTo(new Got("hello", null, null));
            await().atMost(SOON).until(() -> world.committed.size() == 2);
            assertThat(world.leftOut).containsExactly("no JSON");
        });
        World strict = ListSource.world("list");
        strict.topic = "numbers";
        strict.texts.add("no JSON");
        listing().withUserConfiguration(Typed.class).run(context -> {
            await().atMost(SOON)
                    .until(() -> context.getBean(Connectors.class).byName("list").tasks().stream()
                            .anyMatch(task -> task.state() == State.FAILED));
            assertThat(strict.committed).isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Typed {
        static class Listener {
            @OutboxListener("numbers")
            void forward(Sms sms) {
                GOT.add(new Got(sms.text(), null, null));
            }
        }

        @Bean
        Listener numbers() {
            return new Listener();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GeoRepAutoConfiguration.class, GeoRepConnectAutoConfiguration.class})
    static class Member {
        static final LocalNetwork NETWORK = new LocalNetwork();

        @Bean
        TransportFactory transport() {
            return NETWORK.transports();
        }
    }

    private ConfigurableApplicationContext member(int port, String... more) {
        SpringApplication application = new SpringApplication(Member.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        java.util.Map<String, Object> properties = new java.util.HashMap<>();
        for (String property : List.of(
                "georep.node-id=n" + port,
                "georep.host=local",
                "georep.port=" + port,
                "georep.seeds=local:1001,local:1002,local:1003",
                "georep.durability=memory",
                "georep.close-timeout=1s",
                "georep.protocol.heartbeat=100ms",
                "georep.protocol.heartbeat-away=200ms",
                "georep.protocol.suspect-after=500ms",
                "georep.protocol.terminate-after=500ms",
                "georep.protocol.put-timeout=400ms",
                "georep.connectors.list.connector.class=" + ListSource.class.getName(),
                "georep.connectors.list.offset.flush.interval.ms=50",
                "georep.connectors.list.value.converter=" + STRINGS,
                "spring.main.banner-mode=off")) {
            int sign = property.indexOf('=');
            properties.put(property.substring(0, sign), property.substring(sign + 1));
        }
        application.setDefaultProperties(properties);
        return application.run(more);
    }

    private static State state(ConfigurableApplicationContext context) {
        return context.getBean(Connectors.class).byName("list").state();
    }

    @Test
    void aSourceRunsOnOneNodeAndMovesWhenThatNodeIsGone() {
        World world = ListSource.world("list");
        world.texts.addAll(List.of("one", "two", "three"));
        try (ConfigurableApplicationContext first = member(1001);
                ConfigurableApplicationContext second = member(1002);
                ConfigurableApplicationContext third = member(1003)) {
            List<ConfigurableApplicationContext> all = List.of(first, second, third);
            await().atMost(SOON).until(() -> world.committed.size() == 3);
            assertThat(all.stream().filter(context -> state(context) == State.RUNNING))
                    .hasSize(1);
            assertThat(all.stream().filter(context -> state(context) == State.UNASSIGNED))
                    .hasSize(2);
            assertThat(world.starts.poll()).isEqualTo(0);
            ConfigurableApplicationContext owner = all.stream()
                    .filter(context -> state(context) == State.RUNNING)
                    .findFirst()
                    .orElseThrow();
            awaitOffset(all, owner, 3);

            owner.getBean(GeoRepNode.class).halt();
            world.texts.add("four");

            await().atMost(SOON).until(() -> world.committed.contains("four"));
            assertThat(world.starts.poll())
                    .as("it goes on from what was acknowledged")
                    .isEqualTo(3);
            assertThat(world.committed).containsExactly("one", "two", "three", "four");
            assertThat(all.stream().filter(context -> context != owner && state(context) == State.RUNNING))
                    .hasSize(1);
        }
    }

    @Test
    void aSourceOfEveryNodeHasAnOffsetOnEachAndGoesOnFromItsOwn() {
        World world = ListSource.world("list");
        world.texts.addAll(List.of("one", "two", "three"));
        String every = "--georep.connectors.list.georep.nodes=every";
        String alone = "--georep.f=0";
        String[] second = {every, alone, "--georep.durability=os", "--georep.data-dir=" + directory.resolve("n1002")};
        try (ConfigurableApplicationContext first = member(1001, every, alone)) {
            try (ConfigurableApplicationContext other = member(1002, second)) {
                await().atMost(SOON).until(() -> world.committed.size() == 6);
                assertThat(List.of(first, other))
                        .allSatisfy(node -> assertThat(state(node)).isEqualTo(State.RUNNING));
                assertThat(world.starts).as("each began for itself").containsExactly(0L, 0L);
                assertThat(world.committed).containsOnly("one", "two", "three");
            }
            world.starts.clear();
            world.texts.add("four");
            await().atMost(SOON).until(() -> world.committed.contains("four"));
            try (ConfigurableApplicationContext again = member(1002, second)) {
                await().atMost(SOON).until(() -> world.committed.size() == 8);
                assertThat(world.starts).as("from where this node was").containsExactly(3L);
                assertThat(state(again)).isEqualTo(State.RUNNING);
            }
        }
    }

    /** Two nodes that would need a third for the copies: the source keeps what it gave, and is not asked for ever more. */
    @Test
    void nothingIsCommittedAndNoMoreThanAllowedIsPolledWithoutCopies() {
        World world = ListSource.world("list");
        for (int i = 0; i < 40; i++) {
            world.texts.add("text " + i);
        }
        String[] settings = {"--georep.outboxes.texts.f=2", "--georep.connectors.list.georep.pending.records.max=10"};
        try (ConfigurableApplicationContext first = member(1001, settings);
                ConfigurableApplicationContext second = member(1002, settings)) {
            await().atMost(SOON).until(() -> rejected(first) + rejected(second) >= 30);
            assertThat(world.committed).isEmpty();
            assertThat(world.polled).as("ten at a time").hasValue(10);

            try (ConfigurableApplicationContext third = member(1003, settings)) {
                await().atMost(SOON).until(() -> world.committed.equals(world.texts));
                assertThat(third.isActive()).isTrue();
            }
        }
    }

    private static long rejected(ConfigurableApplicationContext context) {
        return context.getBean(GeoRepNode.class)
                .statistics()
                .of(OutboxActivity.class)
                .protocol()
                .rejected();
    }

    /** Until all nodes have the offset on their own. */
    private static void awaitOffset(
            List<ConfigurableApplicationContext> all, ConfigurableApplicationContext owner, long records) {
        await().atMost(SOON)
                .until(() -> all.stream().allMatch(context -> {
                    var space = context.getBean(GeoRepNode.class)
                            .service(io.georep.keys.KeySpaces.class)
                            .replicated("georep.connect", 1);
                    var page = space.scan("source/".getBytes(java.nio.charset.StandardCharsets.UTF_8), null, 10)
                            .toCompletableFuture()
                            .join();
                    return page.entries().size() == 1
                            && page.entries()
                                            .get(0)
                                            .value()[page.entries().get(0).value().length - 1]
                                    == records;
                }));
    }

    /** Else the disk would be full one day, and nobody would have said why. */
    @Test
    void anOutboxThatNobodyForwardsIsTold() {
        World world = ListSource.world("list");
        world.texts.addAll(List.of("one", "two", "three", "four", "five", "six"));
        listing("georep.pending.records.max=5").run(context -> {
            await().atMost(SOON).until(() -> world.committed.size() == 6);
            world.texts.addAll(List.of("seven", "eight"));
            Connectors connectors = context.getBean(Connectors.class);
            await().atMost(SOON).until(() -> connectors.byName("list").troubled());
            assertThat(connectors.byName("list").tasks().get(0).problem())
                    .contains("[texts]", "add a listener or a sink");

            context.getBean(Outboxes.class).outbox("texts", byte[].class).forward(delivery -> {});
            await().atMost(SOON).until(() -> {
                world.texts.add("more");
                return !connectors.byName("list").troubled();
            });
        });
    }

    /** As with a transformation that makes topics of data. */
    @Test
    void manyOutboxesThatNobodyForwardsAreToldTogether() {
        World world = ListSource.world("list");
        world.topicOf = text -> "of-" + text;
        listing("georep.pending.records.max=15").run(context -> {
            IntStream.range(10, 26).forEach(number -> world.texts.add(String.valueOf(number)));
            Connectors connectors = context.getBean(Connectors.class);
            await().atMost(SOON).until(() -> connectors.byName("list").troubled());
            assertThat(connectors.byName("list").tasks().get(0).problem())
                    .contains("of-10", "and others")
                    .doesNotContain("of-24");
        });
    }
}
