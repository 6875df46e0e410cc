package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.StoreException;
import io.georep.model.StoreState;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real nodes on a store that stops answering: sends, peers, start and end never wait for it. */
@Timeout(60)
class HungDiskTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Times of tests: stalled after 300 ms. */
    private static ProtocolConfig config(Duration failAfter) {
        return ProtocolConfig.builder()
                .heartbeat(Duration.ofMillis(50))
                .heartbeatAway(Duration.ofMillis(100))
                .suspectAfter(Duration.ofMillis(1500))
                .terminateAfter(Duration.ofMillis(500))
                .putTimeout(Duration.ofMillis(1200))
                .storeStallAfter(Duration.ofMillis(300))
                .storeFailAfter(failAfter)
                .build();
    }

    private static NodeBuilder solo(HangingStore store, Duration failAfter) {
        return GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .protocol(config(failAfter))
                .closeTimeout(Duration.ofMillis(200))
                .store(settings -> store);
    }

    private static Outbox<String> outbox(GeoRepNode node, int f) {
        return node.outbox("q", String.class, options -> options.f(f));
    }

    private static Throwable error(CompletionStage<EntryId> send) {
        try {
            return new AssertionError("stored as "
                    + send.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join());
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    private static StoreState store(GeoRepNode node) {
        return node.statistics().store();
    }

    @Test
    void sendsAreAnsweredThenRefusedThenTakenAgain() {
        HangingStore store = new HangingStore();
        GeoRepNode node = solo(store, LONG).start();
        Outbox<String> outbox = outbox(node, 0);
        store.hang();

        assertThat(error(outbox.send("under way")))
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining("own store");
        assertThat(store(node)).isEqualTo(StoreState.STALLED);
        assertThat(error(outbox.send("later")))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectedException.Reason.STORE_STALLED));
        store.goOn();

        await().atMost(LONG).until(() -> store(node) == StoreState.READY);
        assertThat(outbox.sendAndWait("again", LONG)).isNotNull();
        node.close();
        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
    }

    @Test
    void aStoreSilentForTooLongEndsTheNodeByNameAlthoughItCannotBeClosed() {
        HangingStore store = new HangingStore();
        GeoRepNode node = solo(store, Duration.ofMillis(600)).start();
        Outbox<String> outbox = outbox(node, 0);
        store.hang();

        CompletionStage<EntryId> send = outbox.send("a");

        assertThatThrownBy(() -> node.stopped().toCompletableFuture().get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.STALLED));
        assertThat(node.state()).isEqualTo(NodeState.FAILED);
        assertThat(error(send)).isInstanceOf(IndeterminateException.class);
        store.goOn();
    }

    @Test
    void startingWaitsABoundedTimeForADiskThatHangsWhileItIsOpened() {
        HangingStore store = new HangingStore();
        CompletableFuture<HangingStore> disk = new CompletableFuture<>();
        NodeBuilder builder =
                solo(store, LONG).startTimeout(Duration.ofMillis(200)).store(settings -> disk.join());

        assertThatThrownBy(builder::start)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.STALLED))
                .hasMessageContaining("did not open within PT0.2S")
                .hasMessageContaining("startTimeout");

        disk.complete(store);
        await().atMost(LONG).until(store::isClosed);
    }

    @Test
    void closingWaitsABoundedTimeAndSaysWhatCouldNotBeConfirmed() {
        HangingStore store = new HangingStore();
        GeoRepNode node = solo(store, LONG).start();
        Outbox<String> outbox = outbox(node, 0);
        store.hang();
        CompletionStage<EntryId> send = outbox.send("a");

        node.close(Duration.ZERO);

        assertThat(error(send)).isInstanceOf(IndeterminateException.class);
        assertThat(node.state()).isEqualTo(NodeState.FAILED);
        assertThat(node.failure()).hasMessageContaining("batches with").hasMessageContaining("missing");
        store.goOn();
    }

    @Test
    void closingWaitsABoundedTimeForSpaceToo() {
        HangingStore store = new HangingStore();
        // It says once that it is full.
        ProtocolConfig patient = ProtocolConfig.builder()
                .storeStallAfter(LONG)
                .storeFailAfter(LONG.multipliedBy(3))
                .build();
        GeoRepNode node = solo(store, LONG).protocol(patient).start();
        store.fill();
        await().atMost(LONG).until(() -> store(node) == StoreState.FULL);

        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> node.close(Duration.ZERO));
        await().atMost(LONG).until(() -> node.state() == NodeState.FAILED);

        assertThat(node.failure())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL))
                .hasMessageContaining("disk is full")
                .hasMessageContaining("missing");
        closed.join();
    }

    @Test
    void haltingDoesNotWaitForTheDiskEither() {
        HangingStore store = new HangingStore();
        GeoRepNode node = solo(store, LONG).start();
        store.hang();
        CompletionStage<EntryId> send = outbox(node, 0).send("a");
        await().atMost(LONG).until(() -> store(node) == StoreState.STALLED);

        long begun = System.nanoTime();
        node.halt();
        assertThat(System.nanoTime() - begun).isLessThan(LONG.toNanos());

        assertThat(error(send)).isInstanceOf(IndeterminateException.class);
        store.goOn();
    }

    @Test
    void startingOnAHungDiskFailsInTime() {
        HangingStore store = new HangingStore();
        store.hang();

        assertThatThrownBy(() ->
                        solo(store, LONG).startTimeout(Duration.ofMillis(300)).start())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("startTimeout");
        store.goOn();
    }

    @Test
    void peersSeeAnOwnerWithAHungDiskAliveAndChooseOthersUntilItGoesOn() throws Exception {
        HangingStore hung = new HangingStore();
        try (LocalCluster cluster = LocalCluster.start(2, builder -> builder.protocol(config(LONG)));
                GeoRepNode third = third(cluster, hung)) {
            GeoRepNode first = cluster.node(1);
            await().atMost(LONG).until(() -> selectable(first, LocalCluster.id(2)) && selectable(first, third));
            hung.hang();
            await().atMost(LONG).until(() -> !selectable(first, third));

            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
            Outbox<String> outbox = outbox(first, 1);
            outbox.forward(taken::add);
            for (int i = 0; i < 20; i++) {
                outbox.sendAndWait("entry " + i, LONG);
                assertThat(taken.poll(20, TimeUnit.SECONDS)).isNotNull();
            }

            assertThat(first.peers())
                    .isNotEmpty()
                    .allSatisfy(peer -> assertThat(peer.state()).isEqualTo(PeerState.ACTIVE));
            assertThat(first.statistics().of(OutboxActivity.class).protocol().replaced())
                    .isZero();
            hung.goOn();
            await().atMost(LONG).until(() -> selectable(first, third));
        }
    }

    private static GeoRepNode third(LocalCluster cluster, HangingStore store) {
        return GeoRepNode.builder()
                .nodeId("n3")
                .listen("local", 1003)
                .seeds("local:1001", "local:1002")
                .durability(Durability.MEMORY)
                .protocol(config(LONG))
                .transport(cluster.network().transports())
                .store(settings -> store)
                .start();
    }

    private static boolean selectable(GeoRepNode node, GeoRepNode peer) {
        return selectable(node, peer.identity().id());
    }

    private static boolean selectable(GeoRepNode node, NodeId peer) {
        return node.peers().stream().anyMatch(it -> it.id().equals(peer) && it.selectable());
    }
}
