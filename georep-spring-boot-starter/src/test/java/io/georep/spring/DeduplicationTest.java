package io.georep.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.StreamId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.georep.spi.Ticker;
import io.georep.spring.outbox.Deduplication;
import io.georep.spring.outbox.QueueSettings;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class DeduplicationTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);
    private static final SendOptions KEY = SendOptions.defaults().producerKey("k");

    private long nanos;
    private long sequence;
    private final Deduplication deduplication = new Deduplication(
            queue -> new QueueSettings(1, false, Integer.MAX_VALUE, Duration.ofSeconds(10), 2),
            new Ticker() {
                @Override
                public long nanos() {
                    return nanos;
                }

                @Override
                public long wallMillis() {
                    return nanos / 1_000_000;
                }
            },
            () -> null);

    @Test
    void answersTheEarlierEntryWithinTheWindow() {
        EntryId first = send(KEY);
        nanos = Duration.ofSeconds(9).toNanos();

        assertThat(send(KEY)).isEqualTo(first);
    }

    @Test
    void sendsAgainAfterTheWindow() {
        EntryId first = send(KEY);
        nanos = Duration.ofSeconds(10).toNanos();

        assertThat(send(KEY)).isNotEqualTo(first);
    }

    @Test
    void sendsAgainAfterAFailure() {
        CompletionStage<EntryId> failed =
                CompletableFuture.failedFuture(new RejectedException(RejectedException.Reason.QUEUE_FULL, "full"));
        deduplication.send(call(KEY), call -> List.of(failed));

        assertThat(send(KEY)).isNotNull();
    }

    @Test
    void forgetsTheOldestKeyFirst() {
        EntryId first = send(KEY);
        EntryId second = send(SendOptions.defaults().producerKey("second"));
        send(SendOptions.defaults().producerKey("third"));

        assertThat(send(SendOptions.defaults().producerKey("second"))).isEqualTo(second);
        assertThat(send(KEY)).isNotEqualTo(first);
    }

    @Test
    void letsSendsWithoutKeyPass() {
        assertThat(send(SendOptions.defaults())).isNotEqualTo(send(SendOptions.defaults()));
    }

    private EntryId send(SendOptions options) {
        return deduplication
                .send(
                        call(options),
                        call -> List.of(CompletableFuture.completedFuture(new EntryId(STREAM, sequence++))))
                .get(0)
                .toCompletableFuture()
                .join();
    }

    @SuppressWarnings("unchecked")
    private static SendInterceptor.Call<String> call(SendOptions options) {
        Outbox<String> outbox = (Outbox<String>) Proxy.newProxyInstance(
                DeduplicationTest.class.getClassLoader(),
                new Class<?>[] {Outbox.class},
                (proxy, method, args) -> "queue");
        return new SendInterceptor.Call<>(outbox, List.of("x"), options);
    }
}
