package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMaps;
import io.georep.model.Durability;
import io.georep.spi.PayloadCodec;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalNetwork;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What operators see of ordered maps. */
@Timeout(180)
class OrderedMapsOperationsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path data;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private ApplicationContextRunner node(LocalNetwork network, int number) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(TransportFactory.class, network::transports)
                .withPropertyValues(
                        "georep.node-id=n" + number,
                        "georep.data-dir=" + data.resolve("n" + number),
                        "georep.durability=" + Durability.OS,
                        "georep.expected-away=0",
                        "georep.host=local",
                        "georep.port=" + (1000 + number),
                        "georep.seeds=local:1001,local:1002",
                        "georep.ordered-maps.groups[0]=n1,n2",
                        "georep.ordered-maps.lease=1s");
    }

    private static Health health(ApplicationContext context) {
        return Objects.requireNonNull(context.getBean("georepOrderedMapsHealthIndicator", HealthIndicator.class)
                .health());
    }

    private static void awaitStatus(ApplicationContext context, Status status) {
        Awaitility.await().atMost(SOON).until(() -> health(context).getStatus().equals(status));
    }

    @Test
    void healthEndpointAndMetersTellOfGroupsAndLeaders() {
        LocalNetwork network = new LocalNetwork();
        node(network, 1).run(first -> {
            node(network, 2).run(second -> {
                awaitStatus(first, Status.UP);
                awaitStatus(second, Status.UP);
                second.getBean(OrderedMaps.class)
                        .map("seats", PayloadCodec.string(), PayloadCodec.string())
                        .put("12A", "ann")
                        .toCompletableFuture()
                        .get(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(health(second).getDetails())
                        .containsKeys("groups", "unanswered", "unexecuted")
                        .doesNotContainKey("reason");

                EndpointReport.OrderedMapsReport report = (EndpointReport.OrderedMapsReport)
                        MapsOperationsTest.endpoint(second).part("ordered-maps");
                assertThat(report.reason()).isNull();
                assertThat(report.keys()).isEqualTo(1);
                assertThat(report.bytes()).isPositive();
                assertThat(report.groups()).hasSize(1);
                EndpointReport.OrderedGroup group = report.groups().get(0);
                assertThat(group.voters()).containsExactly("n1", "n2");
                assertThat(group.leader()).isIn("n1", "n2");
                assertThat(group.leads()).isEqualTo("n2".equals(group.leader()));
                assertThat(group.decided()).isPositive();

                MapPlacement placement =
                        (MapPlacement) MapsOperationsTest.endpoint(second).item("ordered-maps", "seats", null, 10);
                assertThat(placement.decider()).isEqualTo(group.leader());
                assertThat(placement.leaves())
                        .containsExactly(new MapPlacement.Leaf("", 1, List.of(0), List.of(), List.of()));
                assertThat(placement.next()).isNull();
                assertThatThrownBy(() -> MapsOperationsTest.endpoint(second).item("ordered-maps", "seats", "0xf", 10))
                        .isInstanceOf(EndpointRefusal.class);
                assertThatThrownBy(() -> MapsOperationsTest.endpoint(second).item("ordered-maps", "seats", null, 0))
                        .isInstanceOf(EndpointRefusal.class)
                        .hasMessageContaining("1 to 1000");

                MeterRegistry registry = second.getBean(MeterRegistry.class);
                for (String name : List.of("led", "leads", "decided", "behind")) {
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> registry.find("georep.ordered.maps." + name)
                                            .tag("group", "0")
                                            .gauge()
                                    != null);
                }
                assertThat(registry.get("georep.ordered.maps.led").gauge().value())
                        .isEqualTo(1);
                assertThat(registry.get("georep.ordered.maps.unanswered")
                                .gauge()
                                .value())
                        .isZero();
                assertThat(registry.get("georep.ordered.maps.unexecuted")
                                .gauge()
                                .value())
                        .isZero();
            });
            // The second node is gone, and with it the majority.
            awaitStatus(first, Status.OUT_OF_SERVICE);
            assertThat(String.valueOf(health(first).getDetails().get("reason")))
                    .contains("no leader of group 0 is in reach")
                    .contains("n1, n2");
        });
    }

    @Test
    void operatorsReplaceNodes() {
        LocalNetwork network = new LocalNetwork();
        node(network, 1)
                .run(first -> node(network, 2)
                        .run(second -> node(network, 3).run(third -> {
                            awaitStatus(first, Status.UP);
                            NodeOperator endpoint = MapsOperationsTest.endpoint(first);
                            assertThat(endpoint.change("ordered-maps", "n2", "plan-replace", List.of("n3")))
                                    .containsEntry("groups", List.of(List.of("n1", "n3")))
                                    .containsEntry("version", 1L);
                            assertThatThrownBy(() -> endpoint.change("ordered-maps", "n2", "remove", null))
                                    .isInstanceOf(EndpointRefusal.class)
                                    .hasMessageContaining("name the node that takes its place");
                            assertThatThrownBy(() -> endpoint.change("ordered-maps", "n2", "replace", null))
                                    .isInstanceOf(EndpointRefusal.class)
                                    .hasMessageContaining("needs one node in 'ids'");
                            assertThatThrownBy(() -> endpoint.change("ordered-maps", "n2", "drop", null))
                                    .isInstanceOf(EndpointRefusal.class)
                                    .hasMessageContaining("allowed are replace");

                            assertThat(endpoint.change("ordered-maps", "n2", "plan-add-group", List.of("n1")))
                                    .containsEntry("groups", List.of(List.of("n1", "n2"), List.of("n2", "n1")));
                            endpoint.change("ordered-maps", "n3", "add", null);
                            endpoint.change("ordered-maps", "n2", "replace", List.of("n3"));
                            awaitStatus(third, Status.UP);
                            Awaitility.await().atMost(SOON).untilAsserted(() -> {
                                EndpointReport.OrderedGroup group = ((EndpointReport.OrderedMapsReport)
                                                endpoint.part("ordered-maps"))
                                        .groups()
                                        .get(0);
                                assertThat(group.voters()).containsExactly("n1", "n3");
                                assertThat(group.changing()).isFalse();
                            });
                        })));
    }

    @Test
    void operatorsRestoreAGroup() {
        LocalNetwork network = new LocalNetwork();
        node(network, 1).run(first -> {
            OrderedMap<String, String> seats =
                    first.getBean(OrderedMaps.class).map("seats", PayloadCodec.string(), PayloadCodec.string());
            node(network, 2).run(second -> {
                awaitStatus(first, Status.UP);
                seats.put("12A", "ann").toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
            });
            awaitStatus(first, Status.OUT_OF_SERVICE);
            NodeOperator endpoint = MapsOperationsTest.endpoint(first);
            List<String> ids = List.of("-n2", "n1");
            assertThatThrownBy(() -> endpoint.change("ordered-maps", "seats", "restore-group", ids))
                    .isInstanceOf(EndpointRefusal.class)
                    .hasMessageContaining("follows the number of a group");
            Awaitility.await()
                    .atMost(SOON)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(endpoint.change("ordered-maps", "0", "plan-restore-group", ids))
                            .containsEntry("groups", List.of(List.of("n1")))
                            .containsKeys("executed", "kept", "executedByOthers"));
            assertThatThrownBy(() -> endpoint.change("ordered-maps", "0", "restore-group", List.of("n1")))
                    .isInstanceOf(EndpointRefusal.class)
                    .hasMessageContaining("is not in reach");
            for (String typo : List.of("Plan-restore-group", "plan_restore-group", "plan-plan-restore-group")) {
                assertThatThrownBy(() -> endpoint.change("ordered-maps", "0", typo, ids))
                        .isInstanceOf(EndpointRefusal.class);
            }
            assertThatThrownBy(() -> endpoint.change("ordered-maps", "0", "restore-group", List.of("no name", "n1")))
                    .isInstanceOf(EndpointRefusal.class);
            assertThat(health(first).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

            endpoint.change("ordered-maps", "0", "restore-group", ids);
            awaitStatus(first, Status.UP);
            assertThat(seats.get("12A").toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .contains("ann");
        });
    }

    /** Restarting the node would not help: its outboxes go on, and the callback is the application's. */
    @Test
    void aCallbackThatIsStuckTakesTheMapsOfANodeOutOfServiceAndNothingElse() {
        CompletableFuture<Void> stuck = new CompletableFuture<>();
        CompletableFuture<Void> over = new CompletableFuture<>();
        node(new LocalNetwork(), 1)
                .withPropertyValues("georep.ordered-maps.groups[0]=n1", "georep.f=0")
                .run(context -> {
                    awaitStatus(context, Status.UP);
                    OrderedMap<String, String> seats = context.getBean(OrderedMaps.class)
                            .map("seats", PayloadCodec.string(), PayloadCodec.string());
                    Awaitility.await().atMost(SOON).until(() -> {
                        Thread caller = Thread.currentThread();
                        seats.put("12A", "ann").thenRun(() -> {
                            // A stage that is complete already calls back on the thread of its caller.
                            if (Thread.currentThread() != caller) {
                                stuck.complete(null);
                                over.join();
                            }
                        });
                        return stuck.isDone();
                    });

                    Health maps = health(context);
                    Status node = MapsOperationsTest.health(context, "georepHealthIndicator")
                            .getStatus();
                    over.complete(null);

                    assertThat(node).isEqualTo(Status.UP);
                    assertThat(maps.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(String.valueOf(maps.getDetails().get("reason"))).contains("stuck");
                    awaitStatus(context, Status.UP);
                });
    }

    @Test
    void aNodeWithoutOrderedMapsSaysSo() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("georep.node-id=n1", "georep.durability=memory")
                .run(context -> {
                    assertThat(context).doesNotHaveBean("georepOrderedMapsHealthIndicator");
                    assertThatThrownBy(
                                    () -> MapsOperationsTest.endpoint(context).part("ordered-maps"))
                            .hasMessageContaining("georep.ordered-maps.groups");
                });
    }
}
