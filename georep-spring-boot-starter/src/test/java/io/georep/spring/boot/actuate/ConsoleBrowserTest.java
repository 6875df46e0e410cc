package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.GeoRepNode;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spi.TransportFactory;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.testing.LocalNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The console of three nodes in a real browser, whose screenshots are kept in {@code target/screenshots}. */
@Tag("servers")
@Timeout(300)
class ConsoleBrowserTest {
    private static final String TAG = "<script>alert(1)</script>";
    private static final List<String> SITES = List.of("ams", "nyc", "sgp");
    private static final LocalNetwork NETWORK = new LocalNetwork();
    private static final AtomicBoolean POISON = new AtomicBoolean();
    private static final Queue<String> FORWARDED = new ConcurrentLinkedQueue<>();
    private static final List<HttpNode> NODES = new ArrayList<>();
    private static Browser browser;

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

    @BeforeAll
    static void start() {
        assumeTrue(Browser.isInstalled(), "no chromium, or no chromedriver");
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
    }

    @AfterAll
    static void stop() {
        try {
            if (browser != null) {
                browser.close();
            }
        } finally {
            // A test that failed runs again, in the same JVM and with other nodes.
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

    private static HttpNode node(String id, String site, int port, String terminateAfter, String... more) {
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

    private static HttpNode node(int number) {
        return NODES.get(number - 1);
    }

    private static String url(HttpNode of) {
        return "http://localhost:" + of.context.getEnvironment().getRequiredProperty("local.server.port") + "/georep/";
    }

    /** Opens the page of a node, and waits until all nodes have told how they see the others. */
    private static void open(HttpNode node, String... ids) {
        browser.open(url(node));
        browser.awaitText("#connection", "Live");
        for (String id : ids) {
            browser.awaitCell("#cluster", id, "State", "running");
        }
        browser.awaitText("#sights", "All nodes that tell see each other.");
    }

    private static void open(int number) {
        open(node(number), "n1", "n2", "n3");
    }

    private static void sendOneThatDies() {
        POISON.set(true);
        node(1).outboxes().outbox("mail", String.class).sendAndWait("kept", HttpNode.SOON);
        browser.awaitCell("#queues", "mail", "Dead letters", "1");
        POISON.set(false);
    }

    @Test
    void thePageShowsTheClusterAndIsMadeOfItsOwnFilesOnly() {
        open(1);

        assertThat(browser.text("#title")).isEqualTo("n1 in site-1");
        browser.awaitCell("#nodes", "n2", "Link", "up");
        browser.awaitCell("#sights", "n2", "n3", "active");
        assertThat((List<?>) browser.run("return performance.getEntriesByType('resource').map((each) => each.name)"))
                .isNotEmpty()
                .allSatisfy(each -> assertThat((String) each).startsWith(url(node(1))));
        browser.screenshot("page");
    }

    @Test
    void aCutOfOneDirectionIsInOneRowOfTheMatrixEach() {
        open(3);

        NETWORK.cutOneWay(node(1).id(), node(2).id());
        browser.awaitCell("#sights", "n1", "n2", "no link");
        browser.awaitCell("#sights", "n2", "n1", "suspected");
        browser.awaitText("#sights ul", "n1 sees n2: no link");
        browser.awaitText("#sights ul", "n2 sees n1: suspected");
        browser.awaitCell("#sights", "n3", "n1", "active");
        browser.screenshot("one-way-cut");

        NETWORK.heal();
        browser.awaitText("#sights", "All nodes that tell see each other.");
    }

    /** Leaves the pictures of the documentation: {@code console-light.png} and {@code console-dark.png}. */
    @Test
    void aNodeIsKilledAndItsEntriesAreAdopted() {
        List<HttpNode> own = new ArrayList<>();
        try {
            for (int i = 0; i < SITES.size(); i++) {
                own.add(node(SITES.get(i) + "-1", SITES.get(i), 2000 + i, "3s", "georep.seeds=local:2000,local:2001"));
            }
            open(own.get(0), "ams-1", "nyc-1", "sgp-1");
            own.forEach(each -> send(each, 40));
            Outbox<String> mail = own.get(2).outboxes().outbox("mail", String.class);
            await().atMost(HttpNode.SOON).until(() -> mail.statistics().forwarded() == 40);
            mail.pause();
            send(own.get(2), 20);
            browser.awaitCell("#cluster", "sgp-1", "Backlog", "20");

            own.get(2).context.getBean(GeoRepNode.class).halt();
            browser.awaitCell("#cluster", "sgp-1", "State", "given up");
            await().atMost(HttpNode.SOON).until(() -> adopted("ams-1") + adopted("nyc-1"), sum -> sum == 20);
            HttpNode adopter = adopted("ams-1") > 0 ? own.get(0) : own.get(1);
            browser.open(url(adopter));
            browser.awaitCell("#adoptions", "mail", "From", "sgp-1");
            browser.awaitText("#events", "adopted");
            browser.awaitText("#sights", "ams-1, nyc-1 see sgp-1: given up");
            browser.size(1200, 1130);
            browser.screenshot("console-light");
            browser.scheme("dark");
            browser.screenshot("console-dark");
            browser.open("about:blank");
        } finally {
            own.forEach(HttpNode::close);
        }
    }

    private static void send(HttpNode from, int entries) {
        Outbox<String> mail = from.outboxes().outbox("mail", String.class);
        IntStream.range(0, entries).forEach(i -> mail.sendAndWait("mail " + i, HttpNode.SOON));
    }

    private static int adopted(String node) {
        String told = browser.cell("#cluster", node, "Adopted");
        return told.isEmpty() ? 0 : Integer.parseInt(told);
    }

    @Test
    void aDeadLetterIsReplayedAfterAQuestion() {
        open(1);
        sendOneThatDies();
        FORWARDED.clear();

        browser.button("section[@id='queues']", "mail");
        browser.awaitText("dialog ul.entries", "DeadLetterException");
        browser.button("dialog", "Replay 1 dead letter");
        browser.awaitText("dialog .actions", "1 dead letter will be handed to the handler once more.");
        assertThat(browser.focused()).as("the careful answer").isEqualTo("No");
        browser.screenshot("question");
        assertThat(FORWARDED).isEmpty();
        browser.button("dialog", "Yes: replay 1 dead letter");
        browser.awaitText("dialog [role=status]", "replayed 1");

        browser.awaitCell("#queues", "mail", "Dead letters", "0");
        await().atMost(HttpNode.SOON).until(() -> FORWARDED.contains("kept"));
        browser.awaitText("#events", "replay dead-letters by somebody at this machine");
    }

    @Test
    void namesAndKeysThatAreScriptsStayText() {
        open(1);
        browser.awaitCell("#queues", TAG, "Backlog", "0");
        Outbox<String> mail = node(1).outboxes().outbox("mail", String.class);
        mail.prepare("x", SendOptions.defaults().producerKey(TAG))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        browser.awaitCell("#queues", "mail", "Undecided", "1");

        browser.button("section[@id='queues']", "mail");
        browser.awaitText("dialog ul.entries", "key " + TAG);
        assertThat(browser.is("[...document.scripts].every((each) => each.src.endsWith('/console.js'))"))
                .isTrue();
        browser.click(By.cssSelector("dialog ul.entries input"));
        browser.button("dialog", "Withdraw those chosen");
        browser.button("dialog", "Yes: withdraw 1 entry");
        browser.awaitText("dialog [role=status]", "Done: ");
        browser.awaitCell("#queues", "mail", "Undecided", "0");
    }

    @Test
    void aPayloadAndItsHeadersAreShownAsText() {
        open(1);
        POISON.set(true);
        SendOptions headers = SendOptions.defaults().headers(Map.of("kind", TAG));
        node(1).outboxes()
                .outbox("mail", String.class)
                .send(TAG, headers)
                .toCompletableFuture()
                .join();
        browser.awaitCell("#queues", "mail", "Dead letters", "1");

        browser.button("section[@id='queues']", "mail");
        browser.button("dialog", "Payload");
        browser.awaitText("dialog pre", TAG);
        assertThat(browser.text("dialog .payload dl")).contains("Header kind" + TAG, "Bytes" + TAG.length());
        browser.button("dialog", "As numbers");
        browser.awaitText("dialog pre", "00000  3c 73 63 72 69 70 74 3e");
        assertThat(browser.is("document.scripts.length === 1")).isTrue();
        assertThat(browser.rulesBroken()).isEmpty();
        browser.screenshot("payload");
    }

    @Test
    void aNodeIsDrainedAndTheDrainEnds() {
        open(1);

        browser.button("section[@id='nodes']", "n3");
        browser.button("dialog", "Drain");
        browser.button("dialog", "Yes: drain");
        browser.awaitText("dialog [role=status]", "Done");
        browser.button("dialog", "Close");
        browser.awaitCell("#nodes", "n3", "Drained", "yes");
        browser.screenshot("drained");

        browser.button("section[@id='nodes']", "n3");
        browser.button("dialog", "End the drain");
        browser.button("dialog", "Yes: end the drain");
        browser.awaitText("dialog [role=status]", "Done");
        browser.awaitCell("#nodes", "n3", "Drained", "no");
    }

    @Test
    void theKeyboardIsEnough() {
        open(1);

        press("To the content");
        press("Cluster");
        press("Events");
        press("Orders for this node…");
        press("mail");
        browser.press(Keys.ENTER);
        await().atMost(HttpNode.SOON).until(() -> browser.is("document.querySelector('dialog').open"));
        press("Pause…");
        browser.press(Keys.ENTER);
        assertThat(browser.focused()).isEqualTo("No");
        browser.press(Keys.ESCAPE);
        await().atMost(HttpNode.SOON).until(() -> !browser.is("document.querySelector('dialog').open"));
        assertThat(browser.focused()).as("where it was before").isEqualTo("mail");
    }

    /** Goes on with the tabulator until the element with this text has the focus, and can be seen to have it. */
    private static void press(String text) {
        for (int presses = 0; presses < 40; presses++) {
            browser.press(Keys.TAB);
            if (browser.focused().equals(text)) {
                assertThat(browser.is("getComputedStyle(document.activeElement).outlineStyle !== 'none'"))
                        .as("an outline around %s", text)
                        .isTrue();
                return;
            }
        }
        throw new AssertionError("not in reach of the tabulator: " + text + "; at " + browser.focused());
    }

    @Test
    void aTelephoneShowsItWithoutScrollingSideways() {
        browser.size(360, 740);
        open(1);
        assertFits();
        browser.screenshot("telephone");
        browser.button("section[@id='queues']", "mail");
        browser.awaitText("dialog", "Pause");
        assertFits();
        browser.screenshot("telephone-dialog");
    }

    private static void assertFits() {
        assertThat(browser.is("document.documentElement.scrollWidth <= 360"))
                .as("%s", browser.string("return document.documentElement.scrollWidth"))
                .isTrue();
        assertThat(browser.is(
                        "[...document.querySelectorAll('dialog[open]')].every((each) => each.scrollWidth <= 360)"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void keepsTheRulesOfAccessibility(String scheme) {
        browser.scheme(scheme);
        open(1);
        sendOneThatDies();
        assertThat(browser.rulesBroken()).isEmpty();
        browser.screenshot("page-" + scheme);

        browser.button("section[@id='queues']", "mail");
        browser.awaitText("dialog ul.entries", "DeadLetterException");
        assertThat(browser.rulesBroken()).isEmpty();
        browser.button("dialog", "Discard 1 dead letter");
        browser.button("dialog", "Yes: discard 1 dead letter");
        browser.awaitText("dialog [role=status]", "deleted 1");
        browser.screenshot("dialog-" + scheme);
    }

    @Test
    void thePageGoesOnByItselfWhenItsNodeIsBack() {
        String port;
        try (HttpNode first = node("r1", "site-1", 3001, "60s")) {
            port = first.context.getEnvironment().getRequiredProperty("local.server.port");
            browser.open(url(first));
            browser.awaitText("#connection", "Live");
            browser.run("window.sameAsBefore = true");
        }
        browser.awaitText("#connection", "No answer from the node");
        assertThat(browser.text("#title")).as("what was last known").isEqualTo("r1 in site-1");
        try (HttpNode again = node("r1", "site-1", 3001, "60s", "server.port=" + port)) {
            browser.awaitText("#connection", "Live");
            assertThat(browser.is("window.sameAsBefore"))
                    .as("it was not loaded anew")
                    .isTrue();
            assertThat(again.context.isRunning()).isTrue();
            browser.open("about:blank");
        }
    }

    @Test
    void theFilterShowsOnlyQueuesWithSuchNames() {
        open(1);
        browser.click(By.id("filter"));
        browser.press("mai");
        await().atMost(HttpNode.SOON)
                .until(() ->
                        browser.is("[...document.querySelectorAll('#queues tbody tr')].filter((row) => !row.hidden)"
                                + ".map((row) => row.cells[0].textContent).join() === 'mail'"));
    }
}
