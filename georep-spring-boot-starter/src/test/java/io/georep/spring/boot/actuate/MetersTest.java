package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.SendOptions;
import io.georep.spi.TransportFactory;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.observation.EntryTimers;
import io.georep.testing.LocalNetwork;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class MetersTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ApplicationContextRunner node(LocalNetwork network, String id, int port) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(Receiver.class)
                .withBean(TransportFactory.class, network::transports)
                .withPropertyValues(
                        "georep.node-id=" + id,
                        "georep.durability=memory",
                        "georep.host=local",
                        "georep.port=" + port,
                        "georep.seeds=local:1001,local:1002",
                        "georep.protocol.heartbeat=50ms",
                        "georep.protocol.suspect-after=500ms",
                        "georep.protocol.put-timeout=400ms");
    }

    @Test
    void showsTheRoundTripToEachPeerAsLongAsItIsKnown() {
        LocalNetwork network = new LocalNetwork();
        node(network, "n1", 1001).run(first -> {
            MeterRegistry registry = first.getBean(MeterRegistry.class);
            node(network, "n2", 1002).run(second -> {
                for (GeoRepMeter meter : List.of(GeoRepMeter.PEER_RTT, GeoRepMeter.PEER_RTT_MIN)) {
                    Gauge gauge = Awaitility.await()
                            .atMost(SOON)
                            .until(() -> gauge(registry, meter, "n2"), found -> found != null && found.value() > 0);
                    assertThat(gauge.value()).isLessThan(60);
                    assertThat(gauge.getId().getBaseUnit()).isEqualTo("seconds");
                }
            });

            first.getBean(GeoRepNode.class).remove(NodeId.of("n2"));

            Awaitility.await().atMost(SOON).until(() -> {
                registry.get(GeoRepMeter.PEERS.getName()).gauges().forEach(Gauge::value);
                return registry.find(GeoRepMeter.PEER_RTT.getName()).gauges().isEmpty();
            });
            assertThat(registry.find(GeoRepMeter.PEER_RTT_MIN.getName()).gauges())
                    .isEmpty();
        });
    }

    @Test
    void countsUndecidedEntries() {
        node(new LocalNetwork(), "n1", 1001).withPropertyValues("georep.f=0").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            var outbox = context.getBean(Outboxes.class).outbox("mail", String.class);
            EntryId id = outbox.prepare("x", SendOptions.defaults())
                    .toCompletableFuture()
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
            Gauge undecided = Awaitility.await()
                    .atMost(SOON)
                    .until(
                            () -> registry.find(GeoRepMeter.UNDECIDED.getName())
                                    .tag("queue", "mail")
                                    .gauge(),
                            Objects::nonNull);

            Awaitility.await().atMost(SOON).until(() -> undecided.value() == 1);
            outbox.decide(List.of(id), false);
            Awaitility.await().atMost(SOON).until(() -> undecided.value() == 0);
        });
    }

    @Test
    void timesEachSendAndEachCallOnce() {
        node(new LocalNetwork(), "n1", 1001).withPropertyValues("georep.f=0").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            var outbox = context.getBean(Outboxes.class).outbox("mail", String.class);

            for (int i = 0; i < 3; i++) {
                outbox.sendAndWait("x", SOON);
            }

            assertThat(context).hasSingleBean(EntryTimers.class);
            for (String name : List.of("georep.send", "georep.forward")) {
                Awaitility.await().atMost(SOON).until(() -> count(registry, name) >= 3);
                assertThat(count(registry, name)).isEqualTo(3);
                assertThat(registry.get(name + ".active").longTaskTimers()).hasSize(1);
            }
        });
    }

    /** Whoever handles observations as meters also gets those of sends. */
    @Test
    void anApplicationsOwnHandlerOfMetersComesFirst() {
        List<String> seen = new CopyOnWriteArrayList<>();
        node(new LocalNetwork(), "n1", 1001)
                .withPropertyValues("georep.f=0")
                .withBean(MeterObservationHandler.class, () -> new OwnMeters(seen))
                .run(context -> {
                    context.getBean(Outboxes.class).outbox("mail", String.class).sendAndWait("x", SOON);

                    assertThat(context).doesNotHaveBean(EntryTimers.class);
                    Awaitility.await()
                            .atMost(SOON)
                            .untilAsserted(
                                    () -> assertThat(seen).containsExactlyInAnyOrder("georep.send", "georep.forward"));
                });
    }

    private record OwnMeters(List<String> seen) implements MeterObservationHandler<Observation.Context> {
        @Override
        public void onStop(Observation.Context context) {
            seen.add(Objects.requireNonNull(context.getName()));
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    private static long count(MeterRegistry registry, String timer) {
        return registry.find(timer).timers().stream().mapToLong(Timer::count).sum();
    }

    /** Names, types, units and tags are those the enum documents, and nothing is bound that it does not know. */
    @Test
    void bindsWhatIsDocumented() {
        LocalNetwork network = new LocalNetwork();
        node(network, "n1", 1001)
                .run(first -> node(network, "n2", 1002).run(second -> {
                    MeterRegistry registry = first.getBean(MeterRegistry.class);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> gauge(registry, GeoRepMeter.PEER_RTT_MIN, "n2") != null);

                    for (GeoRepMeter meter : GeoRepMeter.values()) {
                        Set<String> tags = Arrays.stream(meter.getKeyNames())
                                .map(KeyName::asString)
                                .collect(Collectors.toSet());
                        Collection<Meter> bound = registry.get(meter.getName()).meters();
                        assertThat(bound).as(meter.getName()).allSatisfy(found -> {
                            assertThat(found.getId().getType()).isEqualTo(meter.getType());
                            assertThat(found.getId().getBaseUnit()).isEqualTo(meter.getBaseUnit());
                            assertThat(found.getId().getTags())
                                    .extracting(tag -> tag.getKey())
                                    .containsExactlyInAnyOrderElementsOf(tags);
                        });
                    }
                    assertThat(registry.getMeters().stream()
                                    .map(meter -> meter.getId().getName())
                                    .filter(name -> name.startsWith("georep.")))
                            .isSubsetOf(Arrays.stream(GeoRepMeter.values())
                                    .map(GeoRepMeter::getName)
                                    .toList());
                }));
    }

    @Test
    void isDescribedInTheGuide() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "use", "spring-boot-operations.md"));

        assertThat(GeoRepMeter.values()).allSatisfy(meter -> assertThat(guide).contains("`" + meter.getName() + "`"));
    }

    private static @Nullable Gauge gauge(MeterRegistry registry, GeoRepMeter meter, String peer) {
        return registry.find(meter.getName()).tag("peer", peer).gauge();
    }
}
