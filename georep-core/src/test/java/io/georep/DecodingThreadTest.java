package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who lists a thousand entries does not stop the deliveries of all queues for as long as they take to decode. */
@Timeout(180)
class DecodingThreadTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final GeoRepNode node =
            GeoRepNode.builder().nodeId("solo").durability(Durability.MEMORY).start();

    /** Whether payloads were decoded on the application thread. */
    private final BlockingQueue<Boolean> decoded = new LinkedBlockingQueue<>();

    private final Outbox<String> outbox = node.outbox(
            "q",
            new PayloadCodec<String>() {
                @Override
                public byte[] encode(String payload) {
                    return payload.getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public String decode(Slice bytes) {
                    decoded.add(node.onApplicationThread());
                    return "x";
                }
            },
            options -> options.f(0));

    @AfterEach
    void stop() {
        node.halt();
    }

    private int deadLetters() throws Exception {
        return outbox.deadLetters()
                .list(null, 10)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .letters()
                .size();
    }

    @Test
    void listsAreNotDecodedOnTheApplicationThread() throws Exception {
        outbox.prepare("undecided", SendOptions.defaults())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        List<Delivery<String>> undecided =
                outbox.undecided(null, 10).toCompletableFuture().get(20, TimeUnit.SECONDS);
        assertThat(undecided).hasSize(1);
        assertThat(decoded.poll(20, TimeUnit.SECONDS)).isFalse();

        outbox.sendAndWait("dead", LONG);
        outbox.forward(
                delivery -> {
                    throw new IllegalStateException("for the test");
                },
                options -> options.retry(Retry.none()));
        // It is counted a moment before it can be listed.
        Awaitility.await().atMost(LONG).until(() -> deadLetters() == 1);
        decoded.clear();
        assertThat(deadLetters()).isEqualTo(1);
        assertThat(decoded.poll(20, TimeUnit.SECONDS)).isFalse();
    }
}
