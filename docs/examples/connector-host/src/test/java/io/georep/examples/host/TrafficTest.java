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
    private final AtomicInteger sentAfter = new AtomicInteger();
    private volatile boolean happened;

    @Test
    void entriesAreSentBeforeAndAfterTheAccidentHoweverFastTheDoorIs() throws Exception {
        CountDownLatch threeQuarters = new CountDownLatch(COUNT - COUNT / 4);
        Traffic traffic = new Traffic(
                payload -> {
                    sent.incrementAndGet();
                    threeQuarters.countDown();
                    if (happened) {
                        sentAfter.incrementAndGet();
                    }
                    return CompletableFuture.completedFuture(true);
                },
                ledger);

        traffic.send(COUNT, () -> {
            assertThat(sent.get()).isGreaterThanOrEqualTo(COUNT / 2);
            assertThat(threeQuarters.await(30, TimeUnit.SECONDS)).isTrue();
            happened = true;
        });

        assertThat(sentAfter.get()).isEqualTo(COUNT / 4);
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
