package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetStatistics;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fleet over TCP. */
@Timeout(120)
class FleetOverTcpTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<GeoRepNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private GeoRepNode start(FleetMapSettings settings) {
        GeoRepNode node =
                GeoRepNode.fleetNode(settings.nodes(300)).listen("127.0.0.1", 0).start();
        nodes.add(node);
        return node;
    }

    private static FleetStatistics statistics(GeoRepNode node) {
        return node.service(FleetMaps.class)
                .readStatistics()
                .toCompletableFuture()
                .join();
    }

    private static FleetMap<String, String> map(GeoRepNode node) {
        return node.service(FleetMaps.class).map("m", PayloadCodec.string(), PayloadCodec.string());
    }

    /** Each tells others the port it got: the third node hears of the second one from the first, and answers a client. */
    @Test
    void nodesAndClientsListenOnAnyPort() {
        String first = start(FleetMapSettings.founder()).identity().address();
        start(FleetMapSettings.member(first));
        String third = start(FleetMapSettings.member(first)).identity().address();
        GeoRepNode client = start(FleetMapSettings.client(third));
        for (GeoRepNode node : nodes.subList(0, 3)) {
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(statistics(node))
                            .matches(FleetStatistics::complete)
                            .matches(its -> its.members() == 2));
        }

        map(client).put("k", "v", FleetOptions.ANY).toCompletableFuture().join();

        assertThat(nodes).noneMatch(node -> node.identity().address().endsWith(":0"));
        assertThat(map(nodes.get(1)).get("k").toCompletableFuture().join().value())
                .isEqualTo("v");
    }
}
