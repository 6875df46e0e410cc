package io.georep.spring.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.Slice;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Elements put on one node and forwarded by another. */
@Timeout(60)
class AdoptedElementsTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Its queue is not started, so that all elements are still with the node when it is drained. */
    @Test
    void givesAPlaceBackForAnElementThatAnotherNodeForwarded() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, builder -> builder.protocol(LocalCluster.quick()))) {
            cluster.awaitReady(1);
            Outbox<String> outbox = cluster.node(1).outbox("q", String.class, options -> options.f(1));
            ReplicatedQueueBean<String> queue =
                    new ReplicatedQueueBean<>(outbox, new LinkedBlockingQueue<>(3), () -> false);
            queue.put("a");
            queue.put("b");
            assertThat(queue.remainingCapacity()).isEqualTo(1);
            BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();
            cluster.node(2)
                    .outbox("q", String.class, options -> options.f(1))
                    .forward(delivery -> forwarded.add(delivery.payload()));

            cluster.node(2).drain(LocalCluster.id(1));

            await().atMost(LONG).until(() -> forwarded.size() == 2);
            await().atMost(LONG).until(() -> queue.remainingCapacity() == 3);
        }
    }

    @Test
    void givesAPlaceBackForAnElementThatCannotBeReadAndIsADeadLetter() throws Exception {
        PayloadCodec<String> oneWay = new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return payload.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(Slice bytes) {
                throw new IllegalArgumentException("a class that is gone");
            }
        };
        try (LocalCluster cluster = LocalCluster.start(1, builder -> builder.protocol(LocalCluster.quick()))) {
            Outbox<String> outbox = cluster.node(1).outbox("q", oneWay, options -> options.f(0));
            ReplicatedQueueBean<String> queue =
                    new ReplicatedQueueBean<>(outbox, new LinkedBlockingQueue<>(1), () -> false);
            queue.start();

            queue.put("bad");

            await().atMost(LONG).until(() -> outbox.statistics().deadLettered() == 1);
            await().atMost(LONG).until(() -> queue.remainingCapacity() == 1);
            queue.stop(Duration.ZERO);
        }
    }
}
