package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.RecordingListener;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much goes before an urgent frame when the other side has stopped reading. */
@Timeout(60)
class UrgentFramesTest {
    private static final int FRAME_BYTES = 60_000;
    private static final int FRAMES = 400;

    /** What a receiver's window may hold; it is not the sender's to take back. */
    private static final int WINDOW_BYTES = 64 << 10;

    /** At 1 MB/s, with T_put of three seconds. The operating system alone took 4 MB. */
    private static final long LIMIT_BYTES = 1_500_000;

    private static LinkSettings settings(boolean nativeTransport) {
        LinkSettings some = Samples.settings();
        return new LinkSettings(
                some.cluster(),
                null,
                1,
                nativeTransport,
                some.handshakeTimeoutMillis(),
                some.reconnectDelayMinNanos(),
                some.reconnectDelayMaxNanos(),
                some.unacknowledgedTimeoutMillis(),
                some.frameBytesMax(),
                32 << 20,
                64 << 20,
                128 << 20,
                128 << 10,
                256 << 10,
                null,
                some.secrets());
    }

    @ParameterizedTest(name = "epoll {0}")
    @ValueSource(booleans = {true, false})
    void overtakeAllButWhatIsUnderWay(boolean epoll) throws Exception {
        NodeIdentity self = new NodeIdentity(NodeId.of("a"), 1, 7, 1, "127.0.0.1:0", "");
        NodeIdentity peer = new NodeIdentity(NodeId.of("b"), 1, 7, 2, "127.0.0.1:1", "");
        RecordingListener heard = new RecordingListener(new Object());
        LinkCounters counters = new LinkCounters();
        try (ServerSocket server = new ServerSocket()) {
            server.setReceiveBufferSize(WINDOW_BYTES);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            LinkLayer layer = LinkLayer.start(self, settings(epoll), counters, heard);
            try {
                layer.targets(Map.of(peer.id(), "127.0.0.1:" + server.getLocalPort()), java.util.List.of());
                try (Socket socket = server.accept()) {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    shakeHands(socket, in, peer);
                    until(() -> heard.isUp(peer.id()));
                    for (int i = 0; i < FRAMES; i++) {
                        layer.send(new Transport.Outgoing(peer.id(), new byte[FRAME_BYTES], false, 2));
                    }
                    untilItStandsStill(counters);
                    layer.send(new Transport.Outgoing(peer.id(), new byte[] {1}, true, 2));
                    layer.settle();

                    assertThat(bytesBeforeTheUrgentFrame(in)).isLessThan(LIMIT_BYTES);
                }
            } finally {
                layer.close();
            }
        }
    }

    private static void shakeHands(Socket socket, DataInputStream in, NodeIdentity peer) throws IOException {
        in.skipNBytes(HandshakeFormat.HEAD_BYTES - 2);
        in.skipNBytes(in.readUnsignedShort() + HandshakeFormat.CHECKSUM_BYTES);
        socket.getOutputStream()
                .write(ByteBufUtil.getBytes(
                        Unpooled.wrappedBuffer(HandshakeFormat.encode(new Handshake.Accept(1, peer)))));
    }

    private static void until(java.util.function.BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** The sender has handed over what it can: nothing moved for a second, and something before. */
    private static void untilItStandsStill(LinkCounters counters) {
        long[] last = {-1, System.nanoTime()};
        until(() -> {
            long bytes = counters.bytesOut.sum();
            if (bytes != last[0]) {
                last[0] = bytes;
                last[1] = System.nanoTime();
            }
            return bytes > 0 && System.nanoTime() - last[1] > TimeUnit.SECONDS.toNanos(1);
        });
    }

    private static long bytesBeforeTheUrgentFrame(DataInputStream in) throws IOException {
        long bytes = 0;
        while (true) {
            int word = in.readInt();
            if ((word & ChunkFormat.URGENT) != 0) {
                return bytes;
            }
            int length = (word & ChunkFormat.LENGTH_MASK) + Integer.BYTES;
            in.skipNBytes(length);
            bytes += length + Integer.BYTES;
        }
    }
}
