package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.spi.TransportFactory;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.testing.LocalNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The console of three nodes in a real browser, whose screenshots are kept in {@code target/screenshots}. Browser and nodes are
 * the same for all classes of tests in a JVM.
 */
@Tag("servers")
@Timeout(300)
@ExtendWith(ConsoleInBrowser.Start.class)
abstract class ConsoleInBrowser {
    static final String TAG = "<script>alert(1)</script>";
    static final LocalNetwork NETWORK = new LocalNetwork();
    static final AtomicBoolean POISON = new AtomicBoolean();
    static final Queue<String> FORWARDED = new ConcurrentLinkedQueue<>();
    private static final List<HttpNode> NODES = new ArrayList<>();
    static Browser browser;

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        TransportFactory transport() {
            return NETWORK.transports();
        }

        @OutboxListener("mail")
        void forward(String payload) {
            if (POISON.get()) {
                throw new DeadLetterException("no such address " + TAG);
            }
            FORWARDED.add(payload);
        }
    }

    static final class Start implements BeforeAllCallback {
        @Override
        public void beforeAll(ExtensionContext context) {
            assumeTrue(Browser.isInstalled(), "no chromium, or no chromedriver");
            context.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .computeIfAbsent(Running.class, key -> new Running(), Running.class);
        }
    }

    private static final class Running implements AutoCloseable {
        Running() {
            try {
                for (int number = 1; number <= 3; number++) {
                    NODES.add(node(
                            "n" + number,
                            "site-" + number,
                            1000 + number,
                            "60s",
                            "georep.f=0",
                            "georep.seeds=local:1001,local:1002"));
                }
                node(1).outboxes().outbox(TAG, String.class);
                browser = new Browser();
            } catch (RuntimeException e) {
                closeNodes();
                throw e;
            }
        }

        @Override
        public void close() {
            try {
                browser.close();
            } finally {
                closeNodes();
            }
        }

        /** A test that failed runs again, in the same JVM and with other nodes. */
        private static void closeNodes() {
            NODES.forEach(HttpNode::close);
            NODES.clear();
        }
    }

    @BeforeEach
    void forget() {
        NETWORK.heal();
        browser.wholeWindow();
        browser.scheme("light");
        POISON.set(false);
        node(1).outboxes()
                .outbox("mail", String.class)
                .deadLetters()
                .deleteAll()
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    @AfterEach
    void theBrowserHadNothingToComplainOf() {
        assertThat(browser.complaints())
                .as("but that a node was away, or slow")
                .filteredOn(each -> !each.contains("net::ERR_"))
                .isEmpty();
    }

    static HttpNode node(String id, String site, int port, String terminateAfter, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "georep.node-id=" + id,
                "georep.site=" + site,
                "georep.host=local",
                "georep.port=" + port,
                "georep.protocol.heartbeat=100ms",
                "georep.protocol.suspect-after=5s",
                "georep.protocol.put-timeout=4900ms",
                "georep.protocol.terminate-after=" + terminateAfter,
                "georep.console.enabled=true",
                "management.endpoint.georep.access=unrestricted"));
        properties.addAll(List.of(more));
        return new HttpNode(List.of(Beans.class), properties.toArray(String[]::new));
    }

    static HttpNode node(int number) {
        return NODES.get(number - 1);
    }

    static String url(HttpNode of) {
        return "http://localhost:" + of.context.getEnvironment().getRequiredProperty("local.server.port") + "/georep/";
    }

    /** Opens the page of a node, and waits until all nodes have told how they see the others. */
    static void open(HttpNode node, String... ids) {
        browser.open(url(node));
        browser.awaitText("#connection", "Live");
        for (String id : ids) {
            browser.awaitCell("#cluster", id, "State", "running");
        }
        browser.awaitText("#sights", "All nodes that tell see each other.");
    }

    static void open(int number) {
        open(node(number), "n1", "n2", "n3");
    }

    static void sendOneThatDies() {
        POISON.set(true);
        node(1).outboxes().outbox("mail", String.class).sendAndWait("kept", HttpNode.SOON);
        browser.awaitCell("#queues", "mail", "Dead letters", "1");
        POISON.set(false);
    }
}
