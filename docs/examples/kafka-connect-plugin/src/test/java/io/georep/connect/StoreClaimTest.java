package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

/** A store has one user at a time. */
final class StoreClaimTest {
    private static final Path STORE = Path.of("a", "store");

    @Test
    void whoWantsAStoreWaitsUntilItIsReleased() {
        StoreClaim first = StoreClaim.tryTake(STORE);
        assertThat(StoreClaim.tryTake(Path.of("a", "b", "..", "store")))
                .as("the same one")
                .isNull();
        CompletableFuture<StoreClaim> second =
                CompletableFuture.supplyAsync(() -> StoreClaim.take(STORE, Duration.ofSeconds(30)));

        await().until(first::isWanted);
        assertThat(second).isNotDone();
        first.release();

        assertThat(second.join().isWanted()).isFalse();
        first.release(); // once more does no harm
        assertThat(StoreClaim.tryTake(STORE)).isNull();
        second.join().release();
    }

    @Test
    void whoWaitsForTooLongIsToldWhy() {
        StoreClaim first = StoreClaim.tryTake(STORE);

        assertThatThrownBy(() -> StoreClaim.take(STORE, Duration.ofMillis(10)))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("restart this task later");
        first.release();
    }
}
