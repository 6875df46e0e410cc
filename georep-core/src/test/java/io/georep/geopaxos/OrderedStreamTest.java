package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client of real nodes has many writes under way, and waits for none of them before the next (J13). */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OrderedStreamTest extends OrderedMapsCluster {
    private static final int KEYS = 3;
    private static final int ROUNDS = 60;
    private static final int UNDER_WAY = 100;
    private static final OrderedMapSettings SETTINGS = OrderedMapSettings.of("n1", "n2", "n3")
            .group("n2", "n3", "n1")
            .group("n3", "n1", "n2")
            .times(Duration.ofSeconds(2), Duration.ofSeconds(60));

    private final List<CompletionStage<Boolean>> answers = new ArrayList<>();
    private int number;

    /** Each write expects what the one before it has left under its key. */
    private void write(int node, int rounds) {
        OrderedMap<String, String> map = map(node);
        for (int write = 0; write < rounds * KEYS; write++) {
            if (number >= UNDER_WAY) {
                get(answers.get(number - UNDER_WAY));
            }
            String key = "k" + number % KEYS;
            OperationNumber next = new OperationNumber(7, ++number, 0);
            answers.add(
                    number <= KEYS
                            ? map.putIfAbsent(key, "" + number, next).thenApply(before -> before == null)
                            : map.replace(key, "" + (number - KEYS), "" + number, next));
        }
    }

    /** The fourth node has no part: others make its calls, and the one that made them first is killed as well. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void whatOneClientHasUnderWayTakesEffectInItsOrderThoughTheLeaderIsKilled(int contact) {
        cluster = LocalCluster.start(4, builder -> builder.orderedMaps(SETTINGS));
        await().atMost(60, TimeUnit.SECONDS)
                .ignoreExceptions()
                .until(() -> get(map(contact).get("k0")) == null);
        write(contact, ROUNDS);
        cluster.node(1).halt();
        write(contact, ROUNDS);

        assertThat(answers).hasSize(2 * ROUNDS * KEYS).allMatch(OrderedMapsCluster::get);
        for (int key = 0; key < KEYS; key++) {
            assertThat(get(map(3).get("k" + key))).isEqualTo("" + (number - KEYS + 1 + key));
        }
    }
}
