package io.georep.rumour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.model.Durability;
import io.georep.testing.LocalNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that are nobody's peers, in one JVM, with links of their own choice. */
@Timeout(120)
class RumourTest {
    private static final int CHANNEL = 78;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final LocalNetwork network = new LocalNetwork();
    private final List<GeoRepNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private GeoRepNode start(int number) {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("n" + number)
                .listen("local", 2000 + number)
                .durability(Durability.MEMORY)
                .transport(network.transports())
                .add(new RumourModule(CHANNEL))
                .start();
        nodes.add(node);
        return node;
    }

    private static RumourProtocol.View view(GeoRepNode node) {
        return node.service(Rumours.class).view().toCompletableFuture().join();
    }

    @Test
    void aRumourReachesNodesThatAreNobodysPeersOverFewLinksAtATime() {
        for (int number = 1; number <= 6; number++) {
            GeoRepNode node = start(number);
            if (number > 1) {
                node.service(Rumours.class).meet("local:" + (2000 + number - 1));
            }
        }

        nodes.get(5).service(Rumours.class).tell("it rains");

        for (GeoRepNode node : nodes) {
            await().atMost(LONG).until(() -> view(node).rumours().equals(Set.of("it rains")));
            assertThat(view(node).up()).hasSizeLessThanOrEqualTo(RumourProtocol.LINKS);
            assertThat(node.peers()).as("peers of %s", node).isEmpty();
        }
    }

    @Test
    void aLinkThatIsCutIsToldAndOpenedAgainWhenItCanBe() {
        GeoRepNode one = start(1);
        GeoRepNode other = start(2);
        one.service(Rumours.class).meet("local:2002");
        await().atMost(LONG).until(() -> view(one).up().equals(Set.of("local:2002")));

        network.cut(one.identity().id(), other.identity().id());
        await().atMost(LONG).until(() -> view(one).up().isEmpty());
        assertThat(view(one).down()).contains("local:2002: cut");
        one.service(Rumours.class).tell("cut off");
        network.heal();

        await().atMost(LONG).until(() -> view(other).rumours().equals(Set.of("cut off")));
    }
}
