package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetMaps;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.geopaxos.OrderedMaps;
import io.georep.spi.TransportFactory;
import io.georep.spring.Maps;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.testing.LocalNetwork;
import io.georep.testing.LocalViewMaster;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What operators see of replicated maps. */
@Timeout(120)
class MapsOperationsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ApplicationContextRunner node(LocalNetwork network, ViewMaster.Factory master, int number) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(TransportFactory.class, network::transports)
                .withBean(ViewMaster.Factory.class, () -> master)
                .withPropertyValues(
                        "georep.node-id=n" + number,
                        "georep.durability=memory",
                        "georep.host=local",
                        "georep.port=" + (1000 + number),
                        "georep.seeds=local:1001,local:1002",
                        "georep.maps.lease=1s",
                        "georep.protocol.heartbeat=50ms",
                        "georep.protocol.suspect-after=500ms",
                        "georep.protocol.put-timeout=400ms");
    }

    private static Health health(ApplicationContext context) {
        return health(context, "georepMapsHealthIndicator");
    }

    static Health health(ApplicationContext context, String name) {
        return Objects.requireNonNull(
                context.getBean(name, HealthIndicator.class).health());
    }

    static NodeOperator endpoint(ApplicationContext context) {
        return new NodeOperator(
                context.getBean(GeoRepNode.class),
                context.getBean(Outboxes.class),
                context.getBean(OutboxListeners.class),
                new AdoptionLog(),
                null,
                context.getBeanProvider(ReplicatedMaps.class).getIfAvailable(),
                context.getBeanProvider(OrderedMaps.class).getIfAvailable(),
                context.getBeanProvider(FleetMaps.class).getIfAvailable());
    }

    @Test
    void healthEndpointAndMetersTellOfViewLeaseAndKeys() {
        LocalNetwork network = new LocalNetwork();
        LocalViewMaster master =
                LocalViewMaster.of(FunnelSettings.defaults().lease(Duration.ofSeconds(1), 0.01), "n1", "n2");
        node(network, master, 1)
                .run(first -> node(network, master, 2).run(second -> {
                    for (ApplicationContext each : List.of(first, second)) {
                        Awaitility.await()
                                .atMost(SOON)
                                .until(() -> health(each).getStatus().equals(Status.UP));
                    }
                    second.getBean(Maps.class)
                            .map("routes", String.class, String.class)
                            .put("46", "operator-a")
                            .toCompletableFuture()
                            .get(SOON.toSeconds(), TimeUnit.SECONDS);
                    Map<String, Object> details = health(first).getDetails();
                    assertThat(details)
                            .containsEntry("role", "SERVING")
                            .containsEntry("members", List.of("n1", "n2"))
                            .containsEntry("tail", "n2")
                            .containsEntry("keys", 1L)
                            .containsEntry("dirtyKeys", 0L)
                            .containsKeys("view", "leaseLeft", "applied", "uncommitted")
                            .doesNotContainKey("reason");
                    EndpointReport.Maps maps =
                            (EndpointReport.Maps) endpoint(first).part("maps");
                    assertThat(maps.members()).containsExactly("n1", "n2");
                    assertThat(maps.reason()).isNull();
                    assertThat(maps.keys()).isEqualTo(1);
                    MeterRegistry registry = first.getBean(MeterRegistry.class);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> registry.find("georep.maps.keys").gauge() != null
                                    && registry.get("georep.maps.keys").gauge().value() == 1);

                    NodeOperator endpoint = endpoint(first);
                    assertThatThrownBy(() -> endpoint.change("maps", "view", "plan", null))
                            .hasMessageContaining("nothing to restore")
                            .hasMessageContaining("n2=");
                    assertThatThrownBy(() -> endpoint.change("maps", "view", "restore", null))
                            .hasMessageContaining("nothing to restore");
                    assertThatThrownBy(() -> endpoint.change("maps", "routes", "restore", null))
                            .hasMessageContaining("maps/view");

                    master.silent(true);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> health(first).getStatus().equals(Status.OUT_OF_SERVICE));
                    assertThat(String.valueOf(health(first).getDetails().get("reason")))
                            .contains("the master of views does not answer");
                }));
    }

    /** Restarting the node would not help: its outboxes go on, and the listener is the application's. */
    @Test
    void aListenerThatIsStuckTakesTheMapsOfANodeOutOfServiceAndNothingElse() {
        LocalNetwork network = new LocalNetwork();
        LocalViewMaster master =
                LocalViewMaster.of(FunnelSettings.defaults().lease(Duration.ofSeconds(1), 0.01), "n1", "n2");
        CountDownLatch stuck = new CountDownLatch(1);
        CompletableFuture<Void> over = new CompletableFuture<>();
        node(network, master, 1)
                .run(first -> node(network, master, 2).run(second -> {
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> health(second).getStatus().equals(Status.UP)
                                    && health(first).getStatus().equals(Status.UP));
                    first.getBean(Maps.class)
                            .map("routes", String.class, String.class)
                            .listen(change -> {
                                stuck.countDown();
                                over.join();
                            });
                    second.getBean(Maps.class)
                            .map("routes", String.class, String.class)
                            .put("46", "operator-a");
                    assertThat(stuck.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();

                    Health maps = health(first);
                    Health node = health(first, "georepHealthIndicator");
                    over.complete(null);

                    assertThat(node.getStatus()).isEqualTo(Status.UP);
                    assertThat(node.getDetails()).containsKeys("backlog", "maps");
                    assertThat(maps.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(String.valueOf(maps.getDetails().get("reason"))).contains("stuck");
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> health(first).getStatus().equals(Status.UP));
                }));
    }

    @Test
    void aNodeWithoutMapsSaysSo() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("georep.node-id=n1", "georep.durability=memory")
                .run(context -> {
                    assertThat(context).doesNotHaveBean("georepMapsHealthIndicator");
                    assertThatThrownBy(() -> endpoint(context).part("maps")).hasMessageContaining("no replicated maps");
                });
    }
}
