package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.testing.LocalNetwork;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that was just started waits for others, and the first send after that is taken. */
@Timeout(60)
class AwaitReadyTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Nobody falls silent here: a busy machine must not look like that. */
    private static final ProtocolConfig PATIENT = ProtocolConfig.builder()
            .heartbeat(Duration.ofMillis(50))
            .heartbeatAway(Duration.ofMillis(100))
            .suspectAfter(Duration.ofMinutes(1))
            .putTimeout(LONG)
            .build();

    private final LocalNetwork network = new LocalNetwork();
    private final GeoRepNode first = start(1, 2);

    @AfterEach
    void stop() {
        first.halt();
    }

    private GeoRepNode start(int number, int seed) {
        return GeoRepNode.builder()
                .nodeId("n" + number)
                .listen("local", 1000 + number)
                .seeds("local:" + (1000 + seed))
                .durability(Durability.MEMORY)
                .protocol(PATIENT)
                .transport(network.transports())
                .expectedAway(Duration.ZERO)
                .start();
    }

    /** A call in a thread of its own, which has begun. */
    private static FutureTask<Boolean> inThread(Callable<Boolean> call) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            begun.countDown();
            return call.call();
        });
        Thread thread = new Thread(task, "waits for readiness");
        thread.setDaemon(true);
        thread.start();
        begun.await();
        return task;
    }

    @Test
    void returnsWhenAnotherNodeCanTakeACopy() throws Exception {
        Outbox<String> outbox = first.outbox("sms", String.class, options -> options.f(1));
        assertThatThrownBy(() -> outbox.sendAndWait("too early", LONG))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("0 other nodes can take a copy now");
        FutureTask<Boolean> ready = inThread(() -> first.awaitReady(1, LONG));

        GeoRepNode second = start(2, 1);
        try {
            assertThat(ready.get(30, TimeUnit.SECONDS)).isTrue();

            assertThat(outbox.sendAndWait("in time", LONG)).isNotNull();
        } finally {
            second.halt();
        }
    }

    @Test
    void returnsFalseWhenTheTimeIsOver() {
        assertThat(first.awaitReady(1, Duration.ofMillis(20))).isFalse();
        assertThat(first.awaitReady(1, Duration.ZERO)).isFalse();
        assertThat(first.awaitReady(0, LONG)).isTrue();
    }

    @Test
    void failsWhenTheNodeStops() throws Exception {
        FutureTask<Boolean> ready = inThread(() -> first.awaitReady(1, LONG));

        first.close();

        assertThatThrownBy(() -> ready.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> first.awaitReady(1, LONG)).isInstanceOf(ClosedException.class);
    }

    @Test
    void refusesToWaitForItself() throws Exception {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        first.onPeerChange(change -> {
            try {
                answer.complete(first.awaitReady(1, LONG));
            } catch (IllegalStateException e) {
                answer.completeExceptionally(e);
            }
        });

        GeoRepNode second = start(2, 1);
        try {
            assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).hasMessageContaining("ask from another thread");
        } finally {
            second.halt();
        }
    }
}
