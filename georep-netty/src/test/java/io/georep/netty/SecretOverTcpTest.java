package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes with shared secrets over TCP, and what somebody on the way sees and can do. */
class SecretOverTcpTest extends TransportFixture {
    private static final SharedSecret OLD = secret(1);
    private static final SharedSecret NEW = secret(2);

    private @Nullable SharedSecret secret = OLD;
    private ServerSocket wire;

    private static SharedSecret secret(int seed) {
        byte[] bytes = new byte[32];
        new Random(seed).nextBytes(bytes);
        return SharedSecret.of(bytes);
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .cluster("the-cluster")
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .secret(secret)
                .build());
    }

    @BeforeEach
    void listen() throws IOException {
        wire = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        wire.setSoTimeout(20_000);
    }

    @AfterEach
    void stopListening() throws IOException {
        wire.close();
    }

    private Node startWith(String id, @Nullable SharedSecret known) {
        secret = known;
        return start(NodeId.of(id));
    }

    private static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    private static int port(Node node) {
        String address = node.self().address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static Socket connect(Node node) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(node));
        socket.setSoTimeout(20_000);
        return socket;
    }

    private void awaitRefusal(Node node, String reason) {
        await(
                "refusal: " + reason,
                () -> node.heard()
                        .has(Event.Refused.class, refused -> refused.reason().contains(reason)));
    }

    @Test
    void nodesOfOneSecretLinkAndBringFramesOfAnySize() {
        Node a = startWith("a", OLD);
        Node b = startWith("b", OLD);
        link(a, b);
        List<byte[]> sent = new ArrayList<>();
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            byte[] frame = new byte[i % 50 == 0 ? 3_000_000 : random.nextInt(2_000)];
            random.nextBytes(frame);
            sent.add(frame);
            a.send(b, frame);
        }

        await("frames", () -> b.heard().frames().size() == sent.size());
        assertThat(b.heard().frames()).containsExactlyElementsOf(sent);
        assertThat(counters(b).malformed()).isZero();
    }

    @Test
    void nodesOfTwoSecretsRefuseEachOtherWithTheReason() {
        Node a = startWith("a", OLD);
        Node b = startWith("b", NEW);

        a.target(b);

        awaitRefusal(a, "does not know this node's shared secret");
        assertThat(a.heard().events(Event.Up.class)).isEmpty();
        await(
                "counted on both sides",
                () -> counters(a).distrusted() > 0 && counters(b).distrusted() > 0);
        assertThat(counters(b).linksIn()).isZero();
    }

    @Test
    void aNodeWithoutASecretIsRefusedByOneWithASecret() {
        Node a = startWith("a", null);
        Node b = startWith("b", OLD);

        a.target(b);

        awaitRefusal(a, "the cluster's shared secret only");
        await("counted", () -> counters(b).distrusted() > 0);
        assertThat(counters(b).linksIn()).isZero();
    }

    @Test
    void aNodeWithASecretDoesNotSpeakToOneWithout() {
        Node a = startWith("a", OLD);
        Node b = startWith("b", null);

        a.target(b);

        await(
                "failed attempts on both sides",
                () -> counters(a).dialsFailed() > 0 && counters(b).refusalsSent() > 0);
        assertThat(a.heard().events(Event.Up.class)).isEmpty();
        assertThat(counters(b).linksIn()).isZero();
    }

    @Test
    void theSecretIsChangedWithoutEverStoppingTheCluster() {
        SharedSecret both = OLD.alsoAccepting(NEW);
        SharedSecret turned = NEW.alsoAccepting(OLD);
        List<SharedSecret> steps = List.of(OLD, both, turned, NEW);
        for (int step = 1; step < steps.size(); step++) {
            Node before = startWith("before-" + step, steps.get(step - 1));
            Node after = startWith("after-" + step, steps.get(step));

            link(before, after);
            link(after, before);
        }
    }

    /** A stranger gets one nonce, whatever it says; a node is known by nobody who does not know the secret. */
    @Test
    void nothingSaysWhoAnswersBeforeTheProof() throws IOException {
        Node b = startWith("the-node", OLD);
        List<byte[]> attempts = List.of(
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                preamble(1, 1),
                join(preamble(1, 1), preamble(3, 2)),
                join("GEOR".getBytes(StandardCharsets.US_ASCII), new byte[60]));
        for (byte[] attempt : attempts) {
            try (Socket stranger = connect(b)) {
                stranger.getOutputStream().write(attempt);
                stranger.shutdownOutput();
                String answer = new String(readAll(stranger.getInputStream()), StandardCharsets.ISO_8859_1);

                assertThat(answer).doesNotContain("the-node", "the-cluster", "site-", "127.0.0.1", "localhost");
                assertThat(answer.length()).isLessThan(200);
            }
        }
        await("all refused and counted", () -> counters(b).refusalsSent() == 3);
        assertThat(counters(b).linksIn()).isZero();
    }

    private static byte[] preamble(int kind, int filling) {
        byte[] message = new byte[38];
        System.arraycopy("GEOS".getBytes(StandardCharsets.US_ASCII), 0, message, 0, 4);
        message[4] = 1;
        message[5] = (byte) kind;
        Arrays.fill(message, 6, 38, (byte) filling);
        return message;
    }

    private static byte[] join(byte[] one, byte[] other) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(one);
        out.writeBytes(other);
        return out.toByteArray();
    }

    /** What comes until the other side closes the connection, which a reset does, too. */
    private static byte[] readAll(InputStream in) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            in.transferTo(out);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        return out.toByteArray();
    }

    /** Somebody on the way records a connection that works, and plays the dialer's part again. */
    @Test
    void aRecordedConnectionPlayedAgainIsRefusedAndTellsTheRecorderNothing() throws Exception {
        Node a = startWith("the-dialer", OLD);
        Node b = startWith("the-acceptor", OLD);
        a.transport().targets(Map.of(b.self().id(), "127.0.0.1:" + wire.getLocalPort()), List.of());
        Recorder recorder = new Recorder(wire.accept(), connect(b));
        awaitUp(a, b);
        a.send(b, "the payload".getBytes(StandardCharsets.US_ASCII));
        await("frame", () -> b.heard().frames().size() == 1);
        byte[] recorded = recorder.there();
        String seen = new String(join(recorded, recorder.back()), StandardCharsets.ISO_8859_1);
        assertThat(seen).doesNotContain("the-dialer", "the-acceptor", "the-cluster", "the payload");

        long refusals = counters(b).refusalsSent();
        try (Socket again = connect(b)) {
            again.getOutputStream().write(recorded);
            readAll(again.getInputStream());
        }

        await("refused", () -> counters(b).refusalsSent() == refusals + 1);
        assertThat(b.heard().frames()).hasSize(1);
        recorder.end();
    }

    /** Somebody on the way alters one bit of the traffic: the link ends, and the next one works. */
    @Test
    void anAlteredByteEndsTheLinkWhichIsDialledAgain() throws Exception {
        Node a = startWith("a", OLD);
        Node b = startWith("b", OLD);
        a.transport().targets(Map.of(b.self().id(), "127.0.0.1:" + wire.getLocalPort()), List.of());
        Recorder first = new Recorder(wire.accept(), connect(b));
        awaitUp(a, b);

        first.damage();
        a.send(b, number(1));

        Recorder second = new Recorder(wire.accept(), connect(b));
        await("a new link", () -> a.heard().downs(B) == 1 && a.heard().isUp(B));
        a.send(b, number(2));
        await("frame", () -> b.heard().frames().size() == 1);
        assertThat(b.heard().frames()).containsExactly(number(2));
        assertThat(counters(b).malformed()).isEqualTo(1);
        first.end();
        second.end();
    }

    /** Stands between a dialer and an acceptor, and keeps what passes. */
    private static final class Recorder {
        private final Socket dialer;
        private final Socket acceptor;
        private final ByteArrayOutputStream there = new ByteArrayOutputStream();
        private final ByteArrayOutputStream back = new ByteArrayOutputStream();
        private final List<Thread> threads;
        private volatile boolean damage;

        Recorder(Socket dialer, Socket acceptor) {
            this.dialer = dialer;
            this.acceptor = acceptor;
            threads = List.of(
                    new Thread(() -> carry(dialer, acceptor, there)), new Thread(() -> carry(acceptor, dialer, back)));
            threads.forEach(Thread::start);
        }

        private void carry(Socket from, Socket to, ByteArrayOutputStream kept) {
            byte[] bytes = new byte[8192];
            try (from;
                    to) {
                OutputStream out = to.getOutputStream();
                for (int count = from.getInputStream().read(bytes);
                        count > 0;
                        count = from.getInputStream().read(bytes)) {
                    if (damage) {
                        bytes[count - 1] ^= 1;
                    }
                    kept.write(bytes, 0, count);
                    out.write(bytes, 0, count);
                }
            } catch (IOException e) {
                // One of the two has ended the connection.
            }
        }

        void damage() {
            damage = true;
        }

        byte[] there() {
            return there.toByteArray();
        }

        byte[] back() {
            return back.toByteArray();
        }

        void end() throws Exception {
            dialer.close();
            acceptor.close();
            for (Thread thread : threads) {
                thread.join(20_000);
            }
        }
    }
}
