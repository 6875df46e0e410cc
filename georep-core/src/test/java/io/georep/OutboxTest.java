package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutboxTest extends SoloNode {
    @Test
    void carriesPayloadHeadersAndProducerKeyToTheHandler() throws Exception {
        outbox.forward(taken::add);

        EntryId id = outbox.send(
                        "hello", SendOptions.defaults().header("trace", "7").producerKey("order-1"))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);

        Delivery<String> delivery = next();
        assertThat(delivery.payload()).isEqualTo("hello");
        assertThat(delivery.id()).isEqualTo(id);
        assertThat(delivery.origin()).isEqualTo(node.identity().id());
        assertThat(delivery.headers()).isEqualTo(Map.of("trace", "7"));
        assertThat(delivery.producerKey()).isEqualTo("order-1");
        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(delivery.possiblySent()).isFalse();
        assertThat(delivery.adopted()).isFalse();
        assertThat(delivery.enqueuedAt().toEpochMilli()).isBetween(ticker.wallMillis() - 60_000, ticker.wallMillis());
    }

    @Test
    void sendAllAnswersOneStagePerPayloadInOrder() throws Exception {
        List<String> payloads =
                IntStream.range(0, 5_000).mapToObj(String::valueOf).toList();
        outbox.forward(taken::add, options -> options.window(100));

        List<CompletionStage<EntryId>> stages = outbox.sendAll(payloads);

        for (int i = 0; i < payloads.size(); i++) {
            EntryId id = stages.get(i).toCompletableFuture().get(20, TimeUnit.SECONDS);
            Delivery<String> delivery = next();
            assertThat(delivery.payload()).isEqualTo(payloads.get(i));
            assertThat(delivery.id()).isEqualTo(id);
        }
    }

    @Test
    void asyncHandlersForwardWhenTheirStageCompletes() throws Exception {
        BlockingQueue<CompletableFuture<Void>> answers = new LinkedBlockingQueue<>();
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    answers.add(answer);
                    delivery.endsWith(answer);
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));
        outbox.sendAndWait("hello", LONG);

        answers.take().completeExceptionally(new IOException("no"));
        answers.take().complete(null);

        assertThat(next().attempt()).isEqualTo(1);
        assertThat(next().attempt()).isEqualTo(2);
        awaitForwarded(1);
    }

    @Test
    void asyncHandlersHaveNoMoreThanTheWindowOutstanding() throws Exception {
        BlockingQueue<CompletableFuture<Void>> answers = new LinkedBlockingQueue<>();
        AtomicInteger outstanding = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        outbox.forward(
                delivery -> {
                    most.accumulateAndGet(outstanding.incrementAndGet(), Math::max);
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    answers.add(answer);
                    delivery.endsWith(answer);
                },
                options -> options.window(8));
        outbox.sendAll(IntStream.range(0, 100).mapToObj(String::valueOf).toList());

        for (int i = 0; i < 100; i++) {
            CompletableFuture<Void> answer = answers.poll(20, TimeUnit.SECONDS);
            assertThat(answer).isNotNull();
            outstanding.decrementAndGet();
            answer.complete(null);
        }

        awaitForwarded(100);
        assertThat(most.get()).isLessThanOrEqualTo(8);
    }

    @Test
    void batchHandlersGetSeveralEntriesAndRetryThemTogether() throws Exception {
        BlockingQueue<List<Delivery<String>>> batches = new LinkedBlockingQueue<>();
        AtomicBoolean failed = new AtomicBoolean();
        outbox.sendAll(List.of("a", "b", "c", "d", "e"))
                .forEach(stage -> stage.toCompletableFuture().join());
        outbox.forwardBatches(
                batch -> {
                    batches.add(batch);
                    if (failed.compareAndSet(false, true)) {
                        throw new IOException("broker is down");
                    }
                },
                options -> options.batchMax(5).retry(Retry.fixed(Duration.ofMillis(1))));

        awaitForwarded(5);

        assertThat(batches.take()).extracting(Delivery::payload).containsExactly("a", "b", "c", "d", "e");
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(5);
    }

    @Test
    void concurrentHandlersRunAtTheSameTime() throws Exception {
        CountDownLatch allAtWork = new CountDownLatch(3);
        outbox.forward(
                delivery -> {
                    allAtWork.countDown();
                    allAtWork.await();
                },
                options -> options.concurrency(3));

        outbox.sendAll(List.of("a", "b", "c"));

        assertThat(allAtWork.await(20, TimeUnit.SECONDS)).isTrue();
        awaitForwarded(3);
    }

    @Test
    void aDirectExecutorRunsHandlersOnTheApplicationThreadOnly() throws Exception {
        BlockingQueue<String> threads = new LinkedBlockingQueue<>();
        outbox.forward(
                delivery -> threads.add(Thread.currentThread().getName()), options -> options.executor(Runnable::run));

        outbox.sendAndWait("hello", LONG);

        assertThat(threads.poll(20, TimeUnit.SECONDS)).isEqualTo("georep-solo-outbox");
    }

    @Test
    void failingCallbacksHarmNothing() throws Exception {
        outbox.onExpired(delivery -> {
            throw new IllegalStateException("callback");
        });
        outbox.forward(taken::add);
        outbox.send("a", SendOptions.defaults().timeToLive(Duration.ofMillis(1)).delay(Duration.ofMillis(2)));
        outbox.send("b").thenAccept(id -> {
            throw new IllegalStateException("continuation");
        });

        outbox.sendAndWait("c", LONG);

        assertThat(next().payload()).isEqualTo("b");
        assertThat(next().payload()).isEqualTo("c");
    }

    @Test
    void boundsAreRejectionsThatNameNumbersAndRemedy() {
        try (GeoRepNode small = start(ProtocolConfig.builder()
                .pendingPutsMax(1)
                .pendingBytesMax(1024)
                .payloadBytesMax(2000)
                .build())) {
            Outbox<byte[]> bytes = small.outbox("q", byte[].class, options -> options.f(0));

            RejectedException tooLarge = rejection(bytes.send(new byte[2001]));
            RejectedException full = rejection(bytes.send(new byte[1500]));

            assertThat(tooLarge.reason()).isEqualTo(RejectedException.Reason.PAYLOAD_TOO_LARGE);
            assertThat(tooLarge).hasMessageContaining("2008 bytes, payloadBytesMax is 2000");
            assertThat(full.reason()).isEqualTo(RejectedException.Reason.QUEUE_FULL);
            assertThat(full).hasMessageContaining("1 (pendingPutsMax) with 1024 bytes (pendingBytesMax)");
            assertThat(bytes.statistics().rejected()).isEqualTo(2);
            assertThat(small.statistics().of(OutboxActivity.class).pendingSends())
                    .isZero();
            small.halt();
        }
    }

    @Test
    void aClosedNodeRefusesSendsAndForwardsNothingMore() throws Exception {
        outbox.forward(taken::add);
        outbox.sendAndWait("hello", LONG);
        next();

        node.close(Duration.ZERO);

        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
        assertThat(node.failure()).isNull();
        assertThat(node.stopped().toCompletableFuture()).isCompleted();
        assertThatThrownBy(() -> outbox.sendAndWait("late", LONG)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(node::peers).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> node.outbox("other", String.class, options -> options.f(0)))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("is CLOSED");
        node.close();
    }

    @Test
    void closingLetsHandlersFinish() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        outbox.forward(delivery -> {
            inHandler.countDown();
            release.await();
        });
        outbox.sendAndWait("hello", LONG);
        inHandler.await();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> node.close(Duration.ZERO));

        release.countDown();
        closing.get(20, TimeUnit.SECONDS);

        assertThat(outbox.statistics().forwarded()).isEqualTo(1);
    }

    @Test
    void callbacksCannotDeadlockTheNode() throws Exception {
        CompletableFuture<Throwable> fromClose = new CompletableFuture<>();
        CompletableFuture<Throwable> fromPeers = new CompletableFuture<>();

        outbox.forward(
                delivery -> {
                    fromClose.complete(org.assertj.core.api.Assertions.catchThrowable(node::close));
                    fromPeers.complete(org.assertj.core.api.Assertions.catchThrowable(node::peers));
                },
                options -> options.executor(Runnable::run));
        outbox.send("hello");

        assertThat(fromClose.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        assertThat(fromPeers.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void statisticsTellOfQueuesNobodyOpened() {
        assertThat(node.statistics().of(OutboxActivity.class).unopened()).isEmpty();
        assertThat(node.statistics().of(OutboxActivity.class).queues()).containsOnlyKeys("q");
        assertThat(node.ready(0)).isTrue();
        assertThat(node.ready(1)).isFalse();
        assertThat(node.peers()).isEmpty();
    }
}
