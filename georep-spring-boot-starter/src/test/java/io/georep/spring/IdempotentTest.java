package io.georep.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdempotentTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);

    private final ProcessedKeys keys = ProcessedKeys.inMemory(Duration.ofMinutes(1), 100);
    private final Idempotent idempotent = new Idempotent(keys);

    @Test
    void callsAHandlerOncePerKey() throws Exception {
        assertThat(idempotent.handle(delivery("sms", 1, "k"), entry -> {})).isTrue();
        assertThat(idempotent.handle(delivery("sms", 2, "k"), entry -> {})).isFalse();
        assertThat(idempotent.handle(delivery("sms", 3, null), entry -> {})).isTrue();
        assertThat(idempotent.handle(delivery("sms", 3, null), entry -> {})).isFalse();
    }

    @Test
    void theSameKeyInAnotherQueueIsAnotherKey() throws Exception {
        assertThat(idempotent.handle(delivery("sms", 1, "order-42"), entry -> {}))
                .isTrue();
        assertThat(idempotent.handle(delivery("mail", 2, "order-42"), entry -> {}))
                .isTrue();
        assertThat(Idempotent.key(delivery("a:b", 1, "c"))).isNotEqualTo(Idempotent.key(delivery("a", 1, "b:c")));
    }

    @Test
    void callsAHandlerAgainAfterAFailure() throws Exception {
        assertThatThrownBy(() -> idempotent.handle(delivery("sms", 1, "k"), entry -> {
                    throw new IllegalStateException("not now");
                }))
                .hasMessage("not now");

        assertThat(idempotent.handle(delivery("sms", 1, "k"), entry -> {})).isTrue();
    }

    /** As documented: an Idempotent per call over the same keys. */
    @Test
    void callsAHandlerOncePerKeyOnManyThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Boolean>> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Delivery<String> delivery = delivery("sms", i, "k");
            results.add(threads.submit(() -> new Idempotent(keys).handle(delivery, entry -> {
                calls.incrementAndGet();
                first.countDown();
                go.await();
            })));
        }
        first.await();
        assertThat(new Idempotent(keys).handle(delivery("sms", 9, "other"), entry -> {}))
                .isTrue();
        go.countDown();
        int handled = 0;
        for (Future<Boolean> result : results) {
            handled += result.get() ? 1 : 0;
        }
        threads.shutdown();

        assertThat(calls).hasValue(1);
        assertThat(handled).isEqualTo(1);
    }

    /** The one that waited takes over. */
    @Test
    void theNextThreadHandlesWhatTheFirstFailedAt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<Boolean> failing = threads.submit(() -> idempotent.handle(delivery("sms", 1, "k"), entry -> {
            first.countDown();
            go.await();
            throw new IllegalStateException("not now");
        }));
        first.await();
        Future<Boolean> next = threads.submit(() -> idempotent.handle(delivery("sms", 2, "k"), entry -> {}));
        go.countDown();

        assertThatThrownBy(failing::get).hasRootCauseMessage("not now");
        assertThat(next.get()).isTrue();
        threads.shutdown();
    }

    @Test
    void refusesToWaitForItself() {
        assertThatThrownBy(() -> idempotent.handle(
                        delivery("sms", 1, "k"), outer -> idempotent.handle(delivery("sms", 2, "k"), inner -> {})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already");
    }

    private static Delivery<String> delivery(String queue, long sequence, String key) {
        return new Delivery<>() {
            @Override
            public void endsWith(CompletionStage<?> end) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Hold keep() {
                throw new UnsupportedOperationException();
            }

            @Override
            public String queue() {
                return queue;
            }

            @Override
            public String payload() {
                return "x";
            }

            @Override
            public int size() {
                return 1;
            }

            @Override
            public EntryId id() {
                return new EntryId(STREAM, sequence);
            }

            @Override
            public int attempt() {
                return 1;
            }

            @Override
            public NodeId adoptedFrom() {
                return null;
            }

            @Override
            public boolean possiblySent() {
                return false;
            }

            @Override
            public Map<String, String> headers() {
                return Map.of();
            }

            @Override
            public String producerKey() {
                return key;
            }

            @Override
            public Instant enqueuedAt() {
                return Instant.EPOCH;
            }
        };
    }
}
