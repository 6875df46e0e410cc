package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.TransportFactory;
import io.georep.spring.OutboxListener;
import io.georep.spring.boot.actuate.HttpNode.Answer;
import io.georep.testing.LocalNetwork;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Two applications on a network that can be cut. */
class PartitionTest {
    private static LocalNetwork network;

    private HttpNode one;
    private HttpNode other;

    @BeforeEach
    void start() {
        network = new LocalNetwork();
        one = node("n1", 1001);
        other = node("n2", 1002);
    }

    @AfterEach
    void stop() {
        one.close();
        other.close();
    }

    private static HttpNode node(String id, int port) {
        return new HttpNode(
                List.of(Beans.class),
                "georep.node-id=" + id,
                "georep.host=local",
                "georep.port=" + port,
                "georep.seeds=local:1001,local:1002",
                "georep.protocol.heartbeat=50ms",
                "georep.protocol.suspect-after=500ms",
                "georep.protocol.terminate-after=500ms",
                "georep.protocol.put-timeout=400ms",
                "management.endpoint.health.group.readiness.include=readinessState,georep",
                "management.endpoint.health.show-details=always");
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        TransportFactory transport() {
            return network.transports();
        }

        @OutboxListener("sms")
        void forward(String payload) {}
    }

    @Test
    void isNotReadyWhileTheNetworkIsCut() {
        awaitReadiness(one, 200);
        awaitReadiness(other, 200);

        network.cut(one.id(), other.id());
        awaitReadiness(one, 503);
        awaitReadiness(other, 503);
        Answer cut = one.get("health/readiness");
        assertThat(cut.body().get("status").asString()).isEqualTo("OUT_OF_SERVICE");
        assertThat(cut.body().at("/components/georep/details/peersSelectable").asInt(-1))
                .isZero();
        assertThat(cut.body().at("/components/georep/details/reason").asString())
                .contains("of f = 1 copies only 0 can be made now");
        JsonNode peers = cut.body().at("/components/georep/details/peers");
        JsonNode meanings = cut.body().at("/components/georep/details/peerStates");
        assertThat(meanings.propertyNames()).isEqualTo(peers.propertyNames()).isNotEmpty();
        assertThat(one.get("health/liveness").status())
                .as("a restart does not bring peers back")
                .isEqualTo(200);

        network.heal();
        awaitReadiness(one, 200);
        awaitReadiness(other, 200);
        one.outboxes().outbox("sms", String.class).sendAndWait("x", HttpNode.SOON);
    }

    private static void awaitReadiness(HttpNode node, int status) {
        Awaitility.await()
                .atMost(HttpNode.SOON)
                .until(() -> node.get("health/readiness").status() == status);
    }
}
