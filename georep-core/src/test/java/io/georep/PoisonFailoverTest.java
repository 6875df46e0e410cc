package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.DeadLetter;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An entry that no handler can forward is tried as often as the policy says, on however many nodes. */
@Timeout(120)
class PoisonFailoverTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int LIMIT = 5;

    private final LocalCluster cluster = LocalCluster.start(3);
    private final AtomicInteger hits = new AtomicInteger();
    private final List<Outbox<String>> outboxes = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** A queue whose handler always fails, soon at first and then after a long pause. */
    private void open(int number, Duration pause) {
        Outbox<String> outbox = cluster.node(number).outbox("poison", String.class, options -> options.f(1));
        outbox.forward(
                delivery -> {
                    hits.incrementAndGet();
                    throw new IOException("no such number");
                },
                options -> options.retry(Retry.fixed(pause).attempts(LIMIT)));
        outboxes.add(outbox);
    }

    private List<DeadLetter<String>> letters(Outbox<String> outbox) {
        try {
            return outbox.deadLetters()
                    .list(null, 10)
                    .toCompletableFuture()
                    .get(LONG.toSeconds(), TimeUnit.SECONDS)
                    .letters();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Outbox<String> awaitOneDeadLetter() {
        List<Outbox<String>> found = new ArrayList<>();
        Awaitility.await().atMost(LONG).until(() -> {
            found.clear();
            outboxes.stream().filter(outbox -> letters(outbox).size() == 1).forEach(found::add);
            return found.size() == 1;
        });
        return found.get(0);
    }

    @Test
    void attemptsGoOnWhereTheDeadNodeLeftOff() {
        open(1, Duration.ofMillis(700));
        cluster.awaitReady(1);
        outboxes.get(0).sendAndWait("poison", LONG);
        Awaitility.await().atMost(LONG).until(() -> hits.get() >= 2);

        cluster.crash(1);
        outboxes.clear();
        open(2, Duration.ofMillis(10));
        open(3, Duration.ofMillis(10));

        DeadLetter<String> letter = letters(awaitOneDeadLetter()).get(0);
        assertThat(letter.attempts()).isEqualTo(LIMIT);
        assertThat(hits.get())
                .as("the attempt under way at the crash may not be counted")
                .isBetween(LIMIT, LIMIT + 1);
    }

    @Test
    void attemptsGoOnAfterARestart() {
        open(1, Duration.ofMillis(700));
        cluster.awaitReady(1);
        outboxes.get(0).sendAndWait("poison", LONG);
        Awaitility.await().atMost(LONG).until(() -> hits.get() >= 2);

        cluster.close(1, Duration.ofSeconds(30));
        cluster.restart(1);
        outboxes.clear();
        open(1, Duration.ofMillis(10));

        awaitOneDeadLetter();
        assertThat(hits.get()).isEqualTo(LIMIT);
    }

    @Test
    void aDeadLetterStaysDeadWhereItIsAdoptedAndWhereItReturns() {
        open(1, Duration.ofMillis(1));
        open(2, Duration.ofMillis(1));
        open(3, Duration.ofMillis(1));
        cluster.awaitReady(1);
        outboxes.get(0).sendAndWait("poison", LONG);
        awaitOneDeadLetter();

        cluster.close(1, Duration.ZERO);
        outboxes.remove(0);
        Outbox<String> adopter = awaitOneDeadLetter();

        assertThat(letters(adopter).get(0).reason()).contains("no such number");
        cluster.restart(1);
        open(1, Duration.ofMillis(1));
        cluster.awaitReady(1);
        awaitOneDeadLetter();
        assertThat(hits.get()).isEqualTo(LIMIT);
    }

    @Test
    void aReplayBeginsAnewWhereItIsAsked() throws Exception {
        open(1, Duration.ofMillis(1));
        open(2, Duration.ofMillis(1));
        open(3, Duration.ofMillis(1));
        cluster.awaitReady(1);
        outboxes.get(0).sendAndWait("poison", LONG);
        awaitOneDeadLetter();

        outboxes.get(0).deadLetters().replayAll().toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);

        Awaitility.await().atMost(LONG).until(() -> hits.get() == 2 * LIMIT);
        awaitOneDeadLetter();
    }
}
