package io.georep.netty.internal;

import io.georep.logging.LimitedLog;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.accept.AcceptHandshake;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.accept.ChunkDecoder;
import io.georep.netty.internal.accept.Newcomers;
import io.georep.netty.internal.accept.ReassemblyRoom;
import io.georep.netty.internal.dial.FrameQueue;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.Handshake;
import io.georep.spi.RecordingListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.LoggerFactory;

/** Identities, settings and streams the tests of this package share. */
public final class Samples {
    public static final NodeIdentity AMS = new NodeIdentity(
                    NodeId.of("ams-1"), 300, 0x0102030405060708L, 0x1112131415161718L, "ams-1.example:7400", "eu-ams")
            .withChannels(Channels.of(Map.of(1, 1, 2, 1)).named(Map.of(1, "membership", 2, "outbox")));
    public static final NodeIdentity NYC =
            new NodeIdentity(NodeId.of("nyc-1"), 2, 21, 22, "nyc-1.example:7400", "us-nyc");

    private Samples() {}

    public static LinkSettings settings() {
        return settings(1 << 20, 4096, 8192, 16_384);
    }

    public static LinkSettings settings(int frameBytesMax, long queueLow, long queueHigh, long queueMax) {
        return new LinkSettings(
                "georep",
                null,
                1,
                true,
                5000,
                TimeUnit.MILLISECONDS.toNanos(20),
                TimeUnit.MILLISECONDS.toNanos(200),
                15_000,
                frameBytesMax,
                queueLow,
                queueHigh,
                queueMax,
                128 << 10,
                256 << 10,
                null,
                List.of());
    }

    private static final LimitedLog LOG = new LimitedLog(LoggerFactory.getLogger(Samples.class));

    public static LimitedLog log() {
        return LOG;
    }

    public static AcceptHandshake.Surroundings around(
            Admission admission, RecordingListener heard, LinkCounters counters) {
        return new AcceptHandshake.Surroundings(
                settings(),
                ChannelSecurity.PLAIN,
                admission,
                heard,
                counters,
                log(),
                log(),
                new Newcomers(RandomGenerator.getDefault()),
                room(1 << 20),
                peer -> {});
    }

    public static ReassemblyRoom room(int frameBytesMax) {
        return new ReassemblyRoom(frameBytesMax, 15_000, System::nanoTime);
    }

    /** A decoder with room of its own. */
    public static ChunkDecoder decoder(
            NodeIdentity from, int frameBytesMax, RecordingListener heard, LinkCounters counters) {
        return new ChunkDecoder(
                from, frameBytesMax, heard, counters, log(), new Admission(AMS, "georep"), room(frameBytesMax));
    }

    public static Handshake.Hello hello() {
        return new Handshake.Hello(1, 1, "georep", NYC, "ams-1");
    }

    /** The chunks of these frames, one frame after the other. */
    public static byte[] chunks(boolean urgent, byte[]... frames) {
        FrameQueue queue = new FrameQueue(urgent);
        for (byte[] frame : frames) {
            queue.add(frame, 2);
        }
        ByteBuf out = Unpooled.buffer();
        while (!queue.isEmpty()) {
            queue.writeChunk(out);
        }
        return ByteBufUtil.getBytes(out);
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Everything the channel has written. */
    public static byte[] written(EmbeddedChannel channel) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            out.writeBytes(ByteBufUtil.getBytes(next));
            next.release();
        }
        return out.toByteArray();
    }

    /** All bytes from the first to the last. */
    public static byte[] range(int first, int last) {
        byte[] bytes = new byte[last - first + 1];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (first + i);
        }
        return bytes;
    }

    /** Bytes 0, 1, 2 … */
    public static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
