package io.georep.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LocalClusterTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void forwardsWhatWasSentOnTheNodeThatAcceptedIt() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
            Outbox<String> outbox = cluster.node(1).outbox("mail", String.class, options -> options.f(2));
            outbox.forward(taken::add);
            cluster.awaitReady(2);

            EntryId id = outbox.sendAndWait("hello", LONG);

            Delivery<String> delivery = taken.poll(20, TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            assertThat(delivery.payload()).isEqualTo("hello");
            assertThat(delivery.id()).isEqualTo(id);
            assertThat(delivery.adopted()).isFalse();
        }
    }

    @Test
    void anotherNodeAdoptsWhatACrashedNodeAcknowledged() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            BlockingQueue<Adoption<String>> adopted = new LinkedBlockingQueue<>();
            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
            for (int other = 2; other <= 3; other++) {
                Outbox<String> outbox = cluster.node(other).outbox("mail", String.class);
                outbox.onAdoption(adopted::add);
                outbox.forward(taken::add);
            }
            Outbox<String> outbox = cluster.node(1).outbox("mail", String.class);
            cluster.awaitReady(2);
            EntryId id = outbox.sendAndWait("hello", LONG);

            cluster.crash(1);

            Delivery<String> delivery = taken.poll(20, TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            assertThat(delivery.id()).isEqualTo(id);
            assertThat(delivery.adoptedFrom()).isEqualTo(LocalCluster.id(1));
            assertThat(adopted.poll(20, TimeUnit.SECONDS).delivery().id()).isEqualTo(id);
        }
    }

    @Test
    void manyEntriesOfManyThreadsAreEachForwardedOnce() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3, builder -> builder.protocol(patient()))) {
            int threads = 4;
            int each = 5_000;
            Set<EntryId> forwarded = ConcurrentHashMap.newKeySet();
            CountDownLatch missing = new CountDownLatch(threads * each);
            List<Outbox<String>> outboxes = new ArrayList<>();
            for (int number = 1; number <= 3; number++) {
                Outbox<String> outbox = cluster.node(number).outbox("mail", String.class);
                outbox.forward(
                        delivery -> {
                            assertThat(forwarded.add(delivery.id())).isTrue();
                            missing.countDown();
                        },
                        options -> options.concurrency(2).window(1000));
                outboxes.add(outbox);
            }
            cluster.awaitReady(2);

            List<Thread> senders = new ArrayList<>();
            Set<EntryId> acknowledged = ConcurrentHashMap.newKeySet();
            for (int t = 0; t < threads; t++) {
                Outbox<String> outbox = outboxes.get(t % outboxes.size());
                Thread sender = new Thread(() -> {
                    List<CompletionStage<EntryId>> stages = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                        stages.add(outbox.send("payload " + i));
                    }
                    stages.forEach(stage ->
                            acknowledged.add(stage.toCompletableFuture().join()));
                });
                sender.start();
                senders.add(sender);
            }
            for (Thread sender : senders) {
                sender.join();
            }

            assertThat(missing.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(forwarded).isEqualTo(acknowledged).hasSize(threads * each);
        }
    }

    /** Whatever else the machine does meanwhile, no send runs out of time. */
    private static ProtocolConfig patient() {
        return ProtocolConfig.builder()
                .heartbeat(Duration.ofMillis(50))
                .suspectAfter(Duration.ofMinutes(1))
                .putTimeout(Duration.ofSeconds(50))
                .build();
    }
}
