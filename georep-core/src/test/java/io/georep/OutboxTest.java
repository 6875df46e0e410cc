package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An outbox on a node of its own, f = 0: everything but the copies. */
@Timeout(60)
class OutboxTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final MovableTicker ticker = new MovableTicker();
    private final BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
    private final GeoRepNode node = start(ProtocolConfig.defaults());
    private final Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));

    @AfterEach
    void stop() {
        node.halt();
    }

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
    void retriesUntilTheHandlerSucceeds() throws Exception {
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (delivery.attempt() < 3) {
                        throw new IOException("operator is down");
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ofMillis(1))));

        outbox.sendAndWait("hello", LONG);

        assertThat(next().attempt()).isEqualTo(1);
        assertThat(next().attempt()).isEqualTo(2);
        Delivery<String> third = next();
        assertThat(third.attempt()).isEqualTo(3);
        assertThat(third.payload()).isEqualTo("hello");
        assertThat(third.possiblySent()).isTrue();
        awaitForwarded(1);
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(2);
    }

    @Test
    void aRetryWhosePayloadWasDroppedIsReadAgain() throws Exception {
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (delivery.attempt() < 2) {
                        throw new IOException("operator is down");
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ofHours(1))));
        outbox.sendAndWait("hello", LONG);
        assertThat(next().attempt()).isEqualTo(1);
        awaitParked(1);

        ticker.advance(Duration.ofHours(2));
        node.statistics();

        Delivery<String> again = next();
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.payload()).isEqualTo("hello");
        awaitForwarded(1);
    }

    @Test
    void givesUpAfterTheLastAttemptAndReplaysTheDeadLetter() throws Exception {
        AtomicBoolean down = new AtomicBoolean(true);
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (down.get()) {
                        throw new IOException("operator is down");
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO).attempts(2)));
        EntryId id = outbox.sendAndWait("hello", LONG);
        next();
        next();
        DeadLetter<String> letter = awaitDeadLetter();

        down.set(false);
        long replayed = get(outbox.deadLetters().replay(List.of(id)));

        assertThat(letter.id()).isEqualTo(id);
        assertThat(letter.payload()).isEqualTo("hello");
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.reason()).contains("operator is down");
        assertThat(replayed).isEqualTo(1);
        assertThat(next().id()).isEqualTo(id);
        awaitForwarded(1);
        assertThat(get(outbox.deadLetters().list(null, 10)).letters()).isEmpty();
    }

    @Test
    void hopelessErrorsAreDeadLettersAtOnceAndCanBeDeletedInPages() throws Exception {
        outbox.forward(
                delivery -> {
                    throw new IllegalArgumentException("no such number");
                },
                options -> options.retry(Retry.defaults().neverOn(IllegalArgumentException.class)));
        for (int i = 0; i < 5; i++) {
            outbox.sendAndWait("payload " + i, LONG);
        }
        awaitDeadLettered(5);

        DeadLetters.Page<String> first = get(outbox.deadLetters().list(null, 3));
        DeadLetters.Page<String> second =
                get(outbox.deadLetters().list(first.letters().get(2).id(), 3));
        long deleted =
                get(outbox.deadLetters().delete(List.of(first.letters().get(0).id())));
        long rest = get(outbox.deadLetters().deleteAll());

        assertThat(first.letters())
                .extracting(DeadLetter::payload)
                .containsExactly("payload 0", "payload 1", "payload 2");
        assertThat(first.more()).isTrue();
        assertThat(second.letters()).extracting(DeadLetter::payload).containsExactly("payload 3", "payload 4");
        assertThat(second.more()).isFalse();
        assertThat(deleted).isEqualTo(1);
        assertThat(rest).isEqualTo(4);
        assertThatThrownBy(() -> outbox.deadLetters().list(null, 0)).hasMessageContaining("allowed are 1 to 1000");
    }

    @Test
    void unreadablePayloadsAreDeadLettersAndHarmNothingElse() throws Exception {
        PayloadCodec<String> moody = new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return payload.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            }

            @Override
            public String decode(Slice bytes) throws IOException {
                String text = new String(bytes.toArray(), java.nio.charset.StandardCharsets.UTF_8);
                if (text.equals("bad")) {
                    throw new IOException("cannot read this");
                }
                return text;
            }
        };
        Outbox<String> picky = node.outbox("picky", moody, options -> options.f(0));
        picky.forward(taken::add);

        picky.sendAndWait("bad", LONG);
        picky.sendAndWait("good", LONG);

        assertThat(next().payload()).isEqualTo("good");
        DeadLetters.Page<String> page = get(picky.deadLetters().list(null, 10));
        assertThat(page.letters()).hasSize(1);
        assertThat(page.letters().get(0).payload()).isNull();
        assertThat(page.letters().get(0).reason()).contains("cannot read this");
    }

    @Test
    void delayedEntriesComeOnlyWhenDue() throws Exception {
        outbox.forward(taken::add);
        outbox.send("later", SendOptions.defaults().delay(Duration.ofHours(1)));
        outbox.sendAndWait("now", LONG);
        assertThat(next().payload()).isEqualTo("now");
        awaitParked(1);

        ticker.advance(Duration.ofHours(1).plusSeconds(1));
        node.statistics();

        assertThat(next().payload()).isEqualTo("later");
    }

    @Test
    void expiredEntriesAreDroppedAndTold() throws Exception {
        BlockingQueue<Delivery<String>> expired = new LinkedBlockingQueue<>();
        outbox.onExpired(expired::add);
        outbox.send("stale", SendOptions.defaults().timeToLive(Duration.ofMinutes(1)))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        ticker.advance(Duration.ofMinutes(2));

        outbox.forward(taken::add);

        Delivery<String> dropped = expired.poll(20, TimeUnit.SECONDS);
        assertThat(dropped).isNotNull();
        assertThat(dropped.payload()).isEqualTo("stale");
        outbox.sendAndWait("fresh", LONG);
        assertThat(next().payload()).isEqualTo("fresh");
        awaitForwarded(1);
        assertThat(outbox.statistics().expired()).isEqualTo(1);
        assertThat(node.statistics().protocol().held().getOrDefault("q", 0L)).isZero();
    }

    @Test
    void anEntryThatExpiresWhileWaitingForItsRetryIsNotRetried() throws Exception {
        BlockingQueue<Delivery<String>> expired = new LinkedBlockingQueue<>();
        outbox.onExpired(expired::add);
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    throw new IOException("operator is down");
                },
                options -> options.retry(Retry.fixed(Duration.ofDays(1))));
        outbox.send("stale", SendOptions.defaults().timeToLive(Duration.ofMinutes(1)));
        next();
        awaitParked(1);

        ticker.advance(Duration.ofMinutes(2));
        node.statistics();

        assertThat(expired.poll(20, TimeUnit.SECONDS)).isNotNull();
        assertThat(taken).isEmpty();
    }

    @Test
    void pausedForwardingTakesNothingUntilResumed() throws Exception {
        Forwarding forwarding = outbox.forward(taken::add, ForwardOptions::paused);
        outbox.sendAndWait("hello", LONG);
        node.statistics();
        assertThat(taken).isEmpty();
        assertThat(forwarding.paused()).isTrue();

        forwarding.resume();

        assertThat(next().payload()).isEqualTo("hello");
    }

    @Test
    void pauseGivesBackWhatTheHandlerDidNotTouch() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        outbox.forward(delivery -> {
            taken.add(delivery);
            inHandler.countDown();
            release.await();
        });
        outbox.sendAll(List.of("a", "b", "c"));
        inHandler.await();
        outbox.pause();
        release.countDown();
        outbox.resume();

        List<String> payloads = new ArrayList<>();
        while (payloads.size() < 3) {
            payloads.add(next().payload());
        }
        assertThat(payloads).containsExactlyInAnyOrder("a", "b", "c");
        awaitForwarded(3);
    }

    @Test
    void aStoppedForwardingGivesItsEntriesToTheNext() throws Exception {
        Forwarding first = outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    throw new IOException("operator is down");
                },
                options -> options.retry(Retry.fixed(Duration.ofDays(1))));
        outbox.sendAndWait("hello", LONG);
        next();
        awaitParked(1);
        assertThatThrownBy(() -> outbox.forward(taken::add)).isInstanceOf(IllegalStateException.class);

        boolean ended = first.stop(LONG);
        outbox.forward(taken::add);

        assertThat(ended).isTrue();
        assertThat(first.running()).isFalse();
        Delivery<String> again = next();
        assertThat(again.payload()).isEqualTo("hello");
        assertThat(again.possiblySent()).isTrue();
        awaitForwarded(1);
    }

    @Test
    void asyncHandlersForwardWhenTheirStageCompletes() throws Exception {
        BlockingQueue<CompletableFuture<Void>> answers = new LinkedBlockingQueue<>();
        outbox.forwardAsync(
                delivery -> {
                    taken.add(delivery);
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    answers.add(answer);
                    return answer;
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
        outbox.forwardAsync(
                delivery -> {
                    most.accumulateAndGet(outstanding.incrementAndGet(), Math::max);
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    answers.add(answer);
                    return answer;
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

        assertThat(threads.poll(20, TimeUnit.SECONDS)).isEqualTo("georep-solo-app");
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
            assertThat(small.statistics().pendingSends()).isZero();
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

        outbox.send("hello").thenAccept(id -> {
            fromClose.complete(org.assertj.core.api.Assertions.catchThrowable(node::close));
            fromPeers.complete(org.assertj.core.api.Assertions.catchThrowable(node::peers));
        });

        assertThat(fromClose.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        assertThat(fromPeers.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void statisticsTellOfQueuesNobodyOpened() {
        assertThat(node.statistics().unopened()).isEmpty();
        assertThat(node.statistics().queues()).containsOnlyKeys("q");
        assertThat(node.ready(0)).isTrue();
        assertThat(node.ready(1)).isFalse();
        assertThat(node.peers()).isEmpty();
    }

    private GeoRepNode start(ProtocolConfig config) {
        return GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .protocol(config)
                .ticker(ticker)
                .expectedAway(Duration.ZERO)
                .start();
    }

    private Delivery<String> next() throws InterruptedException {
        Delivery<String> delivery = taken.poll(20, TimeUnit.SECONDS);
        assertThat(delivery).as("a delivery within 20 s").isNotNull();
        return delivery;
    }

    private void awaitForwarded(long count) {
        await(() -> outbox.statistics().forwarded() == count);
    }

    private void awaitParked(long count) {
        await(() -> outbox.statistics().parked() == count);
    }

    private void awaitDeadLettered(long count) {
        await(() -> outbox.statistics().deadLettered() == count);
    }

    private DeadLetter<String> awaitDeadLetter() throws Exception {
        awaitDeadLettered(1);
        return get(outbox.deadLetters().list(null, 10)).letters().get(0);
    }

    private static void await(java.util.function.BooleanSupplier condition) {
        org.awaitility.Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(2))
                .until(condition::getAsBoolean);
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static RejectedException rejection(CompletionStage<EntryId> stage) {
        try {
            stage.toCompletableFuture().join();
            throw new AssertionError("accepted");
        } catch (CompletionException e) {
            return (RejectedException) e.getCause();
        }
    }
}
