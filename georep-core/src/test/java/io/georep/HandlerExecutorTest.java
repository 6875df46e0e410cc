package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.DeadLetter;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors, codecs and handlers that fail in ways of their own: no entry may wait for ever, none come twice at a time. */
@Timeout(60)
class HandlerExecutorTest extends SoloNode {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    /** Fails for the first tasks, then takes them. */
    private final class Failing implements Executor {
        private final AtomicInteger left;
        private final Throwable error;

        Failing(int times, Throwable error) {
            this.left = new AtomicInteger(times);
            this.error = error;
        }

        @Override
        public void execute(Runnable task) {
            if (left.getAndDecrement() > 0) {
                HandlerExecutorTest.<RuntimeException>raise(error);
            }
            threads.execute(task);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void raise(Throwable error) throws E {
        throw (E) error;
    }

    @Test
    void anExecutorThatRefusedIsAskedAgainWithoutAnythingElseHappening() throws Exception {
        Executor executor = new Failing(3, new RejectedExecutionException("saturated"));
        outbox.forward(taken::add, options -> options.executor(executor));

        outbox.sendAndWait("hello", LONG);

        assertThat(next().payload()).isEqualTo("hello");
        awaitForwarded(1);
    }

    @Test
    void anExecutorWithoutThreadsIsAskedAgainWithoutAnythingElseHappening() throws Exception {
        Executor executor = new Failing(3, new OutOfMemoryError("unable to create native thread"));
        outbox.forward(taken::add, options -> options.executor(executor));

        outbox.sendAndWait("hello", LONG);

        assertThat(next().payload()).isEqualTo("hello");
        awaitForwarded(1);
    }

    @Test
    void anExecutorThatRefusesWhenAStageFailsIsAskedAgain() throws Exception {
        Executor executor = new Failing(0, new RejectedExecutionException("saturated"));
        Failing later = (Failing) executor;
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (delivery.attempt() == 1) {
                        later.left.set(2);
                        delivery.endsWith(CompletableFuture.supplyAsync(
                                () -> {
                                    throw new IllegalStateException("operator is down");
                                },
                                threads));
                    }
                },
                options -> options.executor(executor).retry(Retry.fixed(Duration.ofMillis(1))));

        outbox.sendAndWait("hello", LONG);

        assertThat(next().attempt()).isEqualTo(1);
        assertThat(next().attempt()).isEqualTo(2);
        awaitForwarded(1);
    }

    @Test
    void anExecutorThatDropsTasksWithoutAWordGetsThemAgain() throws Exception {
        AtomicInteger dropped = new AtomicInteger();
        outbox.forward(
                taken::add,
                options -> options.executor(task -> {
                    if (dropped.incrementAndGet() > 2) {
                        threads.execute(task);
                    }
                }));
        outbox.sendAndWait("hello", LONG);

        for (int round = 1; round <= 2; round++) {
            int sofar = round;
            await(() -> dropped.get() == sofar);
            ticker.advance(Duration.ofSeconds(30));
            node.statistics(); // wakes the application thread
        }

        assertThat(next().payload()).isEqualTo("hello");
        awaitForwarded(1);
    }

    @Test
    void aTaskThatComesAfterItWasGivenUpDoesNothing() throws Exception {
        ArrayDeque<Runnable> kept = new ArrayDeque<>();
        AtomicInteger offered = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger atOnce = new AtomicInteger();
        outbox.forward(
                delivery -> {
                    atOnce.incrementAndGet();
                    taken.add(delivery);
                    release.await();
                },
                options -> options.executor(task -> {
                    if (offered.incrementAndGet() == 1) {
                        kept.add(task);
                    } else {
                        threads.execute(task);
                    }
                }));
        outbox.sendAndWait("a", LONG);
        await(() -> offered.get() == 1);
        ticker.advance(Duration.ofSeconds(30));
        node.statistics();
        next();
        outbox.sendAndWait("b", LONG);

        threads.submit(kept.remove()).get();

        assertThat(atOnce).hasValue(1);
        release.countDown();
        awaitForwarded(2);
    }

    @Test
    void anExecutorThatThrowsAlthoughItTookTheTaskBeginsNoSecondCall() throws Exception {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger tasks = new AtomicInteger();
        outbox.forward(
                delivery -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    Thread.yield();
                    atOnce.decrementAndGet();
                },
                options -> options.executor(task -> {
                    Future<?> running = threads.submit(task);
                    // Not always: who is said to be refused before it begins does nothing, and could be so each time.
                    if (running != null && tasks.getAndIncrement() % 2 == 0) {
                        throw new RejectedExecutionException("took it all the same");
                    }
                }));

        for (int i = 0; i < 200; i++) {
            outbox.sendAndWait("payload " + i, LONG);
        }

