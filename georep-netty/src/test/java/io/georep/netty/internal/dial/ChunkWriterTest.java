package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.spi.RecordingListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class ChunkWriterTest {
    private static final int LOW = 4096;
    private static final int HIGH = 8192;
    private static final int MAX = 400_000;
    private static final int LANE = 2;

    /** A socket that takes one buffer, and the next one when told. */
    private static final class SlowSocket extends ChannelOutboundHandlerAdapter {
        final ArrayDeque<ChannelPromise> pending = new ArrayDeque<>();
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        int flushes;
        boolean neverFull;

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            taken.writeBytes(ByteBufUtil.getBytes(bytes));
            bytes.release();
            pending.add(promise);
            writable(context.channel(), neverFull);
        }

        @Override
        public void flush(ChannelHandlerContext context) {
            flushes++;
        }

        static void writable(io.netty.channel.Channel channel, boolean writable) {
            channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
        }
    }

    private final SlowSocket socket = new SlowSocket();
    private final EmbeddedChannel channel = new EmbeddedChannel(socket);
    private final LinkCounters counters = new LinkCounters();
    private final ChunkWriter writer = new ChunkWriter(channel, Samples.settings(1 << 20, LOW, HIGH, MAX), counters);
    private final List<Boolean> marks = new ArrayList<>();

    ChunkWriterTest() {
        channel.pipeline().addLast(writer);
        writer.marks((lane, writable) -> {
            if (lane == LANE) {
                marks.add(writable);
            }
        });
    }

    @AfterEach
    void nothingIsLeft() {
        channel.checkException();
        channel.finishAndReleaseAll();
    }

    private void socketTakesMore() {
        ChannelPromise done = socket.pending.remove();
        SlowSocket.writable(channel, true);
        done.setSuccess();
        channel.runPendingTasks();
    }

    private void socketTakesAll() {
        channel.runPendingTasks();
        while (!socket.pending.isEmpty()) {
            socketTakesMore();
        }
    }

    /** What the accepting end makes of it. */
    private RecordingListener decoded() {
        RecordingListener heard = new RecordingListener(new Object());
        EmbeddedChannel other = new EmbeddedChannel(Samples.decoder(Samples.AMS, 1 << 20, heard, new LinkCounters()));
        other.writeInbound(Unpooled.wrappedBuffer(socket.taken.toByteArray()));
        assertThat(other.isOpen()).isTrue();
        return heard;
    }

    @Test
    void restsUntilItIsWoken() {
        assertThat(writer.queue(new byte[] {1}, false, LANE)).isEqualTo(ChunkWriter.Offered.RESTING);
        assertThat(writer.queue(new byte[] {2}, false, LANE)).isEqualTo(ChunkWriter.Offered.QUEUED);
        channel.runPendingTasks();
        assertThat(socket.pending).isEmpty();

        ChunkWriter.wakeAll(List.of(writer));

        socketTakesAll();
        assertThat(decoded().frames()).containsExactly(new byte[] {1}, new byte[] {2});
        assertThat(socket.flushes).isEqualTo(1);
    }

    /** A connection with nothing to put frames in. */
    private static final class WithoutMemory extends LocalChannel {
        @Override
        public boolean isActive() {
            return isOpen();
        }

        @Override
        public ByteBufAllocator alloc() {
            throw new OutOfMemoryError("no direct memory");
        }
    }

    @Test
    void oneLinkWithoutMemoryIsClosedAndLeavesTheOthersAwake() throws Exception {
        DefaultEventLoop loop = new DefaultEventLoop();
        try {
            LocalChannel poor = new WithoutMemory();
            LocalChannel other = new LocalChannel();
            loop.register(poor).sync();
            loop.register(other).sync();
            ChunkWriter first = new ChunkWriter(poor, Samples.settings(1 << 20, LOW, HIGH, MAX), counters);
            ChunkWriter second = new ChunkWriter(other, Samples.settings(1 << 20, LOW, HIGH, MAX), counters);
            first.queue(new byte[1], false, LANE);
            second.queue(new byte[1], false, LANE);

            ChunkWriter.wakeAll(List.of(first, second));
            loop.submit(() -> {}).sync();

            assertThat(second.queue(new byte[1], false, LANE))
                    .as("what was queued before was taken")
                    .isEqualTo(ChunkWriter.Offered.RESTING);
            assertThat(poor.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void aLinkWithoutMemoryIsClosedInsteadOfFallingAsleep() throws Exception {
        DefaultEventLoop loop = new DefaultEventLoop();
        try {
            LocalChannel poor = new WithoutMemory();
            loop.register(poor).sync();
            ChunkWriter alone = new ChunkWriter(poor, Samples.settings(1 << 20, LOW, HIGH, MAX), counters);

            alone.offer(new byte[1], false, LANE);

            assertThat(poor.closeFuture().await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void wakesOneEventLoopOnceForSeveralLinks() throws Exception {
        DefaultEventLoop loop = new DefaultEventLoop();
        try {
            List<ChunkWriter> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                LocalChannel link = new LocalChannel();
                loop.register(link).sync();
                writers.add(new ChunkWriter(link, Samples.settings(1 << 20, LOW, HIGH, MAX), counters));
            }
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch busy = new CountDownLatch(1);
            loop.execute(() -> {
                started.countDown();
                awaitQuietly(busy);
            });
            started.await();

            writers.forEach(each -> each.queue(new byte[] {1}, false, LANE));
            ChunkWriter.wakeAll(writers);

            assertThat(loop.pendingTasks()).isEqualTo(1);
            busy.countDown();
            loop.submit(() -> {}).sync();
            assertThat(writers)
                    .allMatch(each -> each.queue(new byte[] {2}, false, LANE) == ChunkWriter.Offered.RESTING);
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void writesTheChunksOfTheSpecification() {
        writer.offer("hello".getBytes(), false, LANE);
        writer.offer(new byte[0], false, LANE);
        socketTakesAll();

        assertThat(HexFormat.of().formatHex(socket.taken.toByteArray()))
                .isEqualTo("000000053923f9b468656c6c6f" + "0000000048674bc7");
    }

    @Test
    void cutsLargeFramesAsTheSpecificationSays() {
        writer.offer(Samples.counting(70_000), false, LANE);
        socketTakesAll();

        byte[] taken = socket.taken.toByteArray();
        assertThat(taken).hasSize(65_544 + 4_476);
        assertThat(HexFormat.of().formatHex(taken, 0, 16)).isEqualTo("800100006b0797c20001117000010203");
        assertThat(HexFormat.of().formatHex(taken, 65_544, 65_556)).isEqualTo("0000117445d89bb1fcfdfeff");
    }

    @Test
    void burstCostsOneBufferAndOneFlush() {
        for (int i = 0; i < 200; i++) {
            writer.offer(new byte[300], i % 7 == 0, LANE);
        }
        channel.runPendingTasks();

        assertThat(socket.flushes).isEqualTo(1);
        assertThat(socket.pending).hasSize(1);
        assertThat(decoded().frames()).hasSize(200);
        assertThat(counters.framesOut.sum()).isEqualTo(200);
        assertThat(counters.bytesOut.sum()).isEqualTo(200 * 308);
    }

    @Test
    void urgentFramesGoBetweenTheFragmentsOfOthers() {
        byte[] bulk = Samples.counting(350_000);
        writer.offer(bulk, false, LANE);
        channel.runPendingTasks();

        writer.offer(new byte[] {1}, true, LANE);
        writer.offer(new byte[] {2}, true, LANE);
        socketTakesAll();

        assertThat(decoded().frames()).containsExactly(new byte[] {1}, new byte[] {2}, bulk);
    }

    @Test
    void framesOfOneUrgencyKeepTheirOrder() {
        for (int i = 0; i < 100; i++) {
            writer.offer(new byte[] {(byte) i}, false, LANE);
            if (i % 10 == 0) {
                channel.runPendingTasks();
            }
        }
        socketTakesAll();

        assertThat(decoded().frames()).hasSize(100).isSortedAccordingTo((a, b) -> Byte.compare(a[0], b[0]));
    }

    @Test
    void tellsWhenTheQueuePassesItsMarks() {
        writer.offer(new byte[HIGH / 2], false, LANE);
        channel.runPendingTasks();
        assertThat(marks).isEmpty();

        writer.offer(new byte[HIGH], false, LANE);
        channel.runPendingTasks();
        assertThat(marks).containsExactly(false);

        socketTakesMore();
        assertThat(marks).as("still above the low mark").containsExactly(false);
        socketTakesMore();
        assertThat(marks).containsExactly(false, true);
        assertThat(writer.queuedBytes()).isZero();
    }

    /** Its own buffer is larger than what may be queued, so it never says that it has room again. */
    @Test
    void tellsOfTheLowMarkThoughTheSocketWasNeverFull() {
        socket.neverFull = true;
        writer.offer(new byte[2 * HIGH], false, LANE);
        channel.runPendingTasks();
        assertThat(marks).containsExactly(false);

        socket.pending.remove().setSuccess();
        channel.runPendingTasks();

        assertThat(marks).containsExactly(false, true);
    }

    @Test
    void refusesFramesAboveTheBound() {
        assertThat(writer.offer(new byte[MAX - 1000], false, LANE)).isTrue();

        assertThat(writer.offer(new byte[2000], false, LANE)).isFalse();

        assertThat(writer.offer(new byte[500], false, LANE)).isTrue();
        socketTakesAll();
        assertThat(decoded().frames()).hasSize(2);
        assertThat(writer.queuedBytes()).isZero();
    }

    @Test
    void emptyFramesAreBoundedToo() {
        int taken = 0;
        while (writer.offer(new byte[0], false, LANE)) {
            taken++;
        }

        assertThat(taken).isEqualTo(MAX / FrameInbox.FRAME_OVERHEAD_BYTES);
    }

    @Test
    void urgentFramesHaveRoomAboveTheBound() {
        writer.offer(new byte[MAX - 100], false, LANE);

        assertThat(writer.offer(new byte[1000], false, LANE)).isFalse();
        assertThat(writer.offer(new byte[1000], true, LANE)).isTrue();
        assertThat(writer.offer(new byte[LaneRoom.URGENT_RESERVE_BYTES], true, LANE))
                .isFalse();
    }

    @Test
    void singleFrameMayBeLargerThanTheBound() {
        assertThat(writer.offer(new byte[MAX * 2], false, LANE)).isTrue();
        socketTakesAll();

        assertThat(decoded().frames()).hasSize(1);
    }

    @Test
    void finishClosesWhenTheLastByteIsWritten() {
        writer.offer(new byte[200_000], false, LANE);
        channel.runPendingTasks();

        writer.finish();
        assertThat(channel.isOpen()).isTrue();
        socketTakesAll();

        assertThat(channel.isOpen()).isFalse();
        assertThat(decoded().frames()).hasSize(1);
    }

    @Test
    void finishClosesAtOnceWhenNothingWaits() {
        writer.finish();

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void peerThatTalksBackIsDisconnected() {
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {1}));

        assertThat(channel.isOpen()).isFalse();
    }
}
