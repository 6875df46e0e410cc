package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.concurrent.FairLanes;
import io.georep.netty.internal.Samples;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.spi.RecordingListener;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Protocols share a link: its turns, its marks and its room; a greedy one costs the others nothing but its share. */
class LanesOfALinkTest {
    private static final int LOW = 100_000;
    private static final int HIGH = 400_000;
    private static final int MAX = 1_000_000;
    private static final int FRAME = 10_000;
    private static final int MODEST = 2;
    private static final int GREEDY = 9;

    /** A socket that takes one buffer at a time. */
    private static final class SlowSocket extends ChannelOutboundHandlerAdapter {
        final ArrayDeque<ChannelPromise> pending = new ArrayDeque<>();
        final ByteBuf taken = Unpooled.buffer();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            taken.writeBytes(bytes);
            bytes.release();
            pending.add(promise);
            context.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        }
    }

    private final SlowSocket socket = new SlowSocket();
    private final EmbeddedChannel channel = new EmbeddedChannel(socket);
    private final ChunkWriter writer =
            new ChunkWriter(channel, Samples.settings(1 << 20, LOW, HIGH, MAX), new LinkCounters());
    private final List<String> marks = new ArrayList<>();

    LanesOfALinkTest() {
        channel.pipeline().addLast(writer);
        writer.marks((lane, writable) -> marks.add(lane + (writable ? " writable" : " full")));
    }

    @AfterEach
    void nothingIsLeft() {
        channel.checkException();
        channel.finishAndReleaseAll();
    }

    private boolean offer(int lane, int bytes) {
        byte[] frame = new byte[bytes];
        if (bytes > 0) {
            frame[0] = (byte) lane;
        }
        return writer.offer(frame, false, lane);
    }

    /** Offers frames to a lane until one is refused. */
    private int fill(int lane) {
        int taken = 0;
        while (offer(lane, FRAME)) {
            taken++;
        }
        return taken * FRAME;
    }

    private void takeAll() {
        channel.runPendingTasks();
        while (!socket.pending.isEmpty()) {
            takeOne();
        }
    }

    private void takeOne() {
        ChannelPromise done = socket.pending.remove();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        done.setSuccess();
        channel.runPendingTasks();
    }

    /** The lanes of the frames in the order of their arrival. */
    private List<Integer> arrived() {
        return heard().frames().stream().map(frame -> (int) frame[0]).toList();
    }

    private RecordingListener heard() {
        RecordingListener heard = new RecordingListener(new Object());
        EmbeddedChannel other = new EmbeddedChannel(Samples.decoder(Samples.AMS, 1 << 20, heard, new LinkCounters()));
        other.writeInbound(socket.taken);
        return heard;
    }

    @Test
    void tellsWhichFramesAreUrgent() {
        offer(MODEST, 200_000);
        channel.runPendingTasks();
        writer.offer(new byte[100], true, MODEST);
        takeAll();

        assertThat(heard().events(RecordingListener.Event.Frame.class))
                .extracting(RecordingListener.Event.Frame::urgent)
                .containsExactly(true, false);
    }

    @Test
    void aFrameWaitsForOneTurnOfTheGreedyLane() {
        fill(GREEDY);
        channel.runPendingTasks();
        int underWay = socket.taken.readableBytes() / FRAME;
        offer(MODEST, FRAME);
        takeAll();

        int turn = (int) FairLanes.QUANTUM / FRAME + 1;
        assertThat(arrived().indexOf(MODEST)).isBetween(underWay, underWay + turn);
    }

    @Test
    void whatComesInOrderComesAfterAllThatWasQueued() {
        fill(GREEDY);
        offer(MODEST, FRAME);
        channel.runPendingTasks();
        offer(Transport.IN_ORDER, FRAME);
        offer(MODEST, FRAME);
        takeAll();

        List<Integer> arrived = arrived();
        assertThat(arrived.indexOf(Transport.IN_ORDER))
                .isGreaterThan(arrived.lastIndexOf(MODEST))
                .isEqualTo(arrived.size() - 1);
    }

    @Test
    void aLaneAloneHasAllTheRoom() {
        offer(Transport.IN_ORDER, FRAME);
        takeAll();

        assertThat(fill(MODEST)).isBetween(MAX - 2 * FRAME, MAX);
        channel.runPendingTasks();
        assertThat(marks).containsExactly(MODEST + " full");
    }

    @Test
    void aGreedyLaneTakesNobodysRoom() {
        assertThat(fill(GREEDY)).isBetween(MAX - 2 * FRAME, MAX);

        assertThat(fill(MODEST)).isBetween(MAX / 2 - 2 * FRAME, MAX / 2);
        assertThat(fill(Transport.IN_ORDER)).isBetween(MAX / 2 - 2 * FRAME, MAX / 2);
    }

    @Test
    void aLaneHasItsShareOfTheBoundWhenAnotherIsUsed() {
        offer(MODEST, FRAME);
        takeAll();

        assertThat(fill(GREEDY)).isBetween(MAX / 2 - 2 * FRAME, MAX / 2);
    }

    @Test
    void aGreedyLaneTakesNobodysMark() {
        offer(MODEST, FRAME);
        fill(GREEDY);
        channel.runPendingTasks();
        assertThat(marks).containsExactly(GREEDY + " full");

        takeAll();

        assertThat(marks).containsExactly(GREEDY + " full", GREEDY + " writable");
    }

    @Test
    void marksAreSharedToo() {
        offer(GREEDY, FRAME);
        takeAll();
        for (int bytes = 0; bytes < HIGH * 3 / 4; bytes += FRAME) {
            offer(MODEST, FRAME);
        }
        channel.runPendingTasks();

        assertThat(marks).containsExactly(MODEST + " full");
    }

    @Test
    void aGreedyLaneSilencesNoHeartbeat() {
        fill(GREEDY);
        fill(MODEST);

        assertThat(writer.offer(new byte[LaneRoom.URGENT_RESERVE_BYTES - FRAME], true, GREEDY))
                .isTrue();
        assertThat(writer.offer(new byte[2 * FRAME], true, MODEST)).isFalse();
    }

    @Test
    void aFrameAloneInItsLaneMayBeLargerThanItsShare() {
        fill(GREEDY);

        assertThat(offer(MODEST, MAX * 3 / 4)).isTrue();
        assertThat(offer(MODEST, FRAME)).isFalse();
    }
}
