package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.PeerState;
import io.georep.model.RejectedException;
import io.georep.model.StoreException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.SendOptions;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What applications see when something breaks. */
@Timeout(180)
class NodeFailureTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** A store that stops answering when told, or holds up whoever gives it a batch. */
    private static final class BreakableStore extends WrappedStore {
        private volatile boolean deaf;
        private volatile CountDownLatch stuck = new CountDownLatch(0);

        BreakableStore() {
            super(new MemoryStore());
        }

        @Override
        public void submit(StoreBatch batch) {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!deaf) {
                super.submit(batch);
            }
        }
    }

    private static GeoRepNode solo(EntryStore store) {
        return GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .store(settings -> store)
                .start();
    }

    @Test
    void aBrokenStoreStopsTheNodeVisiblyAndAnswersEverySend() throws Exception {
        BreakableStore store = new BreakableStore();
        GeoRepNode node = solo(store);
        Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));
        store.deaf = true;
        CompletionStage<EntryId> underWay = outbox.send("a");
        node.statistics();

        store.listener().failed(new StoreException(StoreException.Kind.IO, "the disk is gone"));

        assertThatThrownBy(() -> node.stopped().toCompletableFuture().get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(StoreException.class);
        assertThat(node.state()).isEqualTo(NodeState.FAILED);
        assertThat(node.failure()).hasMessageContaining("the disk is gone");
        assertThat(error(underWay)).isInstanceOf(IndeterminateException.class);
        assertThat(error(outbox.send("b"))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(node::statistics).isInstanceOf(ClosedException.class);
        node.close();
        assertThat(node.state()).isEqualTo(NodeState.FAILED);
    }

    @Test
    void haltEndsSendsUnderWayAsIndeterminate() {
        BreakableStore store = new BreakableStore();
        GeoRepNode node = solo(store);
        Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));
        store.deaf = true;
        CompletionStage<EntryId> underWay = outbox.send("a");
        node.statistics();

        node.halt();

        assertThat(error(underWay)).isInstanceOf(IndeterminateException.class);
        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
    }

    @Test
    void aNodeWhoseStoreIsFullIsNotReady() {
        BreakableStore store = new BreakableStore();
        GeoRepNode node = solo(store);
        Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));
        assertThat(node.ready(0)).isTrue();

        store.listener().full(true);

        await().atMost(LONG).until(() -> !node.ready(0));
        assertThat(error(outbox.send("a")))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(RejectedException.Reason.STORE_FULL));
        store.listener().full(false);
        await().atMost(LONG).until(() -> node.ready(0));
        assertThat(outbox.sendAndWait("b", LONG)).isNotNull();
        node.close();
    }

    @Test
    void aRemovedNodeIsKeptOutWhileItRunsAndJoinsAnewWhenItIsStartedAgain() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
            cluster.node(1).outbox("q", String.class).forward(taken::add);
            cluster.node(2).outbox("q", String.class).forward(taken::add);
            Outbox<String> removed = cluster.node(3).outbox("q", String.class);
            cluster.awaitReady(2);
            EntryId entry = removed.sendAndWait("held by the removed node", LONG);

            cluster.node(1).remove(LocalCluster.id(3));

            assertThat(taken.poll(20, TimeUnit.SECONDS))
                    .as("adopted at once")
                    .satisfies(delivery -> assertThat(delivery.id()).isEqualTo(entry));
            await().atMost(LONG).until(() -> rejectedAsLeaving(removed));
            await().atMost(LONG)
                    .until(() -> cluster.node(2).peers().stream()
                            .noneMatch(peer -> peer.id().equals(LocalCluster.id(3))));
            assertThat(cluster.node(3).ready(0)).isFalse();

            cluster.crash(3);
            cluster.restart(3);
            cluster.awaitReady(2);
            Outbox<String> again = cluster.node(3).outbox("q", String.class, options -> options.f(2));
            assertThat(again.sendAndWait("joined anew", LONG)).isNotNull();
        }
    }

    private static boolean rejectedAsLeaving(Outbox<String> outbox) {
        CompletableFuture<EntryId> send = outbox.send("probe").toCompletableFuture();
        return send.handle((id, error) -> error instanceof RejectedException rejection
                        && rejection.reason() == RejectedException.Reason.LEAVING)
                .join();
    }

    @Test
    void aStuckNodeAnswersLateCallersWithAnErrorInsteadOfHangingThem() {
        BreakableStore store = new BreakableStore();
        GeoRepNode node = solo(store);
        Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));
        CountDownLatch stuck = new CountDownLatch(1);
        store.stuck = stuck;
        CompletionStage<EntryId> underWay = outbox.send("a");

        CompletionStage<Boolean> later = node.readReady(0);
        Throwable peers = CompletableFuture.supplyAsync(node::peers)
                .handle((ignored, error) -> error.getCause())
                .join();

        assertThat(peers)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("did not answer within PT10S")
                .hasMessageContaining("georep-solo-driver");
        assertThat(later.toCompletableFuture()).isNotDone();
        stuck.countDown();
        assertThat(later.toCompletableFuture().join()).isTrue();
        assertThat(node.readPeers().toCompletableFuture().join()).isEmpty();
        await().atMost(LONG).until(underWay.toCompletableFuture()::isDone);
        node.close();
        assertThat(node.ready(0)).isFalse();
        assertThat(node.readReady(0).toCompletableFuture().join()).isFalse();
        assertThat(error(node.readPeers())).isInstanceOf(ClosedException.class);
    }

    @Test
    void tooFewPeersIsARejection() {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            Outbox<String> outbox = cluster.node(1).outbox("q", String.class, options -> options.f(2));
            cluster.awaitReady(1);

            Throwable error = error(outbox.send("a"));

            assertThat(error)
                    .hasMessageContaining("queue 'q': f is 2, but only 1")
                    .isInstanceOfSatisfying(
                            RejectedException.class,
                            rejection ->
                                    assertThat(rejection.reason()).isEqualTo(RejectedException.Reason.TOO_FEW_PEERS));
            assertThat(outbox.statistics().rejected()).isEqualTo(1);
        }
    }

    @Test
    void callbacksAndStatusFollowThePeers() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            BlockingQueue<PeerChange> changes = new LinkedBlockingQueue<>();
            cluster.node(1).onPeerChange(changes::add);
            cluster.awaitReady(1);

            assertThat(cluster.node(1).peers()).singleElement().satisfies(peer -> {
                assertThat(peer.id()).isEqualTo(LocalCluster.id(2));
                assertThat(peer.state()).isEqualTo(PeerState.ACTIVE);
                assertThat(peer.site()).isEqualTo("site-2");
                assertThat(peer.selectable()).isTrue();
            });
            cluster.crash(2);

            PeerChange change = changes.poll(20, TimeUnit.SECONDS);
            while (change != null && change.after() != PeerState.TERMINATED) {
                change = changes.poll(20, TimeUnit.SECONDS);
            }
            assertThat(change).isNotNull();
            assertThat(cluster.node(1).ready(1)).isFalse();
        }
    }

    @Test
    void aDrainedNodeGetsNoNewCopies() {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            cluster.awaitReady(2);

            cluster.node(1).drain(LocalCluster.id(3));
            await().atMost(LONG).until(() -> !cluster.node(1).ready(2));
            assertThat(cluster.node(1).ready(1)).isTrue();
            cluster.node(1).undrain(LocalCluster.id(3));

            await().atMost(LONG).until(() -> cluster.node(1).ready(2));
            assertThatThrownBy(() -> cluster.node(1).remove(LocalCluster.id(1)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void entriesOfAQueueThatIsNotOpenWaitUntilItIs() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            Outbox<String> outbox = cluster.node(1).outbox("new-feature", String.class);
            cluster.awaitReady(1);
            outbox.sendAndWait("hello", LONG);
            cluster.crash(1);
            await().atMost(LONG)
                    .until(() -> cluster.node(2)
                            .statistics()
                            .of(OutboxActivity.class)
                            .unopened()
                            .contains("new-feature"));
            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();

            cluster.node(2).outbox("new-feature", String.class).forward(taken::add);

            Delivery<String> delivery = taken.poll(20, TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            assertThat(delivery.payload()).isEqualTo("hello");
            assertThat(cluster.node(2).statistics().of(OutboxActivity.class).unopened())
                    .isEmpty();
        }
    }

    @Test
    void preparedEntriesAreHandedOutOnlyAfterTheDecision() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            BlockingQueue<Delivery<String>> taken = new LinkedBlockingQueue<>();
            Outbox<String> outbox = cluster.node(1).outbox("q", String.class);
            outbox.forward(taken::add);
            cluster.awaitReady(1);
            EntryId kept = get(outbox.prepare("kept", SendOptions.defaults()));
            EntryId dropped = get(outbox.prepare("dropped", SendOptions.defaults()));
            outbox.sendAndWait("plain", LONG);
            assertThat(taken.poll(20, TimeUnit.SECONDS).payload()).isEqualTo("plain");
            assertThat(get(outbox.undecided(null, 10)))
                    .extracting(Delivery::payload)
                    .containsExactly("kept", "dropped");

            outbox.decide(java.util.List.of(dropped), false);
            outbox.decide(java.util.List.of(kept), true);

            assertThat(taken.poll(20, TimeUnit.SECONDS).payload()).isEqualTo("kept");
            assertThat(get(outbox.undecided(null, 10))).isEmpty();
        }
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static Throwable error(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().join();
            throw new AssertionError("succeeded");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }
}
