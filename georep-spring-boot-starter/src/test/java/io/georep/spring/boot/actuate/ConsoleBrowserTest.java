package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.outbox.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** What a person sees in the browser, and how: with eyes, keyboard and telephone. */
class ConsoleBrowserTest extends ConsoleInBrowser {
    private static final List<String> SITES = List.of("ams", "nyc", "sgp");

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
            browser.awaitCell("#takeovers", "mail", "From", "sgp-1");
            browser.awaitCell("#takeovers", "mail", "Progress", "done");
            browser.awaitText("#queues", "adopted ");
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
