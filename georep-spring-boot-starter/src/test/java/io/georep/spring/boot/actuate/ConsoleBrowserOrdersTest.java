package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.connect.RecordingSink;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** What a person orders in the browser, each after a question. */
class ConsoleBrowserOrdersTest extends ConsoleInBrowser {
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
    void aNodeThatIsGoneIsRemovedForGoodAfterAQuestion() {
        try (HttpNode stays = node("g1", "site-1", 4001, "60s", "georep.f=0")) {
            try (HttpNode goes = node("g2", "site-2", 4002, "60s", "georep.f=0", "georep.seeds=local:4001")) {
                open(stays, "g1", "g2");
                goes.outboxes().outbox("mail", String.class).pause();
                goes.outboxes().outbox("mail", String.class).sendAndWait("stays there", HttpNode.SOON);
                browser.awaitCell("#cluster", "g2", "Backlog", "1");
                goes.node().halt();
            }
            browser.awaitCell("#nodes", "g2", "Link", "none");

            browser.button("section[@id='nodes']", "g2");
            browser.button("dialog", "Remove for good");
            browser.awaitText("dialog .actions", "It is not in touch now. As it told last: 1 entry waiting there");
            assertThat(browser.focused()).as("the careful answer").isEqualTo("No");
            browser.button("dialog", "Yes: remove for good");
            browser.awaitText("dialog [role=status]", "done remove");

            browser.awaitText("#events", "remove peers by somebody at this machine");
            browser.awaitCell("#nodes", "g2", "State", "");
            browser.open("about:blank");
        }
    }

    @Test
    void aConnectorIsStoppedAfterAQuestion() {
        RecordingSink.diary("archive");
        try (HttpNode node = node(
                "c1",
                "site-1",
                5001,
                "60s",
                "georep.f=0",
                "georep.connectors.archive.connector.class=" + RecordingSink.class.getName(),
                "georep.connectors.archive.topics=sms",
                "georep.connectors.archive.value.converter=org.apache.kafka.connect.storage.StringConverter")) {
            browser.open(url(node));
            browser.awaitCell("#connectors", "archive", "State", "running");

            browser.button("section[@id='connectors']", "archive");
            browser.button("dialog", "Stop");
            browser.awaitText("dialog .actions", "until it is resumed. Meanwhile 0 entries of this node");
            browser.button("dialog", "Yes: stop");
            browser.awaitText("dialog [role=status]", "action stop");

            browser.awaitCell("#connectors", "archive", "State", "stopped");
            browser.awaitText("#events", "stop connectors by somebody at this machine");
            browser.open("about:blank");
        }
    }
}
