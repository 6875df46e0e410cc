package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.spring.boot.CapturedChanges;
import io.georep.spring.connect.RecordingSink;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be ordered from the console, and by whom. */
@Timeout(300)
class ConsoleOrdersTest {
    private static final String[] OF_THE_PAGE = {
        "Content-Type", "application/json", "X-GeoRep-Console", "order", "Sec-Fetch-Site", "same-origin"
    };
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final AtomicBoolean POISON = new AtomicBoolean(true);

    private static HttpNode node;

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {
            if (POISON.get()) {
                throw new DeadLetterException("no such address");
            }
        }
    }

    @BeforeAll
    static void start() {
        node = new HttpNode(
                List.of(Receiver.class),
                "georep.node-id=n1",
                "georep.console.enabled=true",
                "management.endpoint.georep.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static HttpResponse<String> send(HttpNode to, String body, String... headers) {
        return post(to, "orders", body, headers);
    }

    private static HttpResponse<String> post(HttpNode to, String path, String body, String... headers) {
        String port = to.context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/georep/" + path))
                .timeout(HttpNode.SOON)
                .headers(headers)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String order(String part, String name, String action) {
        return "{\"part\": \"%s\", \"name\": \"%s\", \"action\": \"%s\"}".formatted(part, name, action);
    }

    private static String deletion(String entries) {
        return "{\"part\": \"dead-letters\", \"name\": \"mail\", \"action\": \"delete\", \"entries\": %s}"
                .formatted(entries);
    }

    private static JsonNode queue() {
        return node.get("georep/outboxes/mail").body();
    }

    private static void sendOneThatDies() {
        long before = queue().get("deadLetters").asLong();
        POISON.set(true);
        node.outboxes()
                .outbox("mail", String.class)
                .send("x")
                .toCompletableFuture()
                .join();
        await().atMost(HttpNode.SOON).until(() -> queue().get("deadLetters").asLong() == before + 1);
    }

    @Test
    void deadLettersAreReplayedAndDiscarded() {
        long forwarded = queue().at("/statistics/forwarded").asLong();
        sendOneThatDies();
        POISON.set(false);
        HttpResponse<String> replayed = send(node, order("dead-letters", "mail", "replay"), OF_THE_PAGE);
        assertThat(replayed.statusCode()).isEqualTo(200);
        assertThat(replayed.body()).as("in this order").isEqualTo("{\"queue\":\"mail\",\"replayed\":1}");
        await().atMost(HttpNode.SOON)
                .until(() -> queue().at("/statistics/forwarded").asLong() == forwarded + 1
                        && queue().get("deadLetters").asLong() == 0);

        sendOneThatDies();
        sendOneThatDies();
        HttpResponse<String> unseen = send(node, deletion("1"), OF_THE_PAGE);
        assertThat(unseen.statusCode()).as(unseen.body()).isEqualTo(409);
        assertThat(queue().get("deadLetters").asLong())
                .as("one came after the operator had looked")
                .isEqualTo(2);
        HttpResponse<String> deleted = send(node, deletion("2"), OF_THE_PAGE);
        assertThat(JSON.readTree(deleted.body()).get("deleted").asLong()).isEqualTo(2);
        await().atMost(HttpNode.SOON).until(() -> queue().get("deadLetters").asLong() == 0);
    }

    private static JsonNode listed(String query) {
        String port = node.context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/georep/" + query))
                .timeout(HttpNode.SOON)
                .build();
        try {
            HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return JSON.readTree(answer.body());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String chosen(String part, String action, String id) {
        return "{\"part\": \"%s\", \"name\": \"mail\", \"action\": \"%s\", \"ids\": [\"%s\"]}"
                .formatted(part, action, id);
    }

    @Test
    void someDeadLettersAreChosenFromAList() {
        sendOneThatDies();
        sendOneThatDies();
        JsonNode letters = listed("dead-letters?queue=mail").get("letters");
        assertThat(letters.size()).isEqualTo(2);
        String first = letters.at("/0/id").asString();
        String second = letters.at("/1/id").asString();
        assertThat(letters.at("/0/reason").asString()).contains("DeadLetterException");
        assertThat(listed("dead-letters?queue=mail&after=" + first)
                        .at("/letters/0/id")
                        .asString())
                .isEqualTo(second);

        HttpResponse<String> deleted = send(node, chosen("dead-letters", "delete", first), OF_THE_PAGE);
        assertThat(JSON.readTree(deleted.body()).get("deleted").asLong()).isEqualTo(1);
        await().atMost(HttpNode.SOON).until(() -> queue().get("deadLetters").asLong() == 1);
        assertThat(listed("dead-letters?queue=mail").at("/letters/0/id").asString())
                .isEqualTo(second);

        POISON.set(false);
        HttpResponse<String> replayed = send(node, chosen("dead-letters", "replay", second), OF_THE_PAGE);
        assertThat(JSON.readTree(replayed.body()).get("replayed").asLong()).isEqualTo(1);
        await().atMost(HttpNode.SOON).until(() -> queue().get("deadLetters").asLong() == 0);
        assertThat(send(node, chosen("dead-letters", "delete", "no id"), OF_THE_PAGE)
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void undecidedEntriesAreDecidedOneByOne() {
        POISON.set(false);
        Outbox<String> outbox = node.outboxes().outbox("mail", String.class);
        outbox.prepare("kept", SendOptions.defaults()).toCompletableFuture().join();
        outbox.prepare("withdrawn", SendOptions.defaults())
                .toCompletableFuture()
                .join();
        await().atMost(HttpNode.SOON).until(() -> listed("undecided?queue=mail").size() == 2);
        JsonNode undecided = listed("undecided?queue=mail");
        long forwarded = queue().at("/statistics/forwarded").asLong();

        String all = order("undecided", "mail", "commit");
        assertThat(send(node, all, OF_THE_PAGE).statusCode())
                .as("never all at once")
                .isEqualTo(400);
        String first = undecided.at("/0/id").asString();
        String second = undecided.at("/1/id").asString();
        assertThat(send(node, chosen("undecided", "commit", first), OF_THE_PAGE).statusCode())
                .isEqualTo(200);
        assertThat(send(node, chosen("undecided", "withdraw", second), OF_THE_PAGE)
                        .statusCode())
                .isEqualTo(200);
        await().atMost(HttpNode.SOON)
                .until(() -> queue().at("/statistics/forwarded").asLong() == forwarded + 1
                        && listed("undecided?queue=mail").isEmpty());
    }

    @Test
    void aPayloadIsShownToWhoMayOrderAndTheLogSaysToWhom() {
        POISON.set(true);
        String text = "<script>" + "ä".repeat(64 * 1024);
        SendOptions options =
                SendOptions.defaults().headers(Map.of("kind", "<b>")).producerKey("order 7");
        String id = node.outboxes()
                .outbox("mail", String.class)
                .send(text, options)
                .toCompletableFuture()
                .join()
                .toString();
        await().atMost(HttpNode.SOON)
                .until(
                        () -> listed("dead-letters?queue=mail")
                                .at("/letters/0/id")
                                .asString(""),
                        id::equals);
        String wanted = "{\"name\": \"mail\", \"ids\": [\"%s\"]}".formatted(id);

        try (CapturedChanges log = new CapturedChanges()) {
            HttpResponse<String> answer = post(node, "payload", wanted, OF_THE_PAGE);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            JsonNode shown = JSON.readTree(answer.body());
            int size = text.getBytes(StandardCharsets.UTF_8).length;
            assertThat(shown.get("size").asInt()).isEqualTo(size);
            assertThat(shown.get("shown").binaryValue())
                    .isEqualTo(Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), 64 * 1024));
            assertThat(shown.at("/headers/kind").asString()).isEqualTo("<b>");
            assertThat(shown.get("producerKey").asString()).isEqualTo("order 7");
            assertThat(log.all())
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains("somebody at this machine ordered show of payload mail [" + id + "]"));
            assertThat(log.all())
                    .noneSatisfy(line -> assertThat(line.getFormattedMessage()).contains("<script>"));
        }
        assertThat(post(node, "payload", wanted, "Content-Type", "application/json")
                        .statusCode())
                .as("without the header of the page")
                .isEqualTo(403);
        send(node, chosen("dead-letters", "delete", id), OF_THE_PAGE);
        await().atMost(HttpNode.SOON)
                .until(() -> post(node, "payload", wanted, OF_THE_PAGE).statusCode() == 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"name\": \"mail\"}",
                "{\"name\": \"mail\", \"ids\": []}",
                "{\"name\": \"mail\", \"ids\": [null]}",
                "{\"name\": \"mail\", \"ids\": [\"*\"]}",
                "{\"name\": \"mail\", \"ids\": [\"a:1:0:0\", \"a:1:0:1\"]}"
            })
    void onePayloadIsShownAtATime(String body) {
        assertThat(post(node, "payload", body, OF_THE_PAGE).statusCode()).isEqualTo(400);
    }

    @Test
    void aQueueIsPausedAndResumedAndTheLogSaysByWhom() {
        try (CapturedChanges log = new CapturedChanges()) {
            assertThat(send(node, order("outboxes", "mail", "pause"), OF_THE_PAGE)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(queue().at("/listener/paused").asBoolean()).isTrue();
            assertThat(send(node, order("outboxes", "mail", "resume"), OF_THE_PAGE)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(queue().at("/listener/paused").asBoolean()).isFalse();

            assertThat(log.all())
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains("somebody at this machine ordered pause of outboxes mail"));
        }
    }

    private static HttpNode another(String name, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "georep.node-id=" + name,
                "georep.host=127.0.0.1",
                "georep.port=0",
                "georep.console.enabled=true",
                "management.endpoint.georep.access=unrestricted"));
        properties.addAll(List.of(more));
        return new HttpNode(List.of(), properties.toArray(String[]::new));
    }

    @Test
    void aNodeThatIsGoneIsRemovedForGoodAndTheLogSaysByWhom() {
        try (HttpNode one = another("r1");
                CapturedChanges log = new CapturedChanges()) {
            try (HttpNode two =
                    another("r2", "georep.seeds=" + one.node().identity().address())) {
                await().atMost(HttpNode.SOON)
                        .until(() -> one.get("georep/peers").body().size() == 1
                                && two.get("georep/peers").body().size() == 1);
            }

            HttpResponse<String> removed = send(one, order("peers", "r2", "remove"), OF_THE_PAGE);

            assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
            await().atMost(HttpNode.SOON)
                    .until(() -> one.get("georep/peers").body().isEmpty());
            assertThat(log.all())
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains("somebody at this machine ordered remove of peers r2"));
        }
    }

    @Test
    void aConnectorIsStoppedUntilItIsResumedAndTheLogSaysByWhom() {
        try (HttpNode one = another(
                        "s1",
                        "georep.outboxes.sms.f=0",
                        "georep.connectors.ordered.connector.class=" + RecordingSink.class.getName(),
                        "georep.connectors.ordered.topics=sms",
                        "georep.connectors.ordered.value.converter=org.apache.kafka.connect.storage.StringConverter");
                CapturedChanges log = new CapturedChanges()) {
            awaitConnector(one, "RUNNING");
            assertThat(send(one, order("connectors", "ordered", "stop"), OF_THE_PAGE)
                            .statusCode())
                    .isEqualTo(200);
            awaitConnector(one, "STOPPED");
            assertThat(log.all())
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains("somebody at this machine ordered stop of connectors ordered"));

            send(one, order("connectors", "ordered", "resume"), OF_THE_PAGE);
            awaitConnector(one, "RUNNING");
        }
    }

    private static void awaitConnector(HttpNode of, String state) {
        await().atMost(HttpNode.SOON)
                .until(
                        () -> of.get("georep/connectors/ordered")
                                .body()
                                .path("state")
                                .asString(""),
                        state::equals);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"part\": \"outboxes\"}", "{\"part\": {}, \"name\": 1, \"action\": 2}"})
    void whatIsNoOrderIsRefused(String body) {
        assertThat(send(node, body, OF_THE_PAGE).statusCode()).isEqualTo(400);
    }

    /** What the endpoint can do besides is not for a page. */
    @ParameterizedTest
    @CsvSource({
        "peers, n1, remove, 400",
        "peers, n2, remove, 400",
        "peers, n2, join, 400",
        "connectors, nothing, stop, 404",
        "maps, view, restore, 400",
        "dead-letters, mail, delete, 400",
        "outboxes, nothing, pause, 404",
        "peers, n2, drain, 400"
    })
    void whatThePageDoesNotOfferIsRefused(String part, String name, String action, int status) {
        assertThat(send(node, order(part, name, action), OF_THE_PAGE).statusCode())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, order, same-origin, , 415",
        "application/x-www-form-urlencoded, order, same-origin, , 415",
        "application/json, , same-origin, , 403",
        "application/json, order, cross-site, , 403",
        "application/json, order, same-site, , 403",
        "application/json, order, , https://evil.example, 403",
        "application/json, order, , null, 403"
    })
    void aPageOfAnotherSiteOrdersNothing(String type, String header, String site, String origin, int status) {
        List<String> headers = new ArrayList<>(List.of("Content-Type", type));
        if (header != null) {
            headers.addAll(List.of("X-GeoRep-Console", header));
        }
        if (site != null) {
            headers.addAll(List.of("Sec-Fetch-Site", site));
        }
        if (origin != null) {
            headers.addAll(List.of("Origin", origin));
        }
        String pause = order("outboxes", "mail", "pause");

        assertThat(send(node, pause, headers.toArray(String[]::new)).statusCode())
                .isEqualTo(status);
        assertThat(queue().at("/listener/paused").asBoolean()).isFalse();
    }

    @Test
    void itOnlyShowsUnlessMoreIsAllowed() {
        try (HttpNode two = new HttpNode(List.of(Receiver.class), "georep.node-id=n2", "georep.console.enabled=true")) {
            HttpResponse<String> refused = send(two, order("outboxes", "mail", "pause"), OF_THE_PAGE);

            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("management.endpoint.georep.access=unrestricted");
            for (String order : List.of(order("peers", "n3", "remove"), order("connectors", "all", "stop"))) {
                assertThat(send(two, order, OF_THE_PAGE).statusCode()).as(order).isEqualTo(403);
            }
            String payload = "{\"name\": \"mail\", \"ids\": [\"n2:1:0:0\"]}";
            assertThat(post(two, "payload", payload, OF_THE_PAGE).statusCode()).isEqualTo(403);
            assertThat(two.get("georep/outboxes/mail")
                            .body()
                            .at("/listener/paused")
                            .asBoolean())
                    .isFalse();
        }
    }
}
