package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the endpoint says to orders for a node with a limited certificate. */
class PeerOperationsTest {
    private static final NodeId SELF = NodeId.of("edge-1");
    private static final NodeId OTHER = NodeId.of("ams-1");

    private final List<String> ordered = new ArrayList<>();
    private final PeerOperations operations = new PeerOperations(limitedNode());

    private GeoRepNode limitedNode() {
        NodeIdentity self = new NodeIdentity(SELF, 1, 2, 3, "edge-1:7400", "edge").withLimited(true);
        PeerStatus other = new PeerStatus(
                OTHER, "", PeerState.ACTIVE, Duration.ZERO, 1, null, null, true, true, false, true, null, false);
        return (GeoRepNode) Proxy.newProxyInstance(
                GeoRepNode.class.getClassLoader(), new Class<?>[] {GeoRepNode.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "identity":
                            return self;
                        case "peers":
                            return List.of(other);
                        default:
                            ordered.add(method.getName() + " " + arguments[0]);
                            return null;
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"drain", "undrain", "remove", "join"})
    void ordersAboutOtherNodesAreForbidden(String action) {
        assertThatThrownBy(() -> operations.change("ams-1", action))
                .isInstanceOfSatisfying(
                        EndpointRefusal.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(403))
                .hasMessageContaining("send this request to a node with a full certificate");
        assertThat(ordered).isEmpty();
    }

    @Test
    void itMayDrainItself() {
        operations.change("edge-1", "drain");

        assertThat(ordered).containsExactly("drain edge-1");
    }
}
