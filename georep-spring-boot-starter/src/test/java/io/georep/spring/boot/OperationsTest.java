package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.actuate.OwnOperations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class OperationsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static ApplicationContextRunner runner() {
        return TestApplication.alone()
                .withUserConfiguration(OwnOperations.class)
                .withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class));
    }

    @Test
    void isUpWhileCopiesCanBeMade() {
        runner().run(context -> {
            Health health = context.getBean("georepHealthIndicator", HealthIndicator.class)
                    .health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", "n1")
                    .containsEntry("f", 0)
                    .containsEntry("store", "READY");
        });
    }

    @Test
    void isOutOfServiceWithoutPeers() {
        runner().withPropertyValues("georep.port=0", "georep.host=127.0.0.1").run(context -> {
            Health health = context.getBean("georepHealthIndicator", HealthIndicator.class)
                    .health();

            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health.getDetails()).containsEntry("f", 1).containsEntry("peersSelectable", 0L);
        });
    }

    /** Nobody hears what became of a send then, though the copies are made. */
    @Test
    void isOutOfServiceWhileACallbackKeepsSendsFromBeingAnswered() {
        runner().run(context -> {
            Outbox<String> outbox = context.getBean(Outboxes.class).outbox("stuck", String.class);
            CountDownLatch stuck = new CountDownLatch(1);
            CompletableFuture<Void> over = new CompletableFuture<>();
            outbox.forward(
                    delivery -> {
                        stuck.countDown();
                        over.join();
                    },
                    options -> options.executor(Runnable::run));
            outbox.send("a");
            assertThat(stuck.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            HealthIndicator indicator = context.getBean("georepHealthIndicator", HealthIndicator.class);

            Health health = indicator.health();
            over.complete(null);

            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(String.valueOf(health.getDetails().get("reason"))).contains("no send is answered");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> indicator.health().getStatus().equals(Status.UP));
        });
    }

    @Test
    void isNotUpWhenTheNodeStopped() {
        runner().run(context -> {
            context.getBean(GeoRepNode.class).close();

            assertThat(context.getBean("georepHealthIndicator", HealthIndicator.class)
                            .health()
                            .getStatus())
                    .isEqualTo(Status.OUT_OF_SERVICE);
        });
    }

    @Test
    void bindsMetersOfQueuesOpenedLater() {
        runner().withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Receiver.class)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
                    Outbox<String> outbox = context.getBean(Outboxes.class).outbox("mail", String.class);
                    context.getBean(Outboxes.class).outbox("late", String.class);

                    outbox.sendAndWait("x", SOON);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox.statistics().forwarded() == 1);

                    assertThat(registry.get("georep.sends")
                                    .tags("queue", "mail", "outcome", "acknowledged")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("georep.forwarded")
                                    .tag("queue", "mail")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("georep.backlog")
                                    .tag("queue", "late")
                                    .gauge()
                                    .value())
                            .isZero();
                    assertThat(registry.get("georep.peers")
                                    .tag("state", "active")
                                    .gauge()
                                    .value())
                            .isZero();
                });
    }

    @Test
    void runsWithoutActuatorAndMicrometer() {
        TestApplication.alone()
                .withUserConfiguration(OwnOperations.class)
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer"))
                .withBean(Receiver.class)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean("georepHealthIndicator")
                            .doesNotHaveBean("georepMeters")
                            .doesNotHaveBean("georepObservedSends");
                });
    }

    @Test
    void configuresEverythingInAWholeApplication() {
        new ApplicationContextRunner()
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=georep")
                .withUserConfiguration(WholeApplication.class)
                .withBean(Receiver.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("georepHealthIndicator")
                        .hasBean("georepMeters")
                        .hasBean("georepObservedSends")
                        .hasBean("georepEndpoint")
                        .hasBean("georepTransactionalSends"));
    }

    @Test
    void carriesTheTraceContextWithTheEntry() {
        RecordingTracer tracer = new RecordingTracer();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(tracer);
        runner().withBean(ObservationRegistry.class, () -> registry)
                .withBean(Receiver.class)
                .run(context -> {
                    Outbox<String> outbox = context.getBean(Outboxes.class).outbox("mail", String.class);

                    outbox.sendAndWait("x", SOON);

                    Awaitility.await().atMost(SOON).until(() -> !tracer.received.isEmpty());
                    assertThat(tracer.received).containsExactly("mail from trace-1");
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WholeApplication {}

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }
}
