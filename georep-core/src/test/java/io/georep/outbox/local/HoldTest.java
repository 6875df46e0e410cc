package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.georep.SoloNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Hold;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Entries that a handler keeps and ends later, many at once. */
@Timeout(60)
class HoldTest extends SoloNode {
    private final BlockingQueue<Delivery<String>> kept = new LinkedBlockingQueue<>();
    private volatile Hold hold;

    private void keep(List<Delivery<String>> batch) {
        for (Delivery<String> delivery : batch) {
            hold = delivery.keep();
            kept.add(delivery);
        }
    }

    private List<Delivery<String>> kept(int count) throws InterruptedException {
        List<Delivery<String>> taken = new ArrayList<>();
        while (taken.size() < count) {
            taken.add(kept.take());
        }
        return taken;
    }

    private void send(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            outbox.send("m" + i).toCompletableFuture().get();
        }
    }

    @Test
    void entriesOfSeveralCallsEndTogetherAndMakeRoom() throws Exception {
        send(10);
        outbox.forwardBatches(this::keep, options -> options.window(4).batchMax(2));

        for (int count : List.of(4, 4, 2)) {
            List<Delivery<String>> all = kept(count);
            assertThat(kept).as("beyond the window").isEmpty();
            hold.forwarded(all);
        }

        awaitForwarded(10);
        assertThat(kept).isEmpty();
    }

    @Test
    void theFirstEndCounts() throws Exception {
        send(2);
        outbox.forwardBatches(this::keep, options -> options.retry(Retry.fixed(Duration.ZERO)));
        List<Delivery<String>> first = kept(2);

        hold.failed(first.get(0), new IOException("busy"));
        Delivery<String> again = kept(1).get(0);
        hold.forwarded(first);

        awaitForwarded(1);
        assertThat(again.payload()).isEqualTo(first.get(0).payload());
        assertThat(again.attempt()).isEqualTo(2);
        hold.forwarded(List.of(again));
        hold.failed(again, new IOException("too late"));
        awaitForwarded(2);
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(1);
    }

    @Test
    void whatEndedBeforeTheHandlerThrewHasNotFailed() throws Exception {
        send(2);
        outbox.forwardBatches(
                batch -> {
                    if (batch.size() == 2) {
                        batch.get(0).keep().forwarded(batch.subList(0, 1));
                        throw new IOException("then the line broke");
                    }
                    keep(batch);
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        Delivery<String> again = kept(1).get(0);

        assertThat(again.payload()).isEqualTo("m1");
        hold.forwarded(List.of(again));
        awaitForwarded(2);
        assertThat(kept).isEmpty();
    }

    @Test
    void afterAStopEntriesAreGivenBack() throws Exception {
        send(1);
        Forwarding forwarding = outbox.forwardBatches(this::keep, options -> {});
        Delivery<String> first = kept(1).get(0);
        Hold former = hold;
        forwarding.stop(Duration.ZERO);
        former.failed(first, new CancellationException());

        outbox.forwardBatches(this::keep, options -> {});
        Delivery<String> second = kept(1).get(0);

        assertThat(second.attempt()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> former.forwarded(List.of(second)))
                .withMessageContaining("is not in this hold");
        hold.forwarded(List.of(second));
        awaitForwarded(1);
    }

    @Test
    void aHandlerOfSingleEntriesKeepsThemToo() throws Exception {
        send(3);
        outbox.forward(delivery -> keep(List.of(delivery)), options -> options.window(3));

        List<Delivery<String>> all = kept(3);
        assertThat(outbox.statistics().active()).isEqualTo(3);
        hold.forwarded(all);

        awaitForwarded(3);
    }

    /** The return ends no entry that is kept, so its stage has to, also one that was complete when it was given. */
    @Test
    void anEntryThatIsKeptEndsWithACompleteStage() throws Exception {
        send(1);
        outbox.forward(delivery -> {
            delivery.keep();
            delivery.endsWith(CompletableFuture.completedFuture(null));
        });

        awaitForwarded(1);
    }

    /** It may be a thread of a client, which must not be kept from its other answers. */
    @Test
    void whoEndsAnEntryIsNotMadeToRunADirectExecutorsHandler() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        outbox.forward(
                delivery -> {
                    threads.add(Thread.currentThread().getName());
                    if (delivery.payload().equals("m1")) {
                        keep(List.of(delivery));
                    } else if (delivery.attempt() == 1) {
                        throw new IOException("busy");
                    }
                },
                options -> options.executor(Runnable::run).window(1).retry(Retry.fixed(Duration.ofMillis(4_900))));
        outbox.send("m0").toCompletableFuture().get();
        awaitParked(1);
        outbox.send("m1").toCompletableFuture().get();
        List<Delivery<String>> m1 = kept(1);
        node.statistics(); // the handler has returned

        ticker.advance(Duration.ofSeconds(5));
        hold.forwarded(m1);
        awaitForwarded(2);

        assertThat(threads).hasSize(3).containsOnly("georep-solo-outbox");
    }

    @Test
    void onlyAnEntryInAHandlersHandsIsKept() throws Exception {
        BlockingQueue<Delivery<String>> returned = new LinkedBlockingQueue<>();
        outbox.prepare("m0", SendOptions.defaults()).toCompletableFuture().get();
        Delivery<String> undecided =
                outbox.undecided(null, 1).toCompletableFuture().get().get(0);
        outbox.decide(List.of(undecided.id()), true);
        outbox.forward(returned::add);
        Delivery<String> forwarded = returned.take();
        awaitForwarded(1);

        assertThatIllegalStateException().isThrownBy(undecided::keep).withMessageContaining("in no handler's hands");
        assertThatIllegalStateException()
                .isThrownBy(forwarded::keep)
                .withMessageContaining("before the handler returns");
    }
}
