package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.boot.actuate.HttpNode.Answer;
import io.georep.spring.connect.RecordingSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Connectors at the endpoint {@code georep} of a node, over HTTP. */
@Timeout(120)
class ConnectorEndpointTest {
    private static final String CONNECTOR = "georep/connectors/operated";
    private static HttpNode node;

    private static HttpNode node(String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "georep.node-id=n1",
                "georep.outboxes.sms.f=0",
                "georep.connectors.operated.connector.class=" + RecordingSink.class.getName(),
                "georep.connectors.operated.topics=sms",
                "georep.connectors.operated.tasks.max=2",
                "georep.connectors.operated.value.converter=org.apache.kafka.connect.storage.StringConverter"));
        properties.addAll(Arrays.asList(more));
        return new HttpNode(List.of(), properties.toArray(String[]::new));
    }

    @BeforeAll
    static void start() {
        RecordingSink.diary("operated");
        node = node(
                "management.endpoint.georep.access=unrestricted",
                "management.endpoint.health.show-details=always",
                "georep.connectors.operated.georep.restart.delay.min.ms=100",
                "georep.connectors.operated.georep.restart.delay.max.ms=500");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static List<String> names(JsonNode object) {
        return object.propertyStream().map(java.util.Map.Entry::getKey).toList();
    }

    private static void awaitState(String state) {
        await().atMost(HttpNode.SOON)
                .until(() -> node.get(CONNECTOR).body().path("state").asString().equals(state));
    }

    private static void order(String action) {
        Answer done = node.post(CONNECTOR, "{\"action\": \"" + action + "\"}");
        assertThat(done.status()).as(action).isEqualTo(200);
        assertThat(done.body().path("connector").asString()).isEqualTo("operated");
        assertThat(done.body().path("action").asString()).isEqualTo(action);
    }

    /** Of all tasks. */
    private static long starts(RecordingSink.Diary diary) {
        return diary.events.stream().filter("start"::equals).count();
    }

    /** Programs of users read these names. */
    @Test
    void showsConnectorsAndTheirTasks() {
        awaitState("RUNNING");
        await().atMost(HttpNode.SOON)
                .until(() -> node.get(CONNECTOR).body().path("tasks").size() == 2);

        Answer all = node.get("georep/connectors");
        assertThat(all.status()).isEqualTo(200);
        assertThat(all.body().isArray()).isTrue();
        assertThat(all.body()).hasSize(1);
        JsonNode connector = all.body().get(0);
        assertThat(names(connector))
                .containsExactly("name", "type", "connectorClass", "state", "problem", "tasks", "queues", "failures");
        assertThat(connector.path("problem").isNull()).isTrue();
        assertThat(connector.path("name").asString()).isEqualTo("operated");
        assertThat(connector.path("type").asString()).isEqualTo("sink");
        assertThat(connector.at("/queues/0").asString()).isEqualTo("sms");
        assertThat(connector.path("connectorClass").asString()).isEqualTo(RecordingSink.class.getName());
        assertThat(names(connector.at("/tasks/1"))).containsExactly("id", "state", "problem", "pending");
        assertThat(connector.at("/tasks/1/id").asInt()).isEqualTo(1);
        assertThat(node.get(CONNECTOR).body()).isEqualTo(connector);
    }

    @Test
    void doesWhatAnOperatorOrders() {
        RecordingSink.Diary diary = RecordingSink.diary("operated");
        order("pause");
        awaitState("PAUSED");
        order("resume");
        awaitState("RUNNING");
        long before = starts(diary);
        order("restart");
        await().atMost(HttpNode.SOON).until(() -> starts(diary) > before);
        order("stop");
        awaitState("STOPPED");
        assertThat(node.get(CONNECTOR).body().path("tasks")).isEmpty();
        order("resume");
        awaitState("RUNNING");
    }

    @Test
    void showsWhatIsTheMatterWithoutTheMessageOfTheError() {
        RecordingSink.Diary diary = RecordingSink.diary("operated");
        awaitState("RUNNING");
        try {
            diary.refuses = true;
            order("restart");
            awaitState("FAILED");

            assertThat(node.get(CONNECTOR).body().path("problem").asString())
                    .contains("ConnectException", "the connector is started again")
                    .doesNotContain("does not answer");
            Answer health = node.get("health/georepConnectors");
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.body().at("/details/operated/state").asString()).isEqualTo("FAILED");
        } finally {
            diary.refuses = false;
        }
        awaitState("RUNNING");
        assertThat(node.get("health/georepConnectors").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"explode, 400, 'pause, resume, restart or stop'", ", 400, 'pause, resume, restart or stop'"})
    void refusesWhatItDoesNotKnow(String action, int status, String message) {
        Answer answer = node.post(CONNECTOR, action == null ? "{}" : "{\"action\": \"" + action + "\"}");

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.message()).contains(message);
    }

    @Test
    void saysWhichConnectorsThereAre() {
        for (Answer answer : List.of(
                node.get("georep/connectors/other"), node.post("georep/connectors/other", "{\"action\": \"pause\"}"))) {
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.message()).contains("'other'", "[operated]");
        }
        assertThat(node.delete(CONNECTOR).status()).isEqualTo(404);
    }

    /** {@code management.endpoint.georep.access} decides here as for the rest of the endpoint. */
    @Test
    void isReadOnlyByDefault() {
        try (HttpNode careful = node()) {
            assertThat(careful.get("georep/connectors").body()).hasSize(1);
            assertThat(careful.get(CONNECTOR).status()).isEqualTo(200);
            for (String action : List.of("pause", "resume", "restart", "stop")) {
                assertThat(careful.post(CONNECTOR, "{\"action\": \"" + action + "\"}")
                                .status())
                        .as(action)
                        .isEqualTo(405);
            }
            await().atMost(HttpNode.SOON)
                    .until(() -> careful.get(CONNECTOR)
                            .body()
                            .path("state")
                            .asString()
                            .equals("RUNNING"));
        }
    }

    @Test
    void thereMayBeNone() {
        try (HttpNode without =
                new HttpNode(List.of(), "georep.node-id=n1", "management.endpoint.georep.access=unrestricted")) {
            assertThat(without.get("georep/connectors").body().isArray()).isTrue();
            assertThat(without.get("georep/connectors").body()).isEmpty();
            assertThat(without.get(CONNECTOR).status()).isEqualTo(404);
            assertThat(without.post(CONNECTOR, "{\"action\": \"pause\"}").status())
                    .isEqualTo(404);
        }
    }
}
