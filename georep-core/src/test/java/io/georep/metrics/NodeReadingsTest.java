package io.georep.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.PeerStatus;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeReadingsTest {
    private final List<CompletableFuture<List<PeerStatus>>> asked = new ArrayList<>();
    private final List<List<PeerStatus>> told = new ArrayList<>();
    private @Nullable Error broken;
    private final NodeReadings readings = new NodeReadings(this::node, told::add, statistics -> {});

    private GeoRepNode node() {
        return (GeoRepNode) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {GeoRepNode.class}, (proxy, method, arguments) -> {
                    if (broken != null) {
                        throw broken;
                    }
                    switch (method.getName()) {
                        case "state" -> {
                            return NodeState.RUNNING;
                        }
                        case "readPeers" -> {
                            CompletableFuture<List<PeerStatus>> answer = new CompletableFuture<>();
                            asked.add(answer);
                            return answer;
                        }
                        default -> {
                            return new CompletableFuture<>();
                        }
                    }
                });
    }

    /** Each reading holds all peers: with one for each change of thousands of peers there is no memory left. */
    @Test
    void readsOnceAtATimeHoweverManyPeersChange() {
        for (int i = 0; i < 10_000; i++) {
            readings.refresh();
        }
        assertThat(asked).hasSize(1);

        asked.get(0).complete(List.of());

        assertThat(asked).as("it may have missed the last change").hasSize(2);
        assertThat(told).hasSize(1);
        asked.get(1).completeExceptionally(new IllegalStateException("the node stops"));
        assertThat(asked).hasSize(2);
        readings.refresh();
        assertThat(asked).as("one that failed is followed by others").hasSize(3);
    }

    @Test
    void anErrorEndsNoReadingsButItsOwn() {
        broken = new StackOverflowError();
        readings.refresh();
        broken = null;

        readings.refresh();

        assertThat(asked).hasSize(1);
    }
}
