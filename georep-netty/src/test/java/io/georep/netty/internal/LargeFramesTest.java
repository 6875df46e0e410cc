package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.RecordingListener;
import io.georep.spi.RecordingListener.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many links bring frames of 16 MiB at once over real sockets: three have room, the others wait. */
@Timeout(60)
class LargeFramesTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int FRAME_BYTES = 16 << 20;
    private static final int WITH_ROOM = 3;

    private final RecordingListener heard = new RecordingListener(new Object());
    private final LinkCounters counters = new LinkCounters();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Socket> sockets = new ArrayList<>();
    private LinkLayer node;

    private void start(int eventLoops, int stalledMillis) {
        LinkSettings usual = Samples.settings();
        LinkSettings settings = new LinkSettings(
                usual.cluster(),
                usual.bindAddress(),
                eventLoops,
                usual.nativeTransport(),
                usual.handshakeTimeoutMillis(),
                usual.reconnectDelayMinNanos(),
                usual.reconnectDelayMaxNanos(),
                stalledMillis,
                FRAME_BYTES,
                usual.queueBytesLow(),
                usual.queueBytesHigh(),
                usual.queueBytesMax(),
                usual.writeBufferBytesLow(),
                usual.writeBufferBytesHigh(),
                null,
                usual.secrets());
        NodeIdentity self = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "127.0.0.1:0", "");
        node = LinkLayer.start(self, settings, counters, heard);
    }

    @AfterEach
    void stop() throws IOException {
        goOn.countDown();
        for (Socket socket : sockets) {
            socket.close();
        }
        node.close();
    }

    private static NodeIdentity peer(int number) {
        return new NodeIdentity(NodeId.of("peer-" + number), 1, 1, number, "peer:" + number, "");
    }

    private static byte[] frame(int number) {
        byte[] frame = new byte[FRAME_BYTES];
        Arrays.fill(frame, (byte) number);
        return frame;
    }

    /** Dials, sends all but the last bytes of a frame, and the rest when all may. */
    private Thread dial(int number, boolean finishes) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), Endpoint.parse(node.address()).port());
        sockets.add(socket);
        socket.getOutputStream().write(HandshakeFormat.encode(new Handshake.Hello(1, 1, "georep", peer(number), "b")));
        byte[] answer = socket.getInputStream().readNBytes(HandshakeFormat.HEAD_BYTES);
        socket.getInputStream().readNBytes(answer[6] + HandshakeFormat.CHECKSUM_BYTES);
        byte[] chunks = Samples.chunks(false, frame(number));
        Thread writer = new Thread(() -> {
            try {
                socket.getOutputStream().write(chunks, 0, chunks.length - 1000);
                if (finishes) {
                    goOn.await();
                    socket.getOutputStream().write(chunks, chunks.length - 1000, 1000);
                }
            } catch (IOException | InterruptedException e) {
                // The end of the test, or of the link.
            }
        });
        writer.start();
        return writer;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void allArriveAndOnlyThoseWithRoomTakeMemory(int eventLoops) throws Exception {
        start(eventLoops, 60_000);
        for (int i = 0; i < 10; i++) {
            dial(i, true);
        }

        await().atMost(LONG).until(() -> node.room().waiting() == 10 - WITH_ROOM);
        await().atMost(LONG).until(() -> counters.bytesIn.sum() >= WITH_ROOM * (FRAME_BYTES - 1000L));
        assertThat(node.room().used()).isEqualTo((long) WITH_ROOM * FRAME_BYTES);
        assertThat(counters.bytesIn.sum()).as("bytes that were read").isLessThan((WITH_ROOM + 1L) * FRAME_BYTES);
        int signs = heard.events(Event.LifeSign.class).size();
        await("those who wait count as alive")
                .atMost(LONG)
                .until(() -> heard.events(Event.LifeSign.class).stream()
                                .skip(signs)
                                .map(Event.LifeSign::from)
                                .distinct()
                                .count()
                        == 10 - WITH_ROOM);

        goOn.countDown();

        await().atMost(LONG).until(() -> heard.frames().size() == 10);
        for (Event.Frame frame : heard.events(Event.Frame.class)) {
            assertThat(frame.bytes()).isEqualTo(frame((int) frame.from().nonce()));
        }
        assertThat(node.room().used()).isZero();
    }

    @Test
    void whoStallsHalfWayLosesItsLinkAndTheOthersGoOn() throws Exception {
        start(1, 1000);
        for (int i = 0; i < WITH_ROOM; i++) {
            dial(i, false);
        }
        await().atMost(LONG).until(() -> counters.bytesIn.sum() >= WITH_ROOM * (FRAME_BYTES - 1000L));
        goOn.countDown();

        dial(WITH_ROOM, true);

        await().atMost(LONG).until(() -> heard.frames().size() == 1);
        assertThat(heard.events(Event.Frame.class).get(0).from()).isEqualTo(peer(WITH_ROOM));
        assertThat(counters.linksIn.sum()).as("links that are left").isLessThanOrEqualTo(WITH_ROOM);
        await().atMost(LONG).until(() -> node.room().used() <= (WITH_ROOM - 1L) * FRAME_BYTES);
    }

    @Test
    void aLinkThatEndsHalfWayGivesItsRoomBack() throws Exception {
        start(1, 60_000);
        for (int i = 0; i < WITH_ROOM; i++) {
            dial(i, false);
        }
        await().atMost(LONG).until(() -> counters.bytesIn.sum() >= WITH_ROOM * (FRAME_BYTES - 1000L));
        goOn.countDown();
        dial(WITH_ROOM, true);
        await().atMost(LONG).until(() -> node.room().waiting() == 1);

        sockets.get(1).close();

        await().atMost(LONG).until(() -> heard.frames().size() == 1);
        await().atMost(LONG).until(() -> node.room().used() == (WITH_ROOM - 1L) * FRAME_BYTES);
    }
}