        awaitForwarded(200);
        assertThat(most).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anErrorThatCannotBeWrittenDownIsLikeAnyOther(boolean later) throws Exception {
        if (later) {
            outbox.forward(
                    delivery -> delivery.endsWith(CompletableFuture.failedFuture(new Unspeakable())),
                    options -> options.retry(Retry.none()).window(1));
        } else {
            outbox.forward(
                    delivery -> {
                        throw new Unspeakable();
                    },
                    options -> options.retry(Retry.none()).window(1));
        }

        outbox.sendAndWait("a", LONG);
        outbox.sendAndWait("b", LONG);

        awaitDeadLettered(2);
        await(() -> outbox.statistics().active() == 0);
        assertThat(get(outbox.deadLetters().list(null, 10)).letters())
                .extracting(DeadLetter::reason)
                .hasSize(2)
                .allMatch(reason -> reason.contains("Unspeakable"));
    }

    @Test
    void aReasonIsKeptInReasonableLength() throws Exception {
        outbox.forward(
                delivery -> {
                    throw new IOException("no ".repeat(100_000));
                },
                options -> options.retry(Retry.none()));

        outbox.sendAndWait("a", LONG);

        assertThat(awaitDeadLetter().reason())
                .startsWith("java.io.IOException: no no")
                .hasSizeLessThan(1100);
    }

    @Test
    void aGeneratorOfRandomNumbersThatFailsStopsNothing() throws Exception {
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (delivery.attempt() == 1) {
                        throw new IOException("operator is down");
                    }
                },
                options -> options.window(1)
                        .retry(Retry.fixed(Duration.ofMillis(1)).jitter(0.5))
                        .random(() -> {
                            throw new IllegalStateException("no entropy");
                        }));

        outbox.sendAndWait("a", LONG);

        assertThat(next().attempt()).isEqualTo(1);
        assertThat(next().attempt()).isEqualTo(2);
        awaitForwarded(1);
    }

    @Test
    void aShortageOfMemoryWhileAPayloadIsReadIsNotThePayloadsFault() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        Outbox<String> large = node.outbox(
                "large",
                new TextCodec(text -> {
                    if (reads.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                }),
                options -> options.f(0));
        large.forward(taken::add, options -> options.retry(Retry.fixed(Duration.ofMillis(1))));

        large.sendAndWait("hello", LONG);

        assertThat(next().payload()).isEqualTo("hello");
        await(() -> large.statistics().forwarded() == 1);
        assertThat(large.statistics().deadLettered()).isZero();
    }

    @Test
    void aPayloadNoClassCanReadIsADeadLetterAndThePageOfDeadLettersCanBeRead() throws Exception {
        Outbox<String> broken = node.outbox(
                "broken",
                new TextCodec(text -> {
                    if (text.equals("bad")) {
                        throw new NoClassDefFoundError("com/example/Gone");
                    }
                }),
                options -> options.f(0));
        broken.forward(taken::add);

        broken.sendAndWait("bad", LONG);
        broken.sendAndWait("good", LONG);

        assertThat(next().payload()).isEqualTo("good");
        List<DeadLetter<String>> letters =
                get(broken.deadLetters().list(null, 10)).letters();
        assertThat(letters).singleElement().satisfies(letter -> {
            assertThat(letter.payload()).isNull();
            assertThat(letter.reason()).contains("unreadable payload").contains("com/example/Gone");
        });
    }

    @Test
    void aStageThatCompletesTwiceEndsItsEntryOnce() throws Exception {
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    delivery.endsWith(new TwiceCompleted());
                },
                options -> options.window(1));

        for (int i = 0; i < 3; i++) {
            outbox.sendAndWait("payload " + i, LONG);
        }

        awaitForwarded(3);
        assertThat(taken).hasSize(3);
        assertThat(outbox.statistics().active()).isZero();
    }

    @Test
    void aStageThatCannotBeWaitedForIsAFailure() throws Exception {
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    delivery.endsWith(
                            delivery.attempt() == 1 ? new Unwaitable() : CompletableFuture.<Void>completedFuture(null));
                },
                options -> options.retry(Retry.fixed(Duration.ofMillis(1))));

        outbox.sendAndWait("a", LONG);

        assertThat(next().attempt()).isEqualTo(1);
        assertThat(next().attempt()).isEqualTo(2);
        awaitForwarded(1);
    }

    /** Tells its dependents twice. */
    private static final class TwiceCompleted extends CompletableFuture<Void> {
        @Override
        public CompletableFuture<Void> whenComplete(
                java.util.function.BiConsumer<? super Void, ? super Throwable> action) {
            action.accept(null, null);
            action.accept(null, null);
            return this;
        }
    }

    /** Takes no dependents. */
    private static final class Unwaitable extends CompletableFuture<Void> {
        @Override
        public CompletableFuture<Void> whenComplete(
                java.util.function.BiConsumer<? super Void, ? super Throwable> action) {
            throw new UnsupportedOperationException("do not wait");
        }
    }
}
