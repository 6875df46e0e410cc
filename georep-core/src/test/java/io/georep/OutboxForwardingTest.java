package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.spi.PayloadCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Retries, dead letters, delays, expiry, pauses. */
@Timeout(60)
class OutboxForwardingTest extends SoloNode {
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
        assertThat(outbox.statistics().possiblySent()).isEqualTo(Map.of(RepetitionCause.ATTEMPTED, 2L));
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
        assertThat(node.statistics().of(OutboxActivity.class).protocol().held().getOrDefault("q", 0L))
                .isZero();
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
        sendBeforeForwarding("a", "b", "c");
        outbox.forward(delivery -> {
            taken.add(delivery);
            inHandler.countDown();
            release.await();
        });
        inHandler.await();

        outbox.pause();
        release.countDown();
        await(() -> outbox.statistics().active() == 0);
        assertThat(taken).extracting(Delivery::payload).containsExactly("a");
        outbox.resume();

        awaitForwarded(3);
        assertThat(taken).extracting(Delivery::payload).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void aPauseHoldsForHandlersToCome() throws Exception {
        outbox.pause();
        sendBeforeForwarding("a");

        Forwarding first = outbox.forward(taken::add);
        assertThat(first.paused()).isTrue();
        first.stop(LONG);
        Forwarding second = outbox.forward(taken::add);
        assertThat(second.paused()).isTrue();
        outbox.resume();

        awaitForwarded(1);
        second.stop(LONG);
        assertThat(outbox.forward(taken::add).paused()).isFalse();
    }

    @Test
    void stopFinishesTheCallAtWorkAndGivesTheRestToTheNextHandler() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        sendBeforeForwarding("a", "b", "c");
        Forwarding first = outbox.forward(delivery -> {
            taken.add(delivery);
            inHandler.countDown();
            release.await();
        });
        inHandler.await();

        boolean endedAtOnce = first.stop(Duration.ZERO);
        release.countDown();
        boolean ended = first.stop(LONG);

        assertThat(endedAtOnce).isFalse();
        assertThat(ended).isTrue();
        assertThat(taken).extracting(Delivery::payload).containsExactly("a");
        outbox.forward(taken::add);
        awaitForwarded(3);
        assertThat(taken).extracting(Delivery::payload).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void aStageCancelledAfterAStopGivesItsEntryBack() throws Exception {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        outbox.sendAndWait("a", LONG);
        Forwarding first = outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    delivery.endsWith(answer);
                },
                options -> options.retry(Retry.none()));
        next();

        first.stop(Duration.ZERO);
        answer.cancel(false);
        boolean ended = first.stop(LONG);
        outbox.forward(taken::add);

        assertThat(ended).isTrue();
        assertThat(next().payload()).isEqualTo("a");
        awaitForwarded(1);
        assertThat(outbox.statistics().deadLettered()).isZero();
        assertThat(outbox.statistics().failedAttempts()).isZero();
    }

    private void sendBeforeForwarding(String... payloads) {
        outbox.sendAll(List.of(payloads))
                .forEach(stage -> stage.toCompletableFuture().join());
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
}
