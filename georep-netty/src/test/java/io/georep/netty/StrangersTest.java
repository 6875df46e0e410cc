package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers can take from a node before they have proved anything: little, and not for long. */
@Timeout(60)
class StrangersTest extends TransportFixture {
    private static final int PER_ADDRESS = 64;

    private Duration handshakeTimeout = Duration.ofMinutes(5);

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .handshakeTimeout(handshakeTimeout)
                .secret(SharedSecret.of(new byte[32]))
                .build());
    }

    private static Socket connect(Node node, String from) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port(node)), 20_000);
        return socket;
    }

    private static long refusals(Node node) {
        return ((NettyTransport) node.transport()).counters().refusalsSent();
    }

    /** Each byte is in time; all of them would not be. */
    @ParameterizedTest
    @ValueSource(strings = {"GEOS\1\1", "GEOR\1", ""})
    void oneByteAtATimeBuysNoTime(String words) throws IOException {
        handshakeTimeout = Duration.ofMillis(400);
        Node b = start(B);
        byte[] bytes = words.getBytes(StandardCharsets.US_ASCII);

        try (Socket slow = connect(b, "127.0.0.1")) {
            slow.setSoTimeout(100);
            int sent = 0;
            while (!isClosed(slow)) {
                if (sent < bytes.length && sent < 3) {
                    slow.getOutputStream().write(bytes[sent]);
                }
                sent++;
                assertThat(sent).as("tenths of a second").isLessThan(100);
            }
        }
        assertThat(refusals(b)).isEqualTo(1);
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void aCrowdOfSilentConnectionsIsKeptSmallAndHarmsNobody() throws IOException {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        List<Socket> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < 5 * PER_ADDRESS; i++) {
                crowd.add(connect(b, "127.0.0.1"));
            }
            await("all but so many turned out", () -> refusals(b) >= 4 * PER_ADDRESS);

            Node c = start(C);
            link(c, b);
            a.send(b, number(1));
            c.send(b, number(2));
            await("frames of both", () -> b.heard().frames().size() == 2);
            assertThat(a.heard().downs(B)).isZero();
            assertThat(refusals(b)).isLessThanOrEqualTo(4 * PER_ADDRESS + 2);
        } finally {
            for (Socket socket : crowd) {
                socket.close();
            }
        }
    }

    /** Strangers connect as fast as they can and let the connections wait; the node goes on, and lets newcomers in. */
    @Test
    void aFloodOfConnectionsStopsNeitherLinksNorNewcomers() throws Exception {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger opened = new AtomicInteger();
        Thread flood = new Thread(() -> {
            List<Socket> held = new ArrayList<>();
            while (!over.get()) {
                try {
                    held.add(connect(b, "127.0.0.1"));
                    opened.incrementAndGet();
                    if (held.size() > 200) {
                        held.remove(0).close();
                    }
                } catch (IOException e) {
                    // The node is busy, or was closed.
                }
            }
            for (Socket socket : held) {
                closeQuietly(socket);
            }
        });
        flood.start();
        try {
            await("a flood", () -> opened.get() > 1_000);
            int frames = b.heard().frames().size();
            a.send(b, number(1));
            await(
                    "a frame over the link that was there",
                    () -> b.heard().frames().size() == frames + 1);
            Node c = start(C);
            link(c, b);
            assertThat(a.heard().downs(B)).isZero();
        } finally {
            over.set(true);
            flood.join();
        }
    }

    /** Both are behind one address, and the peer is far away: it needs round trips, and strangers only connections. */
    @ParameterizedTest
    @ValueSource(strings = {"", "GEOS\1\1"})
    void strangersBehindThePeersOwnAddressDoNotKeepItOut(String words) throws Exception {
        Node b = start(B);
        Node c = start(C);
        byte[] bytes = words.getBytes(StandardCharsets.US_ASCII);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger opened = new AtomicInteger();
        Thread flood = new Thread(() -> {
            ArrayDeque<Socket> held = new ArrayDeque<>();
            while (!over.get()) {
                try {
                    Socket stranger = connect(b, "127.0.0.1");
                    stranger.getOutputStream().write(bytes);
                    held.add(stranger);
                    opened.incrementAndGet();
                    if (held.size() > 2 * PER_ADDRESS) {
                        closeQuietly(held.remove());
                    }
                } catch (IOException e) {
                    // It was displaced already.
                }
                LockSupport.parkNanos(2_000_000);
            }
            held.forEach(StrangersTest::closeQuietly);
        });
        try (DistantPlace place = new DistantPlace(port(b), Duration.ofMillis(50))) {
            flood.start();
            await("a flood", () -> opened.get() > 2 * PER_ADDRESS);

            c.transport().targets(Map.of(B, place.address()), List.of());

            awaitUp(c, b);
            c.send(b, number(7));
            await("a frame", () -> b.heard().frames().size() == 1);
            assertThat(b.heard().downs(C)).isZero();
        } finally {
            over.set(true);
            flood.join();
        }
    }

    private static int port(Node node) {
        String address = node.self().address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }

    @Test
    void muchAtOnceIsNotKept() throws IOException {
        Node b = start(B);
        try (Socket loud = connect(b, "127.0.0.1")) {
            OutputStream out = loud.getOutputStream();
            byte[] much = new byte[1 << 20];
            much[0] = 'G';
            long sent = 0;
            boolean refused = false;
            while (!refused) {
                try {
                    out.write(much);
                    sent += much.length;
                } catch (IOException e) {
                    refused = true;
                }
                assertThat(sent).isLessThan(200L << 20);
            }
        }
        await("counted", () -> refusals(b) == 1);
    }
}
