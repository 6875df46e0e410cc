package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.Lateness;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import io.netty.channel.epoll.Epoll;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transport against a peer made of a socket, which can do what a real peer would not. */
class RawPeerTest extends TransportFixture {
    private static final NodeId PEER = Samples.AMS.id();

    private ServerSocket server;

    private Duration unacknowledgedTimeout = Duration.ofSeconds(60);
    private Duration reconnectDelayMin = Duration.ofMillis(20);
    private Duration reconnectDelayMax = Duration.ofMillis(100);

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(reconnectDelayMin)
                .reconnectDelayMax(reconnectDelayMax)
                .handshakeTimeout(Duration.ofSeconds(2))
                .queueBytesLow(64 << 10)
                .queueBytesHigh(1 << 20)
                .queueBytesMax(16 << 20)
                .frameBytesMax(1 << 20)
                .unacknowledgedTimeout(unacknowledgedTimeout)
                .build());
    }

    @BeforeEach
    void listen() throws IOException {
        server = listening();
    }

    private static ServerSocket listening() throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReceiveBufferSize(16 << 10);
        server.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.setSoTimeout(20_000);
        return server;
    }

    private static String addressOf(ServerSocket server) {
        return "127.0.0.1:" + server.getLocalPort();
    }

    @AfterEach
    void stopListening() throws IOException {
        server.close();
    }

    private Node dialer() {
        Node a = start(A);
        a.transport().targets(Map.of(PEER, addressOf(server)), List.of());
        return a;
    }

    private Socket acceptWith(Handshake answer) throws IOException {
        return acceptWith(server, answer);
    }

    private static Socket acceptWith(ServerSocket server, Handshake answer) throws IOException {
        Socket socket = server.accept();
        socket.setSoTimeout(20_000);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] head = in.readNBytes(HandshakeFormat.HEAD_BYTES);
        int body = (head[5] & 0xff) << 8 | head[6] & 0xff;
        byte[] hello = Samples.join(head, in.readNBytes(body + HandshakeFormat.CHECKSUM_BYTES));
        assertThat(HandshakeFormat.decode(hello)).isInstanceOf(Handshake.Hello.class);
        socket.getOutputStream().write(HandshakeFormat.encode(answer));
        return socket;
    }

    @Test
    void slowReaderMakesTheLinkUnwritableThenDropsFramesAndRecovers() throws IOException {
        Node a = dialer();
        try (Socket slow = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            NettyTransport transport = (NettyTransport) a.transport();

            byte[] frame = new byte[256 << 10];
            for (int i = 0; i < 200 && transport.counters().framesDropped() == 0; i++) {
                transport.send(PEER, frame, false);
            }
            await("not writable", () -> a.heard().has(Event.Writable.class, event -> !event.writable()));
            assertThat(transport.counters().framesDropped()).isEqualTo(1);

            Thread reader = new Thread(() -> {
                try {
                    slow.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The end of the test.
                }
            });
            reader.start();
            await("writable", () -> a.heard().has(Event.Writable.class, Event.Writable::writable));
            assertThat(a.heard().events(Event.Writable.class))
                    .containsExactly(
                            new Event.Writable(PEER, Transport.IN_ORDER, false),
                            new Event.Writable(PEER, Transport.IN_ORDER, true));
            assertThat(a.heard().isUp(PEER)).isTrue();
            slow.close();
        }
    }

    /** Its window stays closed for longer than a link may be silent. With NIO the membership has to notice (M27). */
    @Test
    void aPeerThatDoesNotReadCostsItsOwnLinkWhichIsDialledAgain() throws IOException {
        Assumptions.assumeTrue(Epoll.isAvailable());
        unacknowledgedTimeout = Duration.ofSeconds(1);
        Node a = start(A);
        Node healthy = start(B);
        a.transport().targets(Map.of(PEER, addressOf(server), B, healthy.self().address()), List.of());
        try (Socket stuck = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("links", () -> a.heard().isUp(PEER) && a.heard().isUp(B));
            for (int i = 0; i < 60; i++) {
                a.transport().send(PEER, new byte[256 << 10], false);
            }

            int number = 0;
            while (a.heard().downs(PEER) == 0) {
                int next = ++number;
                a.transport().send(B, number(next), false);
                await("frame", () -> healthy.heard().frames().size() == next);
            }

            assertThat(stuck.isClosed()).as("by this end").isFalse();
            try (Socket again = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
                await("new link", () -> a.heard().isUp(PEER));
                assertThat(a.heard().downs(PEER)).isEqualTo(1);
                assertThat(a.heard().downs(B)).isZero();
                assertThat(again.isClosed()).isFalse();
            }
        }
    }

    private static Duration timeToClose(Node node) {
        try (Lateness closing = new Lateness()) {
            node.transport().close();
            return closing.elapsed();
        }
    }

    @Test
    void closeDoesNotWaitForAPeerThatDoesNotRead() throws IOException {
        Node a = dialer();
        try (Socket stuck = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            for (int i = 0; i < 60; i++) {
                a.transport().send(PEER, new byte[256 << 10], false);
            }

            assertThat(timeToClose(a)).isLessThan(Duration.ofSeconds(5));
            assertThat(a.heard().downs(PEER)).isEqualTo(1);
            assertThat(stuck.isConnected()).isTrue();
        }
    }

    @Test
    void closeDoesNotWaitForAttemptsUnderWay() throws IOException {
        Node a = dialer();
        try (Socket silent = server.accept()) {
            assertThat(timeToClose(a)).isLessThan(Duration.ofMillis(900));
            assertThat(silent.getInputStream().readAllBytes()).isNotNull();
        }
    }

    @Test
    void peerThatDoesNotAnswerIsDialledAgain() throws IOException {
        Node a = dialer();

        try (Socket silent = server.accept();
                Socket answers = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            assertThat(silent.getInputStream().readAllBytes()).isNotEmpty();
            assertThat(answers.isConnected()).isTrue();
        }
    }

    @Test
    void answerFromAnotherNodeThanExpectedIsRefused() throws IOException {
        Node a = dialer();

        try (Socket other = acceptWith(new Handshake.Accept(1, Samples.NYC))) {
            await(
                    "refusal",
                    () -> a.heard()
                            .has(
                                    Event.Refused.class,
                                    refused -> refused.reason().contains("the node at this address is nyc-1")));
            assertThat(other.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(a.heard().events(Event.Up.class)).isEmpty();
    }

    @Test
    void aSecondConnectionToOneProcessIsClosedAndTheFirstServesBoth() throws IOException {
        Node a = start(A);
        a.transport().targets(Map.of(), List.of(addressOf(server)));
        try (ServerSocket elsewhere = listening();
                Socket first = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            a.transport().targets(Map.of(PEER, addressOf(elsewhere)), List.of(addressOf(server)));

            try (Socket second = acceptWith(elsewhere, new Handshake.Accept(1, Samples.AMS))) {
                assertThat(second.getInputStream().read()).isEqualTo(-1);
            }
            assertThat(a.heard().events(Event.Up.class)).hasSize(1);
            assertThat(a.heard().downs(PEER)).isZero();
            assertThat(first.isClosed()).isFalse();
        }
    }

    @Test
    void aConnectionToANewProcessEndsTheOneToTheOld() throws IOException {
        NodeIdentity successor = new NodeIdentity(PEER, 301, 1, 2, Samples.AMS.address(), "eu-ams");
        Node a = start(A);
        a.transport().targets(Map.of(), List.of(addressOf(server)));
        try (ServerSocket elsewhere = listening();
                Socket old = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            a.transport().targets(Map.of(PEER, addressOf(elsewhere)), List.of(addressOf(server)));

            try (Socket next = acceptWith(elsewhere, new Handshake.Accept(1, successor))) {
                assertThat(old.getInputStream().read()).isEqualTo(-1);
                await("new link", () -> a.heard().events(Event.Up.class).size() == 2);
                assertThat(a.heard().downs(PEER)).isEqualTo(1);
                assertThat(a.heard().isUp(PEER)).isTrue();
                assertThat(next.isClosed()).isFalse();
            }
        }
    }

    @Test
    void peerThatTalksBackLosesItsLink() throws IOException {
        Node a = dialer();

        try (Socket chatty = acceptWith(new Handshake.Accept(1, Samples.AMS))) {
            await("link", () -> a.heard().isUp(PEER));
            chatty.getOutputStream().write(1);

            await("link down", () -> a.heard().downs(PEER) == 1);
        }
    }

    /** Each round would cost a handshake and two lines of the log. */
    @Test
    void aPeerThatComesAgainAndAgainAndTakesNoLinkIsDialledOnceASecond() throws IOException {
        reconnectDelayMin = Duration.ofSeconds(200);
        reconnectDelayMax = Duration.ofSeconds(200);
        Node a = dialer();
        acceptWith(new Handshake.Accept(1, Samples.AMS)).close();
        await("link down", () -> a.heard().downs(PEER) == 1);
        int port = Endpoint.parse(a.self().address()).port();
        long begin = System.nanoTime();

        for (int round = 2; round <= 4; round++) {
            int downs = round;
            try (Socket comes = new Socket(InetAddress.getLoopbackAddress(), port)) {
                comes.getOutputStream()
                        .write(HandshakeFormat.encode(new Handshake.Hello(1, 1, "georep", Samples.AMS, "a")));
                acceptWith(new Handshake.Accept(1, Samples.AMS)).close();
                await("link down", () -> a.heard().downs(PEER) == downs);
            }
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("the first time at once, and not after the pause")
                .isGreaterThan(Duration.ofSeconds(2));
    }

    @Test
    void damagedStreamIsClosedAndDialledAgain() throws IOException {
        Node b = start(B);
        int port = Endpoint.parse(b.self().address()).port();
        byte[] chunk = Samples.chunks(false, number(7));
        byte[] damaged = chunk.clone();
        damaged[9] ^= 1;

        try (Socket dialer = new Socket(InetAddress.getLoopbackAddress(), port)) {
            dialer.setSoTimeout(10_000);
            dialer.getOutputStream()
                    .write(HandshakeFormat.encode(new Handshake.Hello(1, 1, "georep", Samples.NYC, "b")));
            byte[] answer = dialer.getInputStream().readNBytes(HandshakeFormat.HEAD_BYTES);
            dialer.getInputStream().readNBytes(answer[6] + HandshakeFormat.CHECKSUM_BYTES);
            dialer.getOutputStream().write(chunk);
            await("frame", () -> b.heard().frames().size() == 1);

            dialer.getOutputStream().write(damaged);

            assertThat(dialer.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(b.heard().frames()).hasSize(1);
        assertThat(((NettyTransport) b.transport()).counters().malformed()).isEqualTo(1);
    }
}
