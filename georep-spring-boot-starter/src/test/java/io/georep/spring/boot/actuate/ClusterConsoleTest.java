package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.reports.Reports;
import io.georep.spring.OutboxListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console of one node shows all of them. */
@Timeout(300)
class ClusterConsoleTest {
    private static final String ENABLED = "georep.console.enabled=true";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<HttpNode> nodes = new ArrayList<>();

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }

    @AfterEach
    void stop() {
        nodes.forEach(HttpNode::close);
    }

    private HttpNode start(String name, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "georep.node-id=" + name, "georep.site=site-" + name, "georep.host=127.0.0.1", "georep.port=0"));
        properties.addAll(List.of(more));
        if (!nodes.isEmpty()) {
            properties.add("georep.seeds=" + nodes.get(0).node().identity().address());
        }
        HttpNode node = new HttpNode(List.of(Receiver.class), properties.toArray(String[]::new));
        nodes.add(node);
        return node;
    }

    private static JsonNode items(HttpNode of) {
        String port = of.context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/georep/state"))
                .timeout(HttpNode.SOON)
                .build();
        try {
            return JSON.readTree(CLIENT.send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .path("items");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode awaitItem(HttpNode at, String key, String pointer, String value) {
        await().atMost(HttpNode.SOON)
                .until(() -> items(at).path(key).at(pointer).asString("").equals(value));
        return items(at).path(key);
    }

    @Test
    void showsWhatEachNodeTellsAndHowItSeesTheOthers() {
        HttpNode one = start("n1", ENABLED);
        HttpNode two = start("n2", ENABLED);
        start("n3");

        awaitItem(one, "member/n2", "/told/state", "RUNNING");
        JsonNode member = awaitItem(one, "member/n2", "/told/site", "site-n2");
        assertThat(member.at("/told/totals/backlog").asLong(-1)).isZero();
        assertThat(member.at("/told/store").asString()).isNotEmpty();
        assertThat(member.at("/heard").asDouble()).isPositive();
        awaitItem(one, "sight/n2", "/sights/n1/state", "ACTIVE");
        awaitItem(one, "sight/n2", "/sights/n3/state", "ACTIVE");
        awaitItem(one, "sight/n1", "/sights/n2/state", "ACTIVE");
        awaitItem(two, "member/n1", "/told/site", "site-n1");

        JsonNode silent = items(one).path("member/n3");
        assertThat(silent.path("answers").asBoolean(true))
                .as("n3 has no console")
                .isFalse();
        assertThat(silent.path("told").isNull()).isTrue();
        assertThat(items(one).has("sight/n3")).isFalse();

        nodes.remove(two);
        two.context.getBean(io.georep.GeoRepNode.class).halt();
        two.close();
        awaitItem(one, "sight/n1", "/sights/n2/linked", "false");
        assertThat(items(one).path("member/n2").at("/told/site").asString())
                .as("what was last known of it")
                .isEqualTo("site-n2");
    }

    /** How much is to be adopted, how much was, how much of that is over, and why it may be a repetition. */
    @Test
    void anAdoptionIsShownAsItRuns() {
        String[] fast = {
            ENABLED,
            "georep.protocol.heartbeat=200ms",
            "georep.protocol.suspect-after=2s",
            "georep.protocol.put-timeout=1900ms",
            "georep.protocol.terminate-after=2s"
        };
        HttpNode one = start("n1", fast);
        HttpNode two = start("n2", fast);
        awaitItem(one, "peer/n2", "/selectable", "true");
        awaitItem(two, "peer/n1", "/selectable", "true");
        Outbox<String> mail = one.outboxes().outbox("mail", String.class);
        Outbox<String> lost = two.outboxes().outbox("mail", String.class);
        mail.pause();
        lost.pause();
        for (int i = 0; i < 5; i++) {
            lost.sendAndWait("mail " + i, HttpNode.SOON);
        }
        awaitItem(one, "peer/n2", "/copies", "5");

        nodes.remove(two);
        two.node().halt();
        two.close();

        JsonNode begun = awaitItem(one, "takeover/mail/n2/n1", "/left", "5");
        assertThat(begun.path("entries").asLong()).isEqualTo(5);
        assertThat(begun.path("began").asDouble()).isPositive();
        assertThat(begun.path("over").isNull()).isTrue();
        awaitItem(one, "member/n1", "/told/takeovers/0/left", "5");
        assertThat(one.get("georep").body().at("/takeovers/0/from").asString()).isEqualTo("n2");
        assertThat(one.get("georep/takeovers").body().at("/0/left").asLong()).isEqualTo(5);

        mail.resume();
        JsonNode over = awaitItem(one, "takeover/mail/n2/n1", "/left", "0");
        assertThat(over.path("over").asDouble())
                .isGreaterThanOrEqualTo(over.path("began").asDouble());
        assertThat(items(one).path("member/n1").at("/told/takeovers").size()).isZero();
        assertThat(one.get("georep/outboxes/mail")
                        .body()
                        .at("/statistics/possiblySent/ADOPTED")
                        .asLong())
                .isEqualTo(5);
    }

    @Test
    void whatAnotherNodeTellsIsDataWhateverItIs() {
        HttpNode one = start("n1", ENABLED);
        HttpNode two = start("n2", ENABLED);
        Reports reports = two.node().service(Reports.class);

        tell(reports, "{\"site\":\"<script>alert(1)</script>\",\"unheardOf\":{},\"peers\":null}");
        JsonNode odd = awaitItem(one, "member/n2", "/told/site", "<script>alert(1)</script>");
        assertThat(odd.path("readable").asBoolean()).isTrue();

        tell(reports, "no JSON at all");
        awaitItem(one, "member/n2", "/readable", "false");
        tell(reports, "[[[[[[");
        awaitItem(one, "member/n2", "/told", "");
        tell(reports, "{\"site\":\"again\"}");
        awaitItem(one, "member/n2", "/told/site", "again");
    }

    private static void tell(Reports reports, String text) {
        reports.answerWith(() -> CompletableFuture.completedFuture(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aNodeWithoutWebServerTellsToo() {
        HttpNode one = start("n1", ENABLED);
        try (var two = new org.springframework.boot.builder.SpringApplicationBuilder(HttpNode.Application.class)
                .web(org.springframework.boot.WebApplicationType.NONE)
                .properties(
                        ENABLED,
                        "georep.node-id=n2",
                        "georep.site=cellar",
                        "georep.durability=memory",
                        "georep.close-timeout=1s",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "spring.main.banner-mode=off",
                        "georep.seeds=" + one.node().identity().address())
                .run()) {
            assertThat(two.isRunning()).isTrue();
            awaitItem(one, "member/n2", "/told/site", "cellar");
        }
    }
}
