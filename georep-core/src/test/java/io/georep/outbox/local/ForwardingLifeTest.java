package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.Lateness;
import io.georep.NodeState;
import io.georep.SoloNode;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.local.NodeHandle;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that come, pause, wait and go while entries are on their way to them. */
@Timeout(60)
class ForwardingLifeTest extends SoloNode {
    private static final long NOW = 0;

    @Test
    void creditAndAnswersThatArriveAfterAHandlerWentAreItsSuccessors() {
        ForwardWindow first = new ForwardWindow(options(10));
        ForwardWindow second = new ForwardWindow(options(10));
        assertThat(first.sweep(NOW).credit()).isEqualTo(10);
        first.stop(NOW);

        first.passTo(second);

        assertThat(second.sweep(NOW).credit()).as("the node still has ten").isZero();
        List<OutboxEvent.Delivered> arrived = entries(10);
        assertThat(first.delivered(arrived, NOW)).as("taken by the first").isNull();
        second.delivered(arrived, NOW);
        assertThat(second.active()).isEqualTo(10);
    }

    @Test
    void handlersMayComeAndGoWhileEntriesArrive() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            threads.execute(() -> {
                while (!over.get()) {
                    outbox.sendAll(List.of("a", "b", "c"))
                            .forEach(stage -> stage.toCompletableFuture().join());
                }
            });
            for (int i = 0; i < 1500; i++) {
                Forwarding forwarding = outbox.forward(delivery -> {}, options -> options.window(2));
                long before = outbox.statistics().delivered();
                await(() -> outbox.statistics().delivered() > before);
                forwarding.stop(LONG);
            }
        } finally {
            over.set(true);
            threads.shutdown();
        }
    }

    @Test
    void aStopMayWaitForEver() {
        Forwarding forwarding = outbox.forward(taken::add);

        assertThat(forwarding.stop(ChronoUnit.FOREVER.getDuration())).isTrue();
    }

    @Test
    void aPauseAfterAResumeCounts() throws Exception {
        Forwarding forwarding = outbox.forward(taken::add, ForwardOptions::paused);
        CountDownLatch busy = new CountDownLatch(1);
        NodeHandle<?> handle = ((LocalQueue) outbox).node;
        handle.execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        forwarding.resume();
        forwarding.pause();
        busy.countDown();
        CountDownLatch passed = new CountDownLatch(1);
        handle.execute(passed::countDown);
        passed.await();

        assertThat(forwarding.paused()).isTrue();
    }

    /** A pause takes back what was ready: nobody had it. */
    @Test
    void whatNoHandlerHadBeforeAPauseIsNotPossiblySent() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Forwarding forwarding = outbox.forward(delivery -> {
            taken.add(delivery);
            release.await();
        });
        outbox.sendAll(java.util.Collections.nCopies(10, "a"))
                .forEach(stage -> stage.toCompletableFuture().join());
        next();

        forwarding.pause();
        release.countDown();
        await(() -> outbox.statistics().active() == 0);
        forwarding.resume();

        for (int i = 1; i < 10; i++) {
            assertThat(next().possiblySent()).isFalse();
        }
    }

    @Test
    void aRetryComesInTimeAlsoWhenTheHandlerWasBusyAtFirst() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        outbox.forward(
                delivery -> {
                    taken.add(delivery);
                    if (delivery.payload().equals("a") && delivery.attempt() == 1) {
                        throw new IOException("operator is down");
                    }
                    if (delivery.payload().equals("b")) {
                        busy.await();
                    }
                },
                options -> options.window(1).retry(Retry.fixed(Duration.ofSeconds(3))));
        outbox.sendAndWait("a", LONG);
        assertThat(next().payload()).isEqualTo("a");
        awaitParked(1);
        outbox.sendAndWait("b", LONG);
        assertThat(next().payload()).isEqualTo("b");
        Thread application = thread("georep-solo-outbox");
        await(() -> application.getState() == Thread.State.TIMED_WAITING);

        busy.countDown();

        assertThat(next().payload()).isEqualTo("a");
    }

    @Test
    void aHandlerThatComesTooLateIsToldSo() {
        node.close();

        assertThatThrownBy(() -> outbox.forward(taken::add))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("running node");
    }

    @Test
    void noHandlerBeginsAnythingWhileAnotherIsWaitedForAtTheEnd() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(2);
        CountDownLatch release = new CountDownLatch(1);
        List<Delivery<String>> calls = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Forwarding> forwardings = new ArrayList<>();
        List<Outbox<String>> outboxes = List.of(outbox, node.outbox("other", String.class, options -> options.f(0)));
        for (Outbox<String> each : outboxes) {
            each.sendAll(List.of("1", "2", "3"))
                    .forEach(stage -> stage.toCompletableFuture().join());
            forwardings.add(each.forward(delivery -> {
                calls.add(delivery);
                inHandler.countDown();
                release.await();
            }));
        }
        inHandler.await();
        Thread closing = new Thread(node::close);
        try (Lateness control = new Lateness()) {
            closing.start();
            await(() -> forwardings.stream().noneMatch(Forwarding::running));
            assertThat(control.elapsed())
                    .as("half of closeTimeout, which the first may take for itself")
                    .isLessThan(Duration.ofSeconds(5));
        }

        release.countDown();
        closing.join();

        assertThat(calls).hasSize(2);
        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
    }

    @Test
    void aLongWaitForASendIsNoError() {
        assertThat(outbox.sendAndWait("a", Duration.ofSeconds(Long.MAX_VALUE))).isNotNull();
    }

    private static ForwardOptions.Values options(int window) {
        return new ForwardOptions().window(window).values();
    }

    private static List<OutboxEvent.Delivered> entries(int count) {
        StreamId stream = new StreamId(NodeId.of("n1"), 1, 0);
        List<OutboxEvent.Delivered> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(new OutboxEvent.Delivered(new EntryId(stream, i), Slice.EMPTY, null, 0));
        }
        return entries;
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findAny()
                .orElseThrow();
    }
}
