package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.GeoRepConnectionDetails;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Three applications in one JVM, over TCP on the loopback interface. */
class ClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();
    private final List<String> addresses = new CopyOnWriteArrayList<>();

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        for (int number = 1; number <= 3; number++) {
            contexts.add(application(number));
        }
        contexts.forEach(context -> Awaitility.await()
                .atMost(SOON)
                .until(() -> context.getBean(GeoRepNode.class).ready(2)));
    }

    @AfterEach
    void stop() {
        contexts.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext application(int number) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(ready -> ready.getBeanFactory().registerSingleton("addresses", new Addresses(addresses)))
                .properties(
                        "georep.node-id=n" + number,
                        "georep.site=site-" + number,
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.data-dir=" + directory.resolve("n" + number),
                        "georep.durability=os",
                        "georep.close-timeout=1s",
                        "georep.shutdown.hand-over=" + (number == 3),
                        "georep.protocol.heartbeat=100ms",
                        "georep.protocol.suspect-after=1500ms",
                        "georep.protocol.terminate-after=1500ms",
                        "georep.protocol.put-timeout=1400ms",
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn")
                .run();
        addresses.add(context.getBean(GeoRepNode.class).identity().address());
        return context;
    }

    record Addresses(List<String> known) {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GeoRepAutoConfiguration.class, JacksonAutoConfiguration.class})
    @Import(io.georep.spring.boot.actuate.OwnOperations.class)
    static class Application {
        @Bean
        GeoRepConnectionDetails seeds(Addresses addresses) {
            return () -> List.copyOf(addresses.known());
        }

        @Bean
        Gateway gateway(@OutboxName("sms") Outbox<Sms> outbox) {
            return new Gateway(outbox);
        }
    }

    static class Gateway {
        final Outbox<Sms> outbox;
        final BlockingQueue<Delivery<Sms>> seen = new LinkedBlockingQueue<>();
        final BlockingQueue<Acknowledgement> acknowledgements = new LinkedBlockingQueue<>();
        final BlockingQueue<Adoption<Sms>> adoptions = new LinkedBlockingQueue<>();

        Gateway(Outbox<Sms> outbox) {
            this.outbox = outbox;
        }

        @OutboxListener(value = "sms", ackMode = AckMode.MANUAL)
        void forward(Delivery<Sms> delivery, Acknowledgement acknowledgement) {
            seen.add(delivery);
            acknowledgements.add(acknowledgement);
        }

        @OnAdoption("sms")
        void adopted(Adoption<Sms> adoption) {
            adoptions.add(adoption);
        }
    }

    @Test
    void adoptsWhatADeadNodeHadInHand() throws Exception {
        Gateway first = gateway(1);
        EntryId id = first.outbox
                .send(new Sms("+46", "hello"), SendOptions.defaults().header("tenant", "a"))
                .toCompletableFuture()
                .get(SOON.toSeconds(), TimeUnit.SECONDS);
        take(first.seen);

        contexts.get(0).getBean(GeoRepNode.class).halt();

        Gateway adopter = Awaitility.await()
                .atMost(SOON)
                .until(
                        () -> gateway(2).adoptions.isEmpty()
                                ? gateway(3).adoptions.isEmpty() ? null : gateway(3)
                                : gateway(2),
                        Objects::nonNull);
        Adoption<Sms> adoption = take(adopter.adoptions);
        Delivery<Sms> delivery = take(adopter.seen);
        assertThat(adoption.from().value()).isEqualTo("n1");
        assertThat(delivery.id()).isEqualTo(id);
        assertThat(delivery.adopted()).isTrue();
        assertThat(delivery.possiblySent()).isTrue();
        assertThat(delivery.headers()).containsEntry("tenant", "a");
        take(adopter.acknowledgements).acknowledge();
        Awaitility.await().atMost(SOON).until(() -> adopter.outbox.statistics().forwarded() == 1);
    }

    @Test
    void isReadyUntilTooFewNodesAreLeft() {
        HealthIndicator health = contexts.get(1).getBean("georepHealthIndicator", HealthIndicator.class);
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);

        contexts.get(0).getBean(GeoRepNode.class).halt();
        contexts.get(2).getBean(GeoRepNode.class).halt();

        Awaitility.await().atMost(SOON).until(() -> health.health().getStatus().equals(Status.OUT_OF_SERVICE));
    }

    @Test
    void handsOverWhatIsPendingAtShutdown() throws Exception {
        Gateway leaving = gateway(3);
        EntryId id = leaving.outbox.sendAndWait(new Sms("+46", "pending"), SOON);
        take(leaving.seen);

        contexts.get(2).close();

        Delivery<Sms> delivery = Awaitility.await()
                .atMost(SOON)
                .until(
                        () -> {
                            Delivery<Sms> second = gateway(2).seen.poll();
                            return second == null ? gateway(1).seen.poll() : second;
                        },
                        Objects::nonNull);
        assertThat(delivery.id()).isEqualTo(id);
    }

    private Gateway gateway(int number) {
        return contexts.get(number - 1).getBean(Gateway.class);
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken).isNotNull();
        return taken;
    }
}
