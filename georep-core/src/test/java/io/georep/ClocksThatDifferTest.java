package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.Ticker;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes see by how much the clocks of the others differ, also if these were wrong from the start. */
@Timeout(60)
class ClocksThatDifferTest {
    private static final Duration AHEAD = Duration.ofSeconds(75);
    private static final Duration ERROR = Duration.ofSeconds(10);

    private static final class Wrong implements Ticker {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis() + AHEAD.toMillis();
        }
    }

    private static boolean sees(LocalCluster cluster, int node, int other, Duration ahead) {
        return cluster.node(node).peers().stream()
                .filter(peer -> peer.id().equals(LocalCluster.id(other)))
                .map(PeerStatus::clockAhead)
                .anyMatch(seen -> seen != null && seen.minus(ahead).abs().compareTo(ERROR) < 0);
    }

    @Test
    void eachNodeKnowsTheClocksOfTheOthers() {
        AtomicInteger nodes = new AtomicInteger();
        try (LocalCluster cluster = LocalCluster.start(
                3, builder -> nodes.incrementAndGet() == 3 ? builder.ticker(new Wrong()) : builder)) {
            cluster.awaitReady(2);
            Awaitility.await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
                assertThat(sees(cluster, 1, 2, Duration.ZERO)).isTrue();
                assertThat(sees(cluster, 1, 3, AHEAD)).isTrue();
                assertThat(sees(cluster, 2, 3, AHEAD)).isTrue();
                assertThat(sees(cluster, 3, 1, AHEAD.negated())).isTrue();
            });
        }
    }
}
