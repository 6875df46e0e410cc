package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.PeerChange;
import io.georep.model.Durability;
import io.georep.model.PeerState;
import io.georep.outbox.Outbox;
import io.georep.spi.TransportFactory;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.OutboxName;
import io.georep.testing.LocalCluster;
import io.georep.testing.LocalNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a whole application with a web server does, step by step, when its context closes while work is under way. */
@Timeout(120)
class ShutdownOrderTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private ConfigurableApplicationContext start(TransportFactory transport, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "georep.node-id=n1",
                "georep.durability=os",
                "georep.data-dir=" + directory,
                "georep.close-timeout=30s",
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "logging.level.root=warn"));
        properties.addAll(Arrays.asList(more));
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .initializers(ready -> ready.getBeanFactory().registerSingleton("transport", transport))
                .properties(properties.toArray(String[]::new))
                .run();
    }

    private ConfigurableApplicationContext alone() {
        return start(new LocalNetwork().transports());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Door door(@OutboxName("mail") Outbox<String> outbox, GeoRepNode node) {
            return new Door(outbox, node);
        }

        @Bean
        Mailer mailer(GeoRepNode node) {
            return new Mailer(node);
        }
    }

    /** Accepts a mail over HTTP, slowly. */
    @RestController
    static class Door {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        private final Outbox<String> outbox;
        private final GeoRepNode node;

        Door(Outbox<String> outbox, GeoRepNode node) {
            this.outbox = outbox;
            this.node = node;
        }

        @GetMapping("/accept")
        String accept() throws InterruptedException {
            entered.countDown();
            release.await();
            outbox.sendAndWait("late", SOON);
            return "accepted while " + node.state();
        }
    }

    /** Forwards a mail, and the one named "slow" slowly. */
    static class Mailer {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();
        private final GeoRepNode node;

        Mailer(GeoRepNode node) {
            this.node = node;
        }

        @OutboxListener("mail")
        void forward(String mail) throws InterruptedException {
            if (mail.equals("slow")) {
                entered.countDown();
                release.await();
            }
            forwarded.add(mail + " while " + node.state());
        }
    }

    @Test
    void aRequestInFlightIsAnsweredAndItsEntryForwarded() throws Exception {
        ConfigurableApplicationContext context = alone();
        Door door = context.getBean(Door.class);
        Mailer mailer = context.getBean(Mailer.class);
        GeoRepNode node = context.getBean(GeoRepNode.class);
        int port = Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
        CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/accept"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        door.entered.await();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        Awaitility.await().atMost(SOON).until(() -> !accepts(port));
        assertThat(node.state()).isEqualTo(NodeState.RUNNING);
        assertThat(closed).isNotDone();
        door.release.countDown();

        HttpResponse<String> response = answer.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("accepted while RUNNING");
        closed.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
        // Accepted before the listener stopped: forwarded now, or by the next start.
        List<String> everything = new ArrayList<>(mailer.forwarded);
        if (everything.isEmpty()) {
            everything.add(forwardedAfterRestart());
        }
        assertThat(everything).containsExactly("late while RUNNING");
    }

    @Test
    void aSlowHandlerEndsBeforeTheNodeStopsAndTakesNothingMore() throws Exception {
        ConfigurableApplicationContext context = alone();
        Mailer mailer = context.getBean(Mailer.class);
        GeoRepNode node = context.getBean(GeoRepNode.class);
        OutboxListeners.Container listener =
                context.getBean(OutboxListeners.class).byId("mail");
        listener.pause();
        Outbox<String> outbox = context.getBean(Door.class).outbox;
        outbox.sendAll(List.of("slow", "waiting"))
                .forEach(stage -> stage.toCompletableFuture().join());
        listener.resume();
        mailer.entered.await();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        Awaitility.await().atMost(SOON).until(() -> !listener.running());
        assertThat(node.state()).isEqualTo(NodeState.RUNNING);
        assertThat(closed).isNotDone();
        mailer.release.countDown();
        closed.get(SOON.toSeconds(), TimeUnit.SECONDS);

        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
        assertThat(mailer.forwarded).containsExactly("slow while RUNNING");
        assertThat(forwardedAfterRestart()).isEqualTo("waiting while RUNNING");
    }

    @Test
    void whatIsPendingIsHandedOverBeforeTheNodeSaysGoodbye() throws Exception {
        LocalNetwork network = new LocalNetwork();
        BlockingQueue<PeerChange> changes = new LinkedBlockingQueue<>();
        BlockingQueue<String> atHeir = new LinkedBlockingQueue<>();
        try (GeoRepNode heir = heir(network)) {
            heir.onPeerChange(changes::add);
            heir.outbox("mail", String.class).forward(delivery -> atHeir.add(delivery.payload()));
            ConfigurableApplicationContext context = start(
                    network.transports(),
                    "georep.host=local",
                    "georep.port=1001",
                    "georep.seeds=local:1002",
                    "georep.shutdown.hand-over=true",
                    "georep.protocol.heartbeat=50ms",
                    "georep.outboxes.mail.auto-startup=false");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> context.getBean(GeoRepNode.class).ready(1));
            GeoRepNode node = context.getBean(GeoRepNode.class);
            context.getBean(Door.class).outbox.sendAndWait("pending", SOON);
            heir.drain(heir.identity().id()); // takes nothing over for now
            Awaitility.await().atMost(SOON).until(() -> !node.ready(1));

            CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
            Awaitility.await().atMost(SOON).until(() -> heir.peers().get(0).drained());
            assertThat(node.state()).isEqualTo(NodeState.RUNNING);
            assertThat(closed).isNotDone();
            assertThat(atHeir).isEmpty();
            heir.undrain(heir.identity().id());

            assertThat(atHeir.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("pending");
            closed.get(SOON.toSeconds(), TimeUnit.SECONDS);
            PeerChange last = changes.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            while (last != null && last.after() != PeerState.TERMINATED) {
                last = changes.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(last).isNotNull();
        }
    }

    private static GeoRepNode heir(LocalNetwork network) {
        return GeoRepNode.builder()
                .nodeId("n2")
                .site("site-2")
                .listen("local", 1002)
                .seeds("local:1001")
                .durability(Durability.MEMORY)
                .protocol(LocalCluster.quick())
                .expectedAway(Duration.ZERO)
                .transport(network.transports())
                .start();
    }

    private String forwardedAfterRestart() throws InterruptedException {
        try (ConfigurableApplicationContext again = alone()) {
            Mailer mailer = again.getBean(Mailer.class);
            String first = mailer.forwarded.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            again.getBean(Door.class).outbox.sendAndWait("marker", SOON);
            assertThat(mailer.forwarded.poll(SOON.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("marker while RUNNING");
            return first == null ? "nothing" : first;
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
