package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.Retry;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications at their worst on real nodes: executors that refuse, handlers, codecs and callbacks that fail with whatever
 * there is, handlers that come, pause and go, dead letters in between, and a crash. In the end everything acknowledged was
 * forwarded.
 */
@Timeout(120)
class ApplicationStressTest {
    private static final int NODES = 3;
    private static final int ENTRIES_PER_SEND = 100;
    private static final int ROUNDS = 5;
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Set<String> forwarded = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = new TreeSet<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SplittableRandom random = new SplittableRandom(4711);
    private volatile boolean calm;
    private int sent;

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @Test
    void everythingAcknowledgedIsForwardedWhateverTheApplicationsDo() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(NODES)) {
            List<Outbox<String>> outboxes = new ArrayList<>();
            List<Forwarding> forwardings = new ArrayList<>();
            for (int number = 1; number <= NODES; number++) {
                outboxes.add(open(cluster, number));
                forwardings.add(begin(number, outboxes.get(number - 1)));
            }
            cluster.awaitReady(2);
            for (int round = 0; round < ROUNDS; round++) {
                sendFromAll(outboxes);
                disturb(outboxes, forwardings);
            }

            assertThat(acknowledged).hasSizeGreaterThan(sent / 2);

            cluster.crash(1);
            cluster.restart(1);
            outboxes.set(0, open(cluster, 1));
            forwardings.set(0, begin(1, outboxes.get(0)));
            calm = true;

            await().atMost(LONG).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
                for (Outbox<String> outbox : outboxes) {
                    outbox.deadLetters().replayAll();
                }
                Set<String> missing = new TreeSet<>(acknowledged);
                missing.removeAll(forwarded);
                assertThat(missing).isEmpty();
            });
            for (int number = 1; number <= NODES; number++) {
                GeoRepNode node = cluster.node(number);
                await().atMost(LONG)
                        .until(() -> node.statistics().of(OutboxActivity.class).protocol().held().values().stream()
                                .allMatch(held -> held == 0));
            }
        }
    }

    private Outbox<String> open(LocalCluster cluster, int number) {
        cluster.node(number).onPeerChange(change -> trouble(3));
        return cluster.node(number)
                .outbox("q", new TextCodec(text -> trouble(200)), options -> options.f(1))
                .onAdoption(adoption -> trouble(3));
    }

    private Forwarding begin(int number, Outbox<String> outbox) {
        Consumer<ForwardOptions> options = chosen -> chosen.executor(this::executeOrRefuse)
                .concurrency(3)
                .window(20)
                .parkedBytesMax(1000)
                .retry(Retry.fixed(Duration.ofMillis(1)).attempts(4));
        return switch (number) {
            case 1 -> outbox.forward(this::handle, options);
            case 2 -> outbox.forward(this::handleLater, options);
            default ->
                outbox.forwardBatches(
                        batch -> {
                            for (Delivery<String> delivery : batch) {
                                handle(delivery);
                            }
                        },
                        options);
        };
    }

    private void executeOrRefuse(Runnable task) {
        if (oneIn(4)) {
            if (oneIn(2)) {
                throw new RejectedExecutionException("saturated");
            }
            throw new OutOfMemoryError("unable to create native thread");
        }
        threads.execute(task);
    }

    private void handle(Delivery<String> delivery) throws IOException {
        if (oneIn(20)) {
            throw new IOException("operator is down");
        }
        trouble(50);
        forwarded.add(delivery.payload());
    }

    /** Without runAsync, which never completes when the error cannot say what it is about. */
    private void handleLater(Delivery<String> delivery) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        delivery.endsWith(answer);
        threads.execute(() -> {
            try {
                handle(delivery);
                answer.complete(null);
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
    }

    private void trouble(int oneIn) {
        if (oneIn(oneIn)) {
            if (oneIn(2)) {
                throw new Unspeakable();
            }
            throw new OutOfMemoryError("Java heap space");
        }
    }

    private boolean oneIn(int chances) {
        if (calm) {
            return false;
        }
        synchronized (random) {
            return random.nextInt(chances) == 0;
        }
    }

    private void sendFromAll(List<Outbox<String>> outboxes) {
        for (Outbox<String> outbox : outboxes) {
            List<String> payloads = new ArrayList<>();
            for (int i = 0; i < ENTRIES_PER_SEND; i++) {
                payloads.add("payload " + sent++);
            }
            List<CompletionStage<EntryId>> answers = outbox.sendAll(payloads);
            for (int i = 0; i < payloads.size(); i++) {
                CompletableFuture<EntryId> answer = answers.get(i).toCompletableFuture();
                if (answer.handle((id, error) -> error == null).join()) {
                    acknowledged.add(payloads.get(i));
                }
            }
        }
    }

    /** Handlers go and come, or pause and resume, while entries are on their way. */
    private void disturb(List<Outbox<String>> outboxes, List<Forwarding> forwardings) {
        for (int number = 1; number <= NODES; number++) {
            Outbox<String> outbox = outboxes.get(number - 1);
            outbox.pause();
            outbox.deadLetters().replayAll();
            outbox.resume();
            forwardings.get(number - 1).stop(LONG);
            forwardings.set(number - 1, begin(number, outbox));
        }
    }
}
