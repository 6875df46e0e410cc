package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A node of its own with one outbox, f = 0: everything but the copies. */
public abstract class SoloNode {
    protected static final Duration LONG = Duration.ofSeconds(60);

    protected final MovableTicker ticker = new MovableTicker();
    protected final BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
    protected final GeoRepNode node = start(ProtocolConfig.defaults());
    protected final Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));

    @AfterEach
    protected void stop() {
        node.halt();
    }

    protected GeoRepNode start(ProtocolConfig config) {
        return GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .protocol(config)
                .ticker(ticker)
                .expectedAway(Duration.ZERO)
                .start();
    }

    protected Delivery<String> next() throws InterruptedException {
        Delivery<String> delivery = taken.poll(20, TimeUnit.SECONDS);
        assertThat(delivery).as("a delivery within 20 s").isNotNull();
        return delivery;
    }

    protected void awaitForwarded(long count) {
        await(() -> outbox.statistics().forwarded() == count);
    }

    protected void awaitParked(long count) {
        await(() -> outbox.statistics().parked() == count);
    }

    protected void awaitDeadLettered(long count) {
        await(() -> outbox.statistics().deadLettered() == count);
    }

    protected DeadLetter<String> awaitDeadLetter() throws Exception {
        awaitDeadLettered(1);
        return get(outbox.deadLetters().list(null, 10)).letters().get(0);
    }

    protected static void await(java.util.function.BooleanSupplier condition) {
        org.awaitility.Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(2))
                .until(condition::getAsBoolean);
    }

    protected static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    protected static RejectedException rejection(CompletionStage<EntryId> stage) {
        try {
            stage.toCompletableFuture().join();
            throw new AssertionError("accepted");
        } catch (CompletionException e) {
            return (RejectedException) e.getCause();
        }
    }
}
