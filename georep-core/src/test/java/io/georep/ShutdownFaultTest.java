package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.PeerState;
import io.georep.outbox.Delivery;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ends of a node, and calls that would wait for themselves. */
@Timeout(60)
class ShutdownFaultTest extends SoloNode {
    @Test
    void anInterruptedThreadStillSaysGoodbye() {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            cluster.awaitReady(1);
            Thread.currentThread().interrupt();

            cluster.node(1).close(Duration.ofHours(1));

            assertThat(Thread.interrupted()).as("the interruption is kept").isTrue();
            await(() -> cluster.node(2).peers().stream().anyMatch(peer -> peer.state() != PeerState.ACTIVE));
            assertThat(cluster.node(2).peers()).extracting(PeerStatus::state).containsOnly(PeerState.ARNOLD);
        }
    }

    /** The call takes a while; its entry must not be left to others, who would forward it again. */
    @Test
    void anInterruptedThreadStillWaitsForCallsAtWork() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        outbox.forward(delivery -> {
            begun.countDown();
            ended.set(!never.await(300, TimeUnit.MILLISECONDS));
        });
        outbox.send("x");
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        Thread.currentThread().interrupt();

        node.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).isTrue();
        assertThat(outbox.statistics().forwarded()).isEqualTo(1);
    }

    @Test
    void aCallThatWasInterruptedDoesNotInterruptTheNext() throws Exception {
        BlockingQueue<Boolean> interrupted = new LinkedBlockingQueue<>();
        outbox.sendAll(List.of("a", "b", "c"))
                .forEach(stage -> stage.toCompletableFuture().join());

        outbox.forward(delivery -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        });
        awaitForwarded(3);

        assertThat(interrupted).containsExactly(false, false, false);
    }

    @Test
    void aHaltedNodeHasNoRunningHandlers() {
        Forwarding forwarding = outbox.forward(taken::add);

        node.halt();

        assertThat(forwarding.running()).isFalse();
    }

    @Test
    void waitingOnTheApplicationThreadIsRefused() throws Exception {
        assertThat(node.onApplicationThread()).isFalse();
        Forwarding other =
                node.outbox("other", String.class, options -> options.f(0)).forward(taken::add);

        assertThat(refusal(() -> outbox.sendAndWait("from a callback", Duration.ofSeconds(1))))
                .contains("sendAndWait", "application thread");
        assertThat(refusal(() -> other.stop(Duration.ofSeconds(1)))).contains("stop of", "other", "application thread");
        assertThat(other.running()).isTrue();
        assertThat(refusal(() -> node.ready(0))).contains("application thread");
        assertThat(refusal(node::close)).contains("close");
        assertThat(refusal(() -> other.stop(Duration.ZERO))).isEqualTo("none");
        assertThat(other.running()).isFalse();
    }

    private String refusal(Runnable call) throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        Forwarding forwarding = outbox.forward(
                delivery -> {
                    try {
                        assertThat(node.onApplicationThread()).isTrue();
                        call.run();
                        result.complete("none");
                    } catch (IllegalStateException e) {
                        result.complete(e.getMessage());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                options -> options.executor(Runnable::run));
        outbox.send("x");
        try {
            return result.get(20, TimeUnit.SECONDS);
        } finally {
            assertThat(forwarding.stop(LONG)).isTrue();
        }
    }

    /** The operator decides by id: all are listed, and pages do not end early. */
    @Test
    void undecidedEntriesThatNobodyCanReadAreListed() throws Exception {
        Outbox<String> odd = node.outbox("odd", new Picky(), options -> options.f(0));
        for (String payload : List.of("fine", "unreadable", "fine too")) {
            odd.prepare(payload, SendOptions.defaults().header("h", payload))
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        }

        List<Delivery<String>> page =
                odd.undecided(null, 3).toCompletableFuture().get(20, TimeUnit.SECONDS);

        assertThat(page)
                .extracting(delivery -> delivery.headers().get("h"))
                .containsExactly("fine", "unreadable", "fine too");
        assertThat(page.get(0).payload()).isEqualTo("fine");
        assertThat(page.get(0).queue()).isEqualTo("odd");
        assertThatThrownBy(() -> page.get(1).payload())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(page.get(1).id().toString());
    }

    private static final class Picky implements PayloadCodec<String> {
        @Override
        public byte[] encode(String payload) {
            return payload.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(io.georep.model.Slice bytes) {
            String text = new String(bytes.toArray(), StandardCharsets.UTF_8);
            if (text.equals("unreadable")) {
                throw new IllegalArgumentException("not today");
            }
            return text;
        }
    }
}
