package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.HangingStore;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.PeerSelection;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer sends as fast as it can while the store hangs: what was taken and is not durable has a bound, whatever it is. */
@Timeout(120)
class FloodTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final NodeIdentity PEER = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "b:1", "west");
    private static final int BACKLOG = 1 << 20;
    private static final long FLOOD_BYTES = 16L << 20;

    /** Frames that come before anybody looks whether they may. */
    private static final int BURST = 16;

    /** What the peer says, over and over, each time about other entries. */
    enum Flood {
        COPIES(1) {
            @Override
            void body(BinWriter out, long i) {
                out.u8(1).u8(0);
                stream(out).varint(i).text("q");
                custody(out).varint(1).varint(1).u8('x');
            }
        },
        KNOWN_COPIES(1) {
            @Override
            void body(BinWriter out, long i) {
                COPIES.body(out, 1);
            }
        },
        ACK(2) {
            @Override
            void body(BinWriter out, long i) {
                ranges(stream(out).u8(0).varint(1), i);
            }
        },
        DELETE(3),
        DELETED(4) {
            @Override
            void body(BinWriter out, long i) {
                ranges(stream(out), i);
            }
        },
        UPDATE(5) {
            @Override
            void body(BinWriter out, long i) {
                ranges(custody(stream(out).text("q")), i);
            }
        },
        RELEASE(7) {
            @Override
            void body(BinWriter out, long i) {
                UPDATE.body(out, i);
            }
        },
        QUERY(9),
        ANSWER_HELD(10) {
            @Override
            void body(BinWriter out, long i) {
                ranges(custody(stream(out).text("q").u8(1)), i);
            }
        },
        ANSWER_UNKNOWN(10) {
            @Override
            void body(BinWriter out, long i) {
                ranges(stream(out).text("q").u8(3), i);
            }
        },
        SETTLED(11),
        DECIDED(12);

        private final int type;

        Flood(int type) {
            this.type = type;
        }

        void body(BinWriter out, long i) {
            ranges(stream(out).text("q"), i);
        }

        private static BinWriter stream(BinWriter out) {
            return out.text("b").varint(9).varint(0);
        }

        /** Two owners, of whom the sender is the first. */
        private static BinWriter custody(BinWriter out) {
            return out.varint(1).u8(2).text("b").text("a").u8(0).u8(1);
        }

        /** One entry of every two, so that no two ranges melt into one. */
        private static void ranges(BinWriter out, long i) {
            out.varint(1).varint(2 * i).varint(1);
        }
    }

    /** Notes whether it was told to read. */
    private static final class Link extends IdleTransport {
        private volatile boolean reading = true;
        private final AtomicLong refusals = new AtomicLong();

        @Override
        public void reading(boolean on) {
            reading = on;
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            refusals.incrementAndGet();
        }
    }

    private final Link link = new Link();
    private final HangingStore store = new HangingStore();
    private final NodeDriver driver =
            new NodeDriver("driver-under-flood", Duration.ZERO, Ticker.system(), events -> {});
    private long frames;
    private long messages;

    private void start() {
        ProtocolConfig config =
                ProtocolConfig.builder().storeBacklogBytesMax(BACKLOG).build();
        Membership membership = new Membership(config, new LocalNode(NodeId.of("a"), "a:1", "east", List.of()));
        OutboxProtocol outbox = new OutboxProtocol(config, membership, PeerSelection.siteAware());
        NodeLoop loop = new NodeLoop(
                store,
                StoreWatch.Limits.of(config),
                link,
                Ticker.system(),
                new SplittableRandom(1),
                membership,
                List.of(outbox),
                events -> {});
        driver.start(new NodeDriver.Parts(loop, membership, store, link, Map.of()), LONG.toMillis());
        driver.listener().linkUp(PEER);
    }

    @AfterEach
    void stop() {
        store.goOn();
        driver.halt();
    }

    private byte[] frame(Flood flood) {
        BinWriter out = new BinWriter(64 << 10);
        new FrameHeader(1, ++frames, 0, 0, true, true, 30_000).write(out);
        BinWriter body = new BinWriter();
        while (out.size() < (64 << 10) - 200) {
            body.clear();
            flood.body(body, messages++);
            out.u8(OutboxProtocol.CHANNEL).u8(flood.type).bytes(body.view());
        }
        return out.toArray();
    }

    /** Returns how many bytes the node took before it stopped reading, or that it never did. */
    private long flood(Flood flood) {
        long bytes = 0;
        while (link.reading && bytes < FLOOD_BYTES) {
            long handled = driver.inputs();
            for (int i = 0; i < BURST; i++) {
                byte[] frame = frame(flood);
                bytes += frame.length;
                driver.listener().frame(PEER, frame, false);
            }
            await().atMost(LONG)
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> driver.inputs() >= handled + BURST);
        }
        return bytes;
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void readsOnWhenTheStoreHasWrittenWhatWaitsForIt() {
        start();
        store.hang();

        assertThat(flood(Flood.QUERY)).isLessThan(FLOOD_BYTES);
        assertThat(link.reading).isFalse();
        store.goOn();

        await().atMost(LONG).until(() -> link.reading);
    }

    @ParameterizedTest
    @EnumSource
    void takesNoMoreThanItCanKeepWhileItsStoreHangs(Flood flood) {
        start();
        driver.listener().frame(PEER, frame(Flood.KNOWN_COPIES), false);
        await().atMost(LONG).until(() -> driver.inputs() > 3);
        long before = heap();
        store.hang();

        long taken = flood(flood);

        assertThat(link.refusals).as("frames that were refused").hasValue(0);
        // The last turn may still be at work, and needs more than what it keeps.
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(heap() - before)
                        .as("heap taken by " + taken + " bytes")
                        .isLessThan(60L << 20));
        store.goOn();
        await().atMost(LONG).until(() -> link.reading);
        assertThat(driver.ended()).isNotDone();
    }
}
