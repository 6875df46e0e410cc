package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens in the crash tests happens while entries are sent, and not when all of them are through. */
@Timeout(60)
final class TrafficTest {
    private static final int COUNT = 1_000;

    private final Ledger ledger = new Ledger();
    private final AtomicInteger sent = new AtomicInteger();

    /** What a source had open at an accident is bounded by that, too. */
    @Test
    void theLastQuarterIsSentAfterTheAccidentHoweverFastTheDoorIs() throws Exception {
        CountDownLatch before = new CountDownLatch(COUNT - COUNT / 4);
        CountDownLatch oneMore = new CountDownLatch(COUNT - COUNT / 4 + 1);
        Traffic traffic = new Traffic(
                payload -> {
                    before.countDown();
                    oneMore.countDown();
                    return CompletableFuture.completedFuture(true);
                },
                ledger);

        traffic.send(COUNT, () -> {
            assertThat(before.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(oneMore.await(200, TimeUnit.MILLISECONDS)).isFalse();
        });

        assertThat(oneMore.getCount()).isZero();
        assertThat(ledger.acknowledged()).isEqualTo(COUNT);
    }

    @Test
    void whatIsNotAcknowledgedIsFollowedByAnother() throws Exception {
        Traffic traffic = new Traffic(
                payload -> switch (sent.incrementAndGet() % 3) {
                    case 0 -> CompletableFuture.completedFuture(true);
                    case 1 -> CompletableFuture.completedFuture(false);
                    default -> throw new IllegalStateException("nobody knows");
                },
                ledger);

        traffic.send(30);

        assertThat(ledger.acknowledged()).isEqualTo(30);
        assertThat(ledger.missing()).hasSize(30);
        assertThat(sent.get()).isGreaterThanOrEqualTo(90);
    }
}
