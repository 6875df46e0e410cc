package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application sees of ordered maps when nodes are unlike, or apart. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OrderedMapFailuresTest extends OrderedMapsCluster {
    private static final OrderedMapSettings WITHOUT =
            OrderedMapSettings.of("n1", "n2", "n3").times(Duration.ofSeconds(1), Duration.ofSeconds(60));
    private static final OrderedMapSettings WITH = WITHOUT.transactions(new Transfer());

    /** Each start of a node takes the next settings. */
    private void start(OrderedMapSettings... settings) {
        Deque<OrderedMapSettings> next = new ArrayDeque<>(List.of(settings));
        cluster = LocalCluster.start(3, builder -> builder.orderedMaps(next.remove()));
    }

    /** On a busy machine links and leaders may take longer than a call. */
    private static <T> T repeated(Supplier<CompletionStage<T>> call) {
        CompletionException last = null;
        for (int times = 0; times < 12; times++) {
            try {
                return get(call.get());
            } catch (CompletionException e) {
                last = e;
            }
        }
        throw new AssertionError("never answered", last);
    }

    /** It would get another state than all others. With the transaction it goes on where it stopped. */
    @Test
    void aNodeWithoutATransactionStopsAndTheOthersGoOn() {
        start(WITH, WITH, WITH, WITHOUT, WITH);
        get(map(1).put("ann", "10"));
        cluster.crash(3);
        assertThat(repeated(() -> maps(1).call(new Transfer(), "ann,bob,4", new OperationNumber(78, 1, 0))))
                .as("nobody knows that it will lack it")
                .isEqualTo("6");
        cluster.restart(3);

        assertThatThrownBy(() -> get(map(3).get("bob")))
                .as("its turn never comes")
                .hasCauseInstanceOf(ClosedException.class);
        get(cluster.node(3).stopped().handle((done, error) -> "stopped"));
        assertThat(cluster.node(3).failure()).hasMessageContaining("transfer/1");
        assertThat(get(map(2).get("bob"))).isEqualTo("4");
        cluster.crash(3);
        cluster.restart(3);
        assertThat(get(map(3).get("bob"))).isEqualTo("4");
    }

    /** It would stop. So nothing is ordered until all nodes in reach have the transaction. */
    @Test
    void aTransactionThatANodeLacksIsNotOrdered() {
        start(WITH, WITHOUT, WITH, WITH);
        OperationNumber number = new OperationNumber(79, 1, 0);
        get(map(1).put("ann", "10"));
        assertThatThrownBy(() -> get(maps(1).call(new Transfer(), "ann,bob,4", number)))
                .hasCauseInstanceOf(OrderedMapUnavailableException.class)
                .hasMessageContaining("node n2 does not have transfer/1");
        assertThat(get(map(2).get("ann"))).isEqualTo("10");

        cluster.crash(2);
        cluster.restart(2);
        assertThat(repeated(() -> maps(1).call(new Transfer(), "ann,bob,4", number)))
                .isEqualTo("6");
    }

    @Test
    void withoutAMajorityNothingIsAnsweredAndARepeatedWriteTakesEffectOnce() {
        OrderedMapSettings quick = WITH.times(Duration.ofSeconds(1), Duration.ofSeconds(5));
        start(quick, quick, quick);
        get(map(1).put("ann", "10"));
        cluster.network().isolate(LocalCluster.id(1));
        OperationNumber number = new OperationNumber(77, 1, 0);

        CompletionStage<String> call = maps(1).call(new Transfer(), "ann,bob,4", number);
        assertThatThrownBy(() -> get(call)).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(() -> get(map(1).get("ann"))).hasCauseInstanceOf(OrderedMapUnavailableException.class);
        assertThat(repeated(() -> map(2).get("ann"))).as("on the side of two").isEqualTo("10");
        assertThat(repeated(() -> maps(2).call(new Transfer(), "ann,bob,4", number)))
                .isEqualTo("6");

        cluster.network().heal();
        assertThat(repeated(() -> maps(3).call(new Transfer(), "ann,bob,4", number)))
                .isEqualTo("6");
        assertThat(repeated(() -> map(1).get("bob"))).isEqualTo("4");
    }
}
