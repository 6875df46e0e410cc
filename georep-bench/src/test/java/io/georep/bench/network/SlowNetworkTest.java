package io.georep.bench.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The network between two nodes that are sockets: "a" dials "b". */
@Timeout(60)
class SlowNetworkTest {
    /** Longest wait for bytes that must come. */
    private static final int PATIENCE_MILLIS = 60_000;

    private static final int HELLO_BYTES = 7 + 2 + 7 + 2;

    private SlowNetwork network;
    private ServerSocket listening;
    private Socket dialer;
    private Socket acceptor;

    @AfterEach
    void close() throws IOException {
        for (AutoCloseable used : new AutoCloseable[] {dialer, acceptor, listening, network}) {
            try {
                if (used != null) {
                    used.close();
                }
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    private static byte[] hello(String cluster, String id) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeBytes("GEOR");
        out.writeByte(1);
        out.writeShort(100);
        out.writeShort(0x0101);
        out.writeByte(cluster.length());
        out.writeBytes(cluster);
        out.writeByte(id.length());
        out.writeBytes(id);
        return bytes.toByteArray();
    }

    private void open(Duration delay) throws IOException {
        network = new SlowNetwork(List.of("a", "b"), delay, 1);
        listening = new ServerSocket(network.port(1), 5, InetAddress.getLoopbackAddress());
        listening.setSoTimeout(PATIENCE_MILLIS);
    }

    private Socket dial() throws IOException {
        String[] address = network.address(1).split(":", 2);
        Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    /** Both ends know each other. */
    private void connect() throws IOException {
        dialer = dial();
        dialer.getOutputStream().write(hello("georep", "a"));
        acceptor = listening.accept();
        acceptor.setSoTimeout(PATIENCE_MILLIS);
        assertThat(acceptor.getInputStream().readNBytes(HELLO_BYTES)).isEqualTo(hello("georep", "a"));
    }

    private static void say(Socket from, String word) throws IOException {
        from.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hear(Socket at, int length) throws IOException {
        return new String(at.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    private static void hearNothing(Socket at) throws IOException {
        at.setSoTimeout(200);
        assertThatThrownBy(() -> at.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        at.setSoTimeout(PATIENCE_MILLIS);
    }

    @Test
    void delaysBothDirections() throws Exception {
        open(Duration.ofMillis(100));
        connect();
        long before = System.nanoTime();

        say(dialer, "ping");
        assertThat(hear(acceptor, 4)).isEqualTo("ping");
        long there = System.nanoTime() - before;
        say(acceptor, "pong");
        assertThat(hear(dialer, 4)).isEqualTo("pong");
        long both = System.nanoTime() - before;

        assertThat(there).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(both - there).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void blocksOneDirectionAloneAndDeliversLaterInOrder() throws Exception {
        open(Duration.ZERO);
        connect();

        network.block(0, 1);
        say(dialer, "one");
        say(dialer, "two");
        say(acceptor, "back");

        assertThat(hear(dialer, 4)).isEqualTo("back");
        hearNothing(acceptor);
        network.heal();
        assertThat(hear(acceptor, 6)).isEqualTo("onetwo");
    }

    @Test
    void keepsTheEndOfABlockedConnectionFromTheOtherSide() throws Exception {
        open(Duration.ZERO);
        connect();
        network.block(1, 0);

        acceptor.close();

        hearNothing(dialer);
        network.heal();
        assertThat(dialer.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void breaksConnectionsOnBothSides() throws Exception {
        open(Duration.ZERO);
        connect();

        network.breakLinks(0, 1);

        assertThat(ended(dialer)).isTrue();
        assertThat(ended(acceptor)).isTrue();
    }

    @Test
    void makesOneDirectionSlowerUntilItIsHealed() throws Exception {
        open(Duration.ZERO);
        connect();
        network.delay(0, 1, Duration.ofMillis(200));
        long before = System.nanoTime();

        say(dialer, "slow");
        say(acceptor, "fast");
        assertThat(hear(dialer, 4)).isEqualTo("fast");
        long fast = System.nanoTime() - before;
        assertThat(hear(acceptor, 4)).isEqualTo("slow");
        long slow = System.nanoTime() - before;

        assertThat(slow).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(fast).isLessThan(slow);
    }

    @Test
    void damagesABitHereAndThereInOneDirection() throws Exception {
        open(Duration.ZERO);
        connect();
        byte[] sent = new byte[1 << 20];
        new Random(1).nextBytes(sent);
        network.damage(0, 1, 1 << 10);

        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(sent, new AtomicInteger()));
        byte[] got = acceptor.getInputStream().readNBytes(sent.length);
        written.get(60, TimeUnit.SECONDS);
        say(acceptor, "whole");

        assertThat(got).hasSameSizeAs(sent).isNotEqualTo(sent);
        int differences = 0;
        for (int i = 0; i < sent.length; i++) {
            differences += Integer.bitCount((got[i] ^ sent[i]) & 0xff);
        }
        assertThat(differences).as("bits that differ").isLessThan(sent.length >> 10);
        assertThat(hear(dialer, 5)).isEqualTo("whole");
    }

    @Test
    void letsASlowReaderHaveSoMuchASecondAndHoldsTheSenderUp() throws Exception {
        open(Duration.ZERO);
        connect();
        byte[] much = new byte[32 << 20];
        new Random(1).nextBytes(much);
        network.slow(0, 1, 1 << 17);
        long before = System.nanoTime();

        AtomicInteger sent = new AtomicInteger();
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(much, sent));
        DataInputStream in = new DataInputStream(acceptor.getInputStream());
        byte[] first = in.readNBytes(1 << 16);
        long slow = System.nanoTime() - before;
        assertThat(sent.get()).as("bytes it took, socket buffers included").isLessThan(much.length / 2);
        network.heal();
        byte[] rest = in.readNBytes(much.length - first.length);
        written.get(60, TimeUnit.SECONDS);

        assertThat(slow).as("half a second for 64 KiB at 128 KiB/s").isGreaterThan(TimeUnit.MILLISECONDS.toNanos(400));
        assertThat(first).isEqualTo(java.util.Arrays.copyOf(much, first.length));
        assertThat(rest).isEqualTo(java.util.Arrays.copyOfRange(much, first.length, much.length));
    }

    @Test
    void endsTheConnectionWhenNobodyListensOrAStrangerDials() throws Exception {
        open(Duration.ZERO);
        listening.close();
        dialer = dial();
        dialer.getOutputStream().write(hello("georep", "a"));
        assertThat(ended(dialer)).isTrue();

        try (Socket stranger = dial()) {
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(ended(stranger)).isTrue();
        }
        try (Socket unknown = dial()) {
            unknown.getOutputStream().write(hello("georep", "nobody"));
            assertThat(ended(unknown)).isTrue();
        }
    }

    @Test
    void losesNoByteOfWhatIsMoreThanItHolds() throws Exception {
        open(Duration.ofMillis(1));
        connect();
        byte[] much = new byte[40 << 20];
        new Random(1).nextBytes(much);
        network.block(0, 1);

        AtomicInteger sent = new AtomicInteger();
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(much, sent));
        int[] seen = {0};
        await().pollInterval(Duration.ofSeconds(1)).until(() -> seen[0] == (seen[0] = sent.get()));
        assertThat(sent.get()).as("bytes it took, socket buffers included").isLessThan(much.length / 2);
        network.heal();

        assertThat(new DataInputStream(acceptor.getInputStream()).readNBytes(much.length))
                .isEqualTo(much);
        written.get(60, TimeUnit.SECONDS);
    }

    private void write(byte[] bytes, AtomicInteger sent) {
        try {
            for (int at = 0; at < bytes.length; at += 1 << 16) {
                dialer.getOutputStream().write(bytes, at, 1 << 16);
                sent.set(at);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void readsWhoDialsAsSoonAsThatHasCome() throws Exception {
        byte[] hello = hello("georep-demo", "node-12");
        for (int length = 0; length < hello.length; length++) {
            assertThat(Crossing.dialerIn(Unpooled.wrappedBuffer(hello, 0, length)))
                    .isNull();
        }
        assertThat(Crossing.dialerIn(Unpooled.wrappedBuffer(hello))).isEqualTo("node-12");
        assertThat(Crossing.dialerIn(Unpooled.wrappedBuffer(new byte[] {'G', 'E', 'T'})))
                .isEmpty();
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }
}
