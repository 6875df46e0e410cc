package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.spring.boot.CapturedChanges;
import io.georep.spring.boot.actuate.HttpNode.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The endpoint {@code georep} of one node over HTTP, with writes allowed. */
class EndpointHttpTest {
    private static HttpNode node;
    private static Receiver receiver;

    @BeforeAll
    static void start() {
        node = new HttpNode(
                List.of(Receiver.class), "georep.node-id=n1", "management.endpoint.georep.access=unrestricted");
        receiver = node.context.getBean(Receiver.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    static class Receiver {
        final Set<String> poisoned = ConcurrentHashMap.newKeySet();
        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

        @OutboxListener(queue = "letters-1", id = "first")
        void first(String payload) {
            receive(payload);
        }

        @OutboxListener(queue = "letters-2", id = "second")
        void second(String payload) {
            receive(payload);
        }

        @OutboxListener("held")
        void held(String payload) {
            receive(payload);
        }

        @OutboxListener("logged")
        void logged(String payload) {
            receive(payload);
        }

        @OutboxListener("pausing")
        void pausing(String payload) {
            receive(payload);
        }

        private void receive(String payload) {
            if (poisoned.contains(payload)) {
                throw new DeadLetterException("poisoned");
            }
            seen.add(payload);
        }

        String next() throws InterruptedException {
            return seen.poll(HttpNode.SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static Outbox<String> outbox(String name) {
        return node.outboxes().outbox(name, String.class);
    }

    /** Sends entries the listener refuses and waits until all are dead letters; returns their ids in order. */
    private static List<EntryId> deadLetters(String queue, String... payloads) {
        Outbox<String> outbox = outbox(queue);
        List<EntryId> ids = new ArrayList<>();
        for (String payload : payloads) {
            receiver.poisoned.add(payload);
            ids.add(outbox.sendAndWait(payload, HttpNode.SOON));
        }
        Awaitility.await()
                .atMost(HttpNode.SOON)
                .until(() -> node.get("georep/dead-letters/" + queue)
                                .body()
                                .path("letters")
                                .size()
                        == payloads.length);
        return ids;
    }

    private static List<EntryId> prepare(String queue, String... payloads) throws Exception {
        List<EntryId> ids = new ArrayList<>();
        for (String payload : payloads) {
            ids.add(outbox(queue)
                    .prepare(payload, SendOptions.defaults())
                    .toCompletableFuture()
                    .get(HttpNode.SOON.toSeconds(), TimeUnit.SECONDS));
        }
        return ids;
    }

    private static List<String> ids(JsonNode entries) {
        return entries.valueStream().map(entry -> entry.get("id").asString()).toList();
    }

    @Test
    void showsNodeQueuesAndPeers() {
        Answer all = node.get("georep");

        assertThat(all.status()).isEqualTo(200);
        assertThat(all.body().at("/node/id").asString()).isEqualTo("n1");
        assertThat(all.body().at("/node/state").asString()).isEqualTo("RUNNING");
        assertThat(all.body().at("/outboxes/pausing/listener/running").asBoolean())
                .isTrue();
        assertThat(node.get("georep/peers").body().isArray()).isTrue();
        assertThat(node.get("georep/outboxes/pausing").body().get("f").asInt()).isZero();
        assertThat(node.get("georep/adoptions").body().size()).isZero();
    }

    @Test
    void pausesAndResumesAQueue() throws Exception {
        assertThat(node.post("georep/outboxes/pausing", "{\"action\": \"pause\"}")
                        .status())
                .isEqualTo(200);
        outbox("pausing").sendAndWait("waits", HttpNode.SOON);

        JsonNode paused = node.get("georep/outboxes/pausing").body();
        assertThat(paused.at("/listener/paused").asBoolean()).isTrue();
        assertThat(paused.get("backlog").asInt()).isEqualTo(1);
        assertThat(receiver.seen).doesNotContain("waits");

        Answer resumed = node.post("georep/outboxes/pausing", "{\"action\": \"resume\"}");

        assertThat(resumed.body().get("done").asString()).isEqualTo("resume");
        assertThat(receiver.next()).isEqualTo("waits");
    }

    @Test
    void listsReplaysAndDeletesDeadLetters() throws Exception {
        List<EntryId> ids = deadLetters("letters-1", "a", "b", "c", "d");

        Answer first = node.get("georep/dead-letters/letters-1?max=3");
        assertThat(ids(first.body().get("letters")))
                .containsExactly(
                        ids.get(0).toString(), ids.get(1).toString(), ids.get(2).toString());
        assertThat(first.body().get("more").asBoolean()).isTrue();
        assertThat(first.body().at("/letters/0/reason").asString())
                .as("messages may quote payloads")
                .isEqualTo(DeadLetterException.class.getName());
        Answer rest = node.get("georep/dead-letters/letters-1?max=3&after=" + ids.get(2));
        assertThat(ids(rest.body().get("letters"))).containsExactly(ids.get(3).toString());
        assertThat(rest.body().get("more").asBoolean()).isFalse();

        assertThat(node.delete("georep/dead-letters/letters-1?ids=" + ids.get(0) + "," + ids.get(1))
                        .body()
                        .get("deleted")
                        .asInt())
                .isEqualTo(2);
        receiver.poisoned.clear();
        Answer replayed =
                node.post("georep/dead-letters/letters-1", "{\"action\": \"replay\", \"ids\": \"" + ids.get(3) + "\"}");

        assertThat(replayed.body().get("replayed").asInt()).isEqualTo(1);
        assertThat(receiver.next()).isEqualTo("d");
        assertThat(ids(node.get("georep/dead-letters/letters-1").body().get("letters")))
                .containsExactly(ids.get(2).toString());
    }

    @Test
    void replaysAndDeletesAllDeadLetters() throws Exception {
        deadLetters("letters-2", "e", "f");
        receiver.poisoned.clear();

        assertThat(node.post("georep/dead-letters/letters-2", "{\"action\": \"replay\", \"ids\": \"*\"}")
                        .body()
                        .get("replayed")
                        .asInt())
                .isEqualTo(2);
        assertThat(List.of(receiver.next(), receiver.next())).containsExactlyInAnyOrder("e", "f");

        deadLetters("letters-2", "g", "h", "i");
        assertThat(node.delete("georep/dead-letters/letters-2?ids=").status())
                .as("an empty list is not all")
                .isEqualTo(400);
        for (String misspelt : List.of("", "?id=*", "?Ids=n1:1:0:1")) {
            Answer answer = node.delete("georep/dead-letters/letters-2" + misspelt);
            assertThat(answer.status()).as(misspelt).isEqualTo(400);
            assertThat(answer.message()).contains("ids are missing", "*");
        }
        assertThat(node.delete("georep/dead-letters/letters-2?ids=*")
                        .body()
                        .get("deleted")
                        .asInt())
                .isEqualTo(3);
        assertThat(node.get("georep/dead-letters/letters-2")
                        .body()
                        .get("letters")
                        .size())
                .isZero();
    }

    @Test
    void decidesOnUndecidedEntries() throws Exception {
        List<EntryId> ids = prepare("held", "x", "y", "z");
        String committed = "{\"action\": \"commit\", \"ids\": \"" + ids.get(1) + "\"}";
        String withdrawn = "{\"action\": \"withdraw\", \"ids\": \"" + ids.get(0) + ", " + ids.get(2) + "\"}";

        assertThat(ids(node.get("georep/undecided/held?max=2").body()))
                .containsExactly(ids.get(0).toString(), ids.get(1).toString());
        assertThat(ids(node.get("georep/undecided/held?after=" + ids.get(1)).body()))
                .containsExactly(ids.get(2).toString());
        assertThat(node.get("georep/outboxes/held").body().get("undecided").asInt())
                .isEqualTo(3);

        assertThat(node.post("georep/undecided/held", committed)
                        .body()
                        .get("entries")
                        .asInt())
                .isEqualTo(1);
        assertThat(receiver.next()).isEqualTo("y");
        Answer again = node.post("georep/undecided/held", committed);
        assertThat(again.status()).isEqualTo(400);
        assertThat(again.message()).contains("not undecided", ids.get(1).toString(), "nothing was done");

        assertThat(node.post("georep/undecided/held", withdrawn)
                        .body()
                        .get("entries")
                        .asInt())
                .isEqualTo(2);
        assertThat(node.get("georep/undecided/held").body().size()).isZero();
        assertThat(outbox("held").statistics().forwarded()).isEqualTo(1);
    }

    /** The order is one line, what it changes another. */
    @Test
    void logsWhoOrderedWhat() {
        try (CapturedChanges changes = new CapturedChanges()) {
            node.post("georep/outboxes/logged", "{\"action\": \"pause\"}");
            node.post("georep/peers/n1", "{\"action\": \"undrain\"}");
            node.post("georep/peers/n1", "{\"action\": \"remove\"}");
            node.delete("georep/dead-letters/logged?ids=n1:1:0:1,n1:1:0:2");

            assertThat(changes.all())
                    .extracting(event -> CapturedChanges.fields(event).get("georep.event"))
                    .containsExactly("paused", "operator", "operator", "operator");
            assertThat(changes.with(Map.of(
                            "georep.event", "operator",
                            "georep.node", "n1",
                            "georep.operation", "pause",
                            "georep.queue", "logged")))
                    .hasSize(1);
            assertThat(changes.with(Map.of("georep.operation", "undrain", "georep.peer", "n1")))
                    .hasSize(1);
            assertThat(changes.with(Map.of("georep.operation", "delete", "georep.ids", "n1:1:0:1,n1:1:0:2")))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .contains("delete of dead-letters logged", "n1:1:0:2", "deleted=0"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    GET    | georep/nonsense            |                       | nonsense, peers, adoptions
                    GET    | georep/nonsense/mail       |                       | nonsense, dead-letters
                    GET    | georep/outboxes/nobody     |                       | nobody, pausing
                    GET    | georep/dead-letters/nobody |                       | nobody, pausing
                    GET    | georep/undecided/nobody    |                       | nobody, pausing
                    POST   | georep/nonsense/held       | {"action": "pause"}   | nonsense, peers
                    POST   | georep/outboxes/nobody     | {"action": "pause"}   | nobody, pausing
                    POST   | georep/dead-letters/nobody | {"action": "replay"}  | nobody, pausing
                    POST   | georep/undecided/nobody    | {"action": "commit"}  | nobody, pausing
                    DELETE | georep/dead-letters/nobody |                       | nobody, pausing
                    DELETE | georep/undecided/held      |                       | undecided, dead-letters
                    """)
    void answersNotFound(String method, String path, String body, String texts) {
        Answer answer = ask(method, path, body);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.message()).contains(texts.split(", "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    GET    | georep/dead-letters/held?max=0       |                                        | allowed are 1 to 1000
                    GET    | georep/undecided/held?max=1001       |                                        | allowed are 1 to 1000
                    GET    | georep/dead-letters/held?after=x     |                                        | is not an entry id
                    GET    | georep/undecided/held?after=a:b:c:d  |                                        | is not an entry id
                    GET    | georep/undecided/held?after=n1:1:0:-1|                                        | is not an entry id
                    POST   | georep/outboxes/held                 | {"action": "stop"}                     | pause and resume
                    POST   | georep/outboxes/held                 | {}                                     | pause and resume
                    POST   | georep/dead-letters/held             | {"action": "delete"}                   | send DELETE
                    POST   | georep/dead-letters/held             | {"action": "replay", "ids": "n1:1"}    | is not an entry id
                    POST   | georep/dead-letters/held             | {"action": "replay", "id": "n1:1:0:1"} | ids are missing
                    POST   | georep/undecided/held                | {"action": "drop", "ids": "n1:1:0:1"}  | commit and withdraw
                    POST   | georep/undecided/held                | {"action": "commit"}                   | ids are missing
                    POST   | georep/undecided/held                | {"action": "commit", "ids": ""}        | ids are empty
                    POST   | georep/undecided/held                | {"action": "commit", "ids": "n1:1:0:1"}| not undecided
                    DELETE | georep/dead-letters/held?ids=1,2     |                                        | is not an entry id
                    POST   | georep/peers/n1                      | {"action": "kill"}                     | drain, undrain, remove and join
                    POST   | georep/peers/n1                      | {"action": "join"}                     | does not belong to another cluster
                    POST   | georep/peers/n1                      | {"action": "remove"}                   | cannot remove itself
                    POST   | georep/peers/n9                      | {"action": "drain"}                    | known are n1 (this node)
                    POST   | georep/peers/n9                      | {"action": "remove"}                   | known are n1 (this node)
                    POST   | georep/peers/-n                      | {"action": "drain"}                    | starting with a letter or digit
                    """)
    void answersBadRequest(String method, String path, String body, String text) {
        Answer answer = ask(method, path, body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.message()).contains(text);
    }

    /** What Boot itself refuses: its endpoints take flat JSON. */
    @Test
    void refusesJsonThatIsNotFlat() {
        assertThat(node.post("georep/dead-letters/held", "{\"action\": \"replay\", \"ids\": [\"n1:1:0:1\"]}")
                        .status())
                .isEqualTo(400);
        assertThat(node.post("georep/outboxes/held", "pause").status()).isEqualTo(400);
        assertThat(node.get("georep/dead-letters/held?max=many").status()).isEqualTo(400);
    }

    private static Answer ask(String method, String path, String body) {
        return switch (method) {
            case "GET" -> node.get(path);
            case "POST" -> node.post(path, body);
            default -> node.delete(path);
        };
    }
}
