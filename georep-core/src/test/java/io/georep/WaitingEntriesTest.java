package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Entries that wait at a node and that no handler has: another node may take them over or end them. */
@Timeout(120)
class WaitingEntriesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration FAR = Duration.ofHours(1);
    private static final int ENTRIES = 100;

    private final LocalCluster cluster = LocalCluster.start(2);
    private final Outbox<String> first = open(1);
    private final Outbox<String> second = open(2);
    private final List<Delivery<String>> atFirst = Collections.synchronizedList(new java.util.ArrayList<>());
    private final List<Delivery<String>> atSecond = Collections.synchronizedList(new java.util.ArrayList<>());

    @AfterEach
    void close() {
        cluster.close();
    }

    private Outbox<String> open(int number) {
        return cluster.node(number).outbox("q", String.class, options -> options.f(1));
    }

    private void send(SendOptions options) {
        cluster.awaitReady(1);
        List<String> texts =
                IntStream.range(0, ENTRIES).mapToObj(Integer::toString).toList();
        List<? extends CompletionStage<?>> stages = first.sendAll(texts, options);
        CompletableFuture.allOf(stages.stream()
                        .map(CompletionStage::toCompletableFuture)
                        .toArray(CompletableFuture[]::new))
                .orTimeout(LONG.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await().atMost(LONG).until(condition::getAsBoolean);
    }

    private long held(int number) {
        return cluster.node(number)
                .statistics()
                .of(OutboxActivity.class)
                .protocol()
                .held()
                .getOrDefault("q", 0L);
    }

    private ForwardHandler<String> failing() {
        return delivery -> {
            atFirst.add(delivery);
            throw new IOException("the consumer is down");
        };
    }

    private void partition() {
        cluster.network().isolate(LocalCluster.id(1));
        await(() -> held(2) == ENTRIES || atSecond.size() == ENTRIES);
    }

    @Test
    void whatWaitsForItsDelayIsCededToWhoAdoptedIt() {
        first.forward(atFirst::add);
        second.forward(atSecond::add);
        send(SendOptions.defaults().delay(FAR));
        await(() -> first.statistics().parked() == ENTRIES);

        partition();
        cluster.network().heal();

        await(() -> held(1) == 0);
        assertThat(first.statistics().parked()).isZero();
        assertThat(held(2)).isEqualTo(ENTRIES);
    }

    @Test
    void whatWaitsForItsNextAttemptEndsWhenAnotherNodeForwardedIt() {
        first.forward(failing(), options -> options.retry(Retry.fixed(FAR)));
        second.forward(atSecond::add);
        send(SendOptions.defaults());
        await(() -> first.statistics().parked() == ENTRIES);

        partition();
        await(() -> atSecond.size() == ENTRIES);
        cluster.network().heal();

        await(() -> held(1) == 0);
        assertThat(first.statistics().parked()).isZero();
        assertThat(atFirst).hasSize(ENTRIES);
    }

    @Test
    void whatIsNextInTheWindowOfASlowHandlerIsNotForwardedOnceMore() {
        CountDownLatch release = new CountDownLatch(1);
        first.forward(delivery -> {
            atFirst.add(delivery);
            release.await();
        });
        second.forward(atSecond::add);
        send(SendOptions.defaults());
        await(() -> atFirst.size() == 1);

        partition();
        await(() -> atSecond.size() == ENTRIES);
        cluster.network().heal();
        await(() -> cluster.node(2).peers().stream().allMatch(peer -> peer.state() == io.georep.model.PeerState.ACTIVE)
                && first.statistics().active() <= ENTRIES);
        // What the handler does not have has left the window by the time it asks for more.
        await(() -> recalledAt(1));
        release.countDown();

        await(() -> held(1) == 0);
        assertThat(atFirst).hasSize(1);
    }

    private boolean recalledAt(int number) {
        return held(number) < ENTRIES;
    }

    @Test
    void aDrainedNodeKeepsNothingThatWaits() {
        first.forward(failing(), options -> options.retry(Retry.fixed(FAR)));
        second.forward(atSecond::add);
        send(SendOptions.defaults());
        await(() -> first.statistics().parked() == ENTRIES);

        cluster.node(1).drain(LocalCluster.id(1));

        await(() -> held(1) == 0);
        await(() -> atSecond.size() == ENTRIES);
        assertThat(atFirst).hasSize(ENTRIES);
    }
}
