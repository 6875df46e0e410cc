package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.BrokenInvariantException;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.local.TestSends;
import io.georep.protocol.local.TurnSource;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.store.memory.MemoryStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The driver's thread: who may stop it, and that nobody waits for one that is gone. */
@Timeout(180)
class NodeDriverTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final NodeIdentity PEER = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "b:1", "west");

    private final BlockingQueue<NodeDriver.Ended> endings = new LinkedBlockingQueue<>();
    private final RecordingTransport transport = new RecordingTransport();
    private final MemoryStore store = new MemoryStore();
    private AppSink sink = this::take;
    private final NodeDriver driver =
            new NodeDriver("driver-under-test", Duration.ZERO, Ticker.system(), events -> sink.accept(events));
    private final TestSends sends = new TestSends(driver::wake);

    /** Keeps what was told last about reading; does in its methods what a test wants done. */
    private static class RecordingTransport extends IdleTransport {
        private final List<Boolean> readings = new ArrayList<>();
        private final AtomicInteger refusals = new AtomicInteger();
        private volatile Runnable beforePause = () -> {};
        private volatile Runnable whenRefusing = () -> {};
        private volatile Runnable whenClosing = () -> {};

        @Override
        public void reading(boolean on) {
            if (!on) {
                beforePause.run();
            }
            synchronized (readings) {
                readings.add(on);
            }
        }

        List<Boolean> readings() {
            synchronized (readings) {
                return List.copyOf(readings);
            }
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            whenRefusing.run();
            refusals.incrementAndGet();
        }

        @Override
        public void close() {
            whenClosing.run();
        }
    }

    private void take(List<Object> events) {
        for (Object event : events) {
            if (event instanceof NodeDriver.Ended last) {
                endings.add(last);
            }
        }
    }

    private NodeDriver.Parts parts() {
        Membership membership =
                new Membership(ProtocolConfig.defaults(), new LocalNode(NodeId.of("a"), "a:1", "east", List.of()));
        NodeLoop loop = new NodeLoop(
                store,
                StoreWatch.Limits.of(ProtocolConfig.defaults()),
                transport,
                Ticker.system(),
                new SplittableRandom(1),
                membership,
                List.of(),
                events -> sink.accept(events));
        return new NodeDriver.Parts(loop, membership, store, transport, Map.of(2, sends.source()));
    }

    private void start() {
        driver.start(parts(), LONG.toMillis());
    }

    @AfterEach
    void stop() {
        driver.halt();
        store.close();
    }

    /** The first batch may take long to become durable; until then sends wait, and so does the driver. */
    @Test
    void sendsBeforeTheStartDoNotKeepTheDriverBusy() throws Exception {
        AtomicInteger wakes = new AtomicInteger();
        CountDownLatch waited = new CountDownLatch(3);
        NodeDriver waiting = new NodeDriver(
                "waiting", Duration.ZERO, Ticker.system(), events -> sink.accept(events), new HandOff<>() {
                    @Override
                    boolean offer(Object item) {
                        wakes.incrementAndGet();
                        return super.offer(item);
                    }

                    @Override
                    protected void sleep(long nanos) {
                        waited.countDown();
                        super.sleep(nanos);
                    }
                });
        TestSends early = new TestSends(waiting::wake);
        NodeDriver.Parts parts = parts();
        EntryStore silent = (EntryStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {EntryStore.class}, (proxy, method, arguments) -> {
                    return method.getName().equals("submit") ? null : method.invoke(store, arguments);
                });
        NodeLoop loop = new NodeLoop(
                silent,
                StoreWatch.Limits.of(ProtocolConfig.defaults()),
                transport,
                Ticker.system(),
                new SplittableRandom(1),
                (Membership) parts.membership(),
                List.of(),
                events -> {});
        Thread starter = new Thread(() -> {
            try {
                waiting.start(
                        new NodeDriver.Parts(loop, parts.membership(), silent, transport, Map.of(2, early.source())),
                        LONG.toMillis());
            } catch (RuntimeException expected) {
                // It is stopped while it starts.
            }
        });
        starter.start();
        for (int i = 0; i < 5; i++) {
            early.offer(TestSends.create(1));
        }

        assertThat(waited.await(30, TimeUnit.SECONDS)).as("it sleeps").isTrue();
        assertThat(wakes.get()).isLessThan(10);
        waiting.halt();
        starter.join();
    }

    /** Starts the driver with a source that does this when looked at and that when closed, beside the sends. */
    private void start(Runnable gathering, Runnable closing) {
        TurnSource<Object> source = new TurnSource<>() {
            @Override
            public @Nullable Object gather() {
                gathering.run();
                return null;
            }

            @Override
            public boolean isEmpty() {
                return true;
            }

            @Override
            public void close() {
                closing.run();
            }
        };
        NodeDriver.Parts parts = parts();
        Map<Integer, TurnSource<?>> both = new TreeMap<>(Map.of(1, source, 2, sends.source()));
        driver.start(new NodeDriver.Parts(parts.loop(), parts.membership(), store, transport, both), LONG.toMillis());
    }

    /** Sources are of protocols, which may be anybody's. */
    @Test
    void aSourceThatCannotBeClosedKeepsNobodyWaitingForTheEnd() throws Exception {
        start(() -> {}, () -> {
            throw new Unprintable();
        });
        driver.stop();

        assertThat(driver.ended()).succeedsWithin(LONG);
        assertThat(endings.poll(20, TimeUnit.SECONDS)).isNotNull();
        List<CompletableFuture<EntryId>> late = TestSends.create(1);
        sends.offer(late);
        assertThat(late.get(0)).as("the other source is closed").isCompletedExceptionally();
    }

    /** Else it would end only when whoever closes the node has lost patience. */
    @Test
    void peersThatNeverPauseDoNotPutOffTheEnd() {
        start(() -> driver.listener().lifeSign(PEER), () -> {}); // so there is one in every turn

        driver.stop();
        assertThat(driver.ended()).succeedsWithin(LONG);
    }

    /** The call that pauses reading is overtaken by the driver, which takes everything there was to wait for. */
    @Test
    void readsOnWhenTheDriverTookEverythingBeforeReadingWasPaused() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        transport.whenRefusing = () -> {
            entered.countDown();
            uninterrupted(busy);
        };
        transport.beforePause = () -> {
            busy.countDown();
            await().atMost(LONG).until(() -> transport.refusals.get() == 3);
        };
        start();

        // Malformed, so that the node refuses their sender; the first keeps it busy.
        driver.listener().frame(PEER, new byte[1], false);
        uninterrupted(entered);
        driver.listener().frame(PEER, new byte[17 << 20], false);
        driver.listener().frame(PEER, new byte[17 << 20], false);

        assertThat(transport.readings()).containsExactly(false, true);
    }

    @Test
    void aMalformedFrameEndsItsLinkAndNothingElse() {
        start();

        driver.listener().frame(PEER, new byte[1], false);
        await().atMost(LONG).until(() -> transport.refusals.get() == 1);
        driver.listener().frame(PEER, new byte[2], false);

        await().atMost(LONG).until(() -> transport.refusals.get() == 2);
        assertThat(endings).isEmpty();
    }

    /** What waits takes memory also when it brings no bytes: parts of large frames, and frames that are empty. */
    @Test
    void countsWhatWaitsAndBringsNoBytes() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        transport.whenRefusing = () -> {
            entered.countDown();
            uninterrupted(busy);
        };
        start();
        driver.listener().frame(PEER, new byte[1], false);
        uninterrupted(entered);
        for (int i = 0; i < 300_000; i++) {
            driver.listener().lifeSign(PEER);
        }
        assertThat(transport.readings()).as("20 MiB wait").isEmpty();

        for (int i = 0; i < 300_000; i++) {
            driver.listener().frame(PEER, new byte[0], false);
        }
        assertThat(transport.readings()).containsExactly(false);

        busy.countDown();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(transport.readings()).containsExactly(false, true));
    }

    /** Never goes on: what it would do next cannot be trusted. */
    @Test
    void aBrokenInvariantEndsTheNodeWithTheTurnInWords() throws Exception {
        transport.whenRefusing = () -> {
            throw new BrokenInvariantException("for the test");
        };
        start();

        driver.listener().frame(PEER, new byte[1], false);
        driver.listener().frame(PEER, new byte[2], false);

        NodeDriver.Ended last = endings.poll(20, TimeUnit.SECONDS);
        assertThat(last).isNotNull();
        assertThat(last.failure())
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining("for the test")
                .hasMessageContaining("keep its data directory")
                .hasMessageContaining("frame from b")
                .hasCauseInstanceOf(BrokenInvariantException.class);
        assertThat(driver.command(1, "anything")).as("takes no more").isFalse();
    }

    /** Memory at its end while an error is logged must not hide that the node is gone. */
    @Test
    void tellsThatItEndedThoughTheErrorCannotBeLogged() throws Exception {
        Unprintable error = new Unprintable();
        transport.whenRefusing = () -> {
            throw error;
        };
        start();

        driver.listener().frame(PEER, new byte[1], false);

        NodeDriver.Ended last = endings.poll(20, TimeUnit.SECONDS);
        assertThat(last).isNotNull();
        assertThat(last.failure() == error).isTrue();
        assertThat(driver.ended().handle((nothing, told) -> told == error).get(20, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void endsWithTheErrorOfWhoeverLostSomethingElsewhere() throws Exception {
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        start();

        driver.fail(error);

        NodeDriver.Ended last = endings.poll(20, TimeUnit.SECONDS);
        assertThat(last).isNotNull();
        assertThat(last.failure()).isSameAs(error);
    }

    @Test
    void tellsThatItEndedThoughATransportFailsToClose() throws Exception {
        transport.whenClosing = () -> {
            throw new OutOfMemoryError("no memory to close with");
        };
        start();
        List<CompletableFuture<EntryId>> late = TestSends.create(1);

        driver.halt();

        NodeDriver.Ended last = endings.poll(20, TimeUnit.SECONDS);
        assertThat(last).isNotNull();
        sends.offer(late);
        assertThat(late.get(0)).isCompletedExceptionally();
        driver.ended().get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> store.submit(new StoreBatch()))
                .as("the store is closed")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tellsAgainThatItEndedWhenThereWasNoMemoryToTell() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        sink = events -> {
            if (attempts.incrementAndGet() <= 2) {
                throw new OutOfMemoryError("no memory to tell");
            }
            take(events);
        };
        start();

        driver.halt();

        assertThat(endings.poll(20, TimeUnit.SECONDS)).isNotNull();
        driver.ended().get(20, TimeUnit.SECONDS);
        assertThat(attempts).hasValue(3);
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
