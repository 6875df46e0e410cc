package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.georep.model.ClosedException;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads on the threads of callers, while others write. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BlockingReadsTest extends OrderedMapsCluster {
    private static final int MONEY = 6_000;

    @BeforeEach
    void start() {
        OrderedMapSettings settings = OrderedMapSettings.of("n1", "n2", "n3")
                .times(Duration.ofSeconds(2), Duration.ofSeconds(60))
                .transactions(new Transfer());
        cluster = LocalCluster.start(3, builder -> builder.orderedMaps(settings));
    }

    @Test
    void whatWasWrittenAnywhereIsRead() {
        assertThat(map(1).getBlocking("a")).isNull();
        for (int write = 1; write <= 50; write++) {
            get(map(1 + write % 3).put("a", "" + write));
            assertThat(map(1).getBlocking("a")).isEqualTo("" + write);
        }
        assertThat(map(2).getBlocking("a")).isEqualTo("50");
        assertThat(map(3).getBlocking("b")).isNull();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        map(2).listen(change -> refused.complete(catchThrowable(() -> map(2).getBlocking("a"))));
        get(map(2).put("a", "51"));
        assertThat(get(refused)).isInstanceOf(IllegalStateException.class).hasMessageContaining("application thread");
        OrderedMap<String, String> map = map(1);
        cluster.crash(1);
        assertThatThrownBy(() -> map.getBlocking("a")).isInstanceOf(ClosedException.class);
    }

    /** Money goes from ann to bob only: what bob has got was ann's before, and is not any more. */
    @Test
    void aTransactionIsSeenAsAWholeAndInTheOrderOfTime() {
        get(map(1).put("ann", "" + MONEY));
        get(map(1).put("bob", "0"));
        CompletableFuture<Void> moved = CompletableFuture.completedFuture(null);
        long[] paid = {0};
        for (int client = 0; client < 30; client++) {
            moved = moved.thenCombine(pay(1 + client % 3, MONEY / 30, paid), (one, other) -> null);
        }
        OrderedMap<String, String> map = map(1);
        long reads = 0;
        while (!moved.isDone()) {
            long before;
            synchronized (paid) {
                before = paid[0];
            }
            int bob = Integer.parseInt(map.getBlocking("bob"));
            int ann = Integer.parseInt(map.getBlocking("ann"));
            assertThat(bob).as("after %d payments", before).isGreaterThanOrEqualTo((int) before);
            assertThat(ann).as("when bob has %d", bob).isLessThanOrEqualTo(MONEY - bob);
            reads++;
        }
        get(moved);
        assertThat(map.getBlocking("bob")).as("after %d reads", reads).isEqualTo("" + MONEY);
    }

    private CompletableFuture<Void> pay(int node, int times, long[] paid) {
        if (times == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return maps(node)
                .call(new Transfer(), "ann,bob,1")
                .toCompletableFuture()
                .thenCompose(left -> {
                    synchronized (paid) {
                        paid[0]++;
                    }
                    return pay(node, times - 1, paid);
                });
    }
}
