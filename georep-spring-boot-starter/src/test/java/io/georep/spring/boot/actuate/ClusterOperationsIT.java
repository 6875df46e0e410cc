package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.OutboxListener;
import io.georep.spring.boot.actuate.HttpNode.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Orders of an operator that concern other nodes: three applications over TCP on the loopback interface. */
class ClusterOperationsIT {
    private final List<HttpNode> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        StringBuilder seeds = new StringBuilder();
        for (int number = 1; number <= 3; number++) {
            HttpNode node = new HttpNode(
                    List.of(Receiver.class),
                    "georep.node-id=n" + number,
                    "georep.site=site-" + number,
                    "georep.host=127.0.0.1",
                    "georep.port=0",
                    "georep.f=1",
                    "georep.seeds=" + seeds,
                    "georep.protocol.heartbeat=100ms",
                    "management.endpoint.georep.access=unrestricted");
            nodes.add(node);
            seeds.append(seeds.isEmpty() ? "" : ",")
                    .append(node.node().identity().address());
        }
        nodes.forEach(node -> await(() -> node.node().ready(2)));
    }

    @AfterEach
    void stop() {
        nodes.forEach(HttpNode::close);
    }

    /** Keeps everything in its hands. */
    static class Receiver {
        final BlockingQueue<EntryId> seen = new LinkedBlockingQueue<>();

        @OutboxListener(value = "sms", ackMode = AckMode.MANUAL)
        void forward(Delivery<String> delivery, Acknowledgement acknowledgement) {
            seen.add(delivery.id());
        }
    }

    @Test
    void drainsANodeThroughAnother() {
        // What a handler has in its hands stays with it, so the queue is paused.
        assertThat(node(3).post("georep/outboxes/sms", "{\"action\": \"pause\"}")
                        .status())
                .isEqualTo(200);
        EntryId entry = node(3).outboxes().outbox("sms", String.class).sendAndWait("x", HttpNode.SOON);
        assertThat(backlog(3)).isEqualTo(1);

        Answer drained = node(1).post("georep/peers/n3", "{\"action\": \"drain\"}");

        assertThat(drained.status()).isEqualTo(200);
        await(() -> receiver(1).seen.contains(entry) || receiver(2).seen.contains(entry));
        await(() -> backlog(3) == 0);
        assertThat(backlog(1) + backlog(2)).isEqualTo(1);
        await(() -> peer(2, "n3").get("drained").asBoolean());
        assertThat(node(3).get("health").status()).isEqualTo(503);

        assertThat(node(2).post("georep/peers/n3", "{\"action\": \"undrain\"}").status())
                .isEqualTo(200);
        await(() -> node(3).get("health").status() == 200);
        await(() -> !peer(1, "n3").get("drained").asBoolean());
    }

    /** The own name is allowed: the node that is to be emptied is the one at hand. */
    @Test
    void drainsItself() {
        assertThat(node(2).post("georep/peers/n2", "{\"action\": \"drain\"}").status())
                .isEqualTo(200);

        await(() -> node(2).get("health").status() == 503);
        await(() -> peer(1, "n2").get("drained").asBoolean());
    }

    @Test
    void removesANodeThatIsGone() {
        EntryId entry = node(3).outboxes().outbox("sms", String.class).sendAndWait("x", HttpNode.SOON);
        await(() -> receiver(3).seen.contains(entry));
        node(3).node().close(Duration.ofHours(1));

        Answer removed = node(1).post("georep/peers/n3", "{\"action\": \"remove\"}");

        assertThat(removed.body().get("done").asString()).isEqualTo("remove");
        await(() -> peer(1, "n3").isMissingNode() && peer(2, "n3").isMissingNode());
        await(() -> receiver(1).seen.contains(entry) || receiver(2).seen.contains(entry));
        Answer again = node(2).post("georep/peers/n3", "{\"action\": \"remove\"}");
        assertThat(again.status()).isEqualTo(400);
        assertThat(again.message()).contains("'n3' is not known here", "n2 (this node)", "n1");
    }

    private HttpNode node(int number) {
        return nodes.get(number - 1);
    }

    private Receiver receiver(int number) {
        return node(number).context.getBean(Receiver.class);
    }

    private long backlog(int number) {
        return node(number).get("georep/outboxes/sms").body().get("backlog").asLong();
    }

    private JsonNode peer(int number, String id) {
        for (JsonNode peer : node(number).get("georep/peers").body()) {
            if (peer.get("id").asString().equals(id)) {
                return peer;
            }
        }
        return MissingNode.getInstance();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(HttpNode.SOON).until(condition);
    }
}
