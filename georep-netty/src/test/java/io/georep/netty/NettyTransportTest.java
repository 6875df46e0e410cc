package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import io.georep.model.NodeIdentity;
import io.georep.spi.RecordingListener;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the Netty transport does beyond the contract: strangers, misconfiguration, life signs, counters. */
class NettyTransportTest extends TransportFixture {
    private NettyTransportConfig.Builder config = NettyTransportConfig.builder()
            .reconnectDelayMin(Duration.ofMillis(20))
            .reconnectDelayMax(Duration.ofMillis(100));

    @Override
    protected Transport newTransport() {
        return new NettyTransport(config.build());
    }

    private static int port(Node node) {
        return Integer.parseInt(
                node.self().address().substring(node.self().address().lastIndexOf(':') + 1));
    }

    private static Socket connect(Node node) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(node));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    private void assertStillWorks(Node a, Node b) {
        int before = b.heard().frames().size();
        a.send(b, number(before));
        await("a frame over the link that was there", () -> b.heard().frames().size() == before + 1);
        assertThat(a.heard().downs(B)).isZero();
    }

    @Test
    void httpClientIsDisconnectedAndHarmsNobody() throws IOException {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        try (Socket client = connect(b)) {
            client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }

        assertThat(counters(b).refusalsSent()).isEqualTo(1);
        assertStillWorks(a, b);
    }

    @Test
    void randomBytesHarmNobody() throws IOException {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        Random random = new Random(3);

        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[1 + random.nextInt(5000)];
            random.nextBytes(noise);
            try (Socket client = connect(b);
                    InputStream in = client.getInputStream()) {
                client.getOutputStream().write(noise);
                assertThat(in.read()).isEqualTo(-1);
            } catch (java.net.SocketException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }

        assertStillWorks(a, b);
    }

    @Test
    void silentConnectionIsClosedAfterTheTimeForTheHandshake() throws IOException {
        config.handshakeTimeout(Duration.ofMillis(100));
        Node b = start(B);

        try (Socket client = connect(b)) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void nodesOfTwoClustersRefuseEachOtherByName() {
        Node a = start(A);
        config.cluster("staging");
        Node stranger = start(B);
        config.cluster("georep");
        Node c = start(C);

        a.target(stranger, c);

        awaitUp(a, c);
        await(
                "refusal",
                () -> a.heard()
                        .has(
                                Event.Refused.class,
                                refused ->
                                        refused.address().equals(stranger.self().address())
                                                && refused.reason().contains("cluster 'staging'")
                                                && refused.reason().contains("'georep'")));
        assertThat(a.heard().ups(B)).isZero();
        assertThat(stranger.heard().events()).isEmpty();
    }

    @Test
    void secondProcessWithTheSameIdIsRefused() {
        Node a = start(A);
        Node twin = start(A);

        twin.seed(a.self().address());

        await(
                "refusal",
                () -> twin.heard()
                        .has(Event.Refused.class, refused -> refused.reason().contains("node id a is in use")));
        assertThat(twin.heard().events(Event.Up.class)).isEmpty();
    }

    @Test
    void refusedDialerIsToldOncePerAttemptWithGrowingPauses() {
        config.reconnectDelayMin(Duration.ofMillis(1)).reconnectDelayMax(Duration.ofHours(1));
        Node a = start(A);
        config.cluster("staging");
        Node stranger = start(B);

        a.seed(stranger.self().address());
        await("some refusals", () -> a.heard().events(Event.Refused.class).size() >= 5);

        assertThat(counters(a).refusalsReceived())
                .isBetween(5L, 1L + a.heard().events(Event.Refused.class).size());
    }

    @Test
    void seedThatComesLateIsLinked() throws IOException {
        int port = FreePort.find();
        Node a = start(A);
        Node c = start(C);

        a.seed("localhost:" + port, "no-such-host.invalid:7400", c.self().address());
        awaitUp(a, c);
        Node late = start(B, "127.0.0.1:" + port);

        awaitUp(a, late);
        assertStillWorks(a, late);
    }

    @Test
    void seedRestsWhileItsPeerIsLinkedAndHelpsWhenTheTargetMoved() {
        Node a = start(A);
        Node b = start(B);
        String seed = b.self().address().replace("127.0.0.1", "localhost");
        a.transport().targets(Map.of(B, b.self().address()), List.of(seed));
        awaitUp(a, b);
        assertStillWorks(a, b);

        a.transport().targets(Map.of(B, "127.0.0.1:1"), List.of(seed));

        await("link by the seed", () -> a.heard().ups(B) == 2 && a.heard().isUp(B));
    }

    @Test
    void targetAddressThatIsNoAddressIsReported() {
        Node a = start(A);

        a.transport().targets(Map.of(B, "nonsense"), List.of());

        await(
                "report",
                () -> a.heard()
                        .has(
                                Event.Refused.class,
                                refused -> refused.address().equals("nonsense")
                                        && refused.reason().contains("write host:port")));
    }

    @Test
    void peerThatDialsUsIsDialledWithoutWaiting() {
        config.reconnectDelayMin(Duration.ofHours(1)).reconnectDelayMax(Duration.ofHours(1));
        Node a = start(A);
        Node b = start(B);
        b.transport().close();
        a.target(b);
        await("a failed attempt", () -> counters(a).dialsFailed() == 1);

        Node restarted = start(B, b.self().address());
        restarted.target(a);

        awaitUp(restarted, a);
        awaitUp(a, restarted);
    }

    @Test
    void aLinkThatIsRenewedIsDialledAgain() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.transport().renew(B, "nothing is confirmed");

        await("the link again", () -> a.heard().ups(B) == 2 && a.heard().isUp(B));
        assertThat(a.heard().downs(B)).isEqualTo(1);
        a.send(b, number(1));
        await("a frame over the new link", () -> b.heard().frames().size() == 1);
        a.transport().renew(C, "unknown");
    }

    @Test
    void piecesOfALargeFrameAreLifeSigns() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.send(b, new byte[300_000]);

        await("the frame", () -> !b.heard().frames().isEmpty());
        assertThat(b.heard().events(Event.LifeSign.class)).hasSize(4);
        assertThat(b.heard().events(Event.LifeSign.class)).containsOnly(new Event.LifeSign(a.self()));
    }

    @Test
    void frameAboveTheLimitIsDropped() {
        config.frameBytesMax(100_000);
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.send(b, new byte[100_001]);
        a.send(b, new byte[100_000]);

        await("the frame that fits", () -> b.heard().frames().size() == 1);
        assertThat(counters(a).framesDropped()).isEqualTo(1);
        assertThat(a.heard().downs(B)).isZero();
    }

    @Test
    void countsFramesAndBytes() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.send(b, new byte[300]);
        a.send(b, new byte[0]);
        a.transport().send(C, new byte[1], false);
        await("frames", () -> b.heard().frames().size() == 2);

        assertThat(counters(a)).isEqualTo(new NettyTransport.Counters(2, 316, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0));
        assertThat(counters(b)).isEqualTo(new NettyTransport.Counters(0, 0, 2, 316, 0, 1, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void severalEventLoopsServeManyPeers() {
        config.eventLoopThreads(3);
        Node hub = start(A);
        Node[] others = new Node[8];
        for (int i = 0; i < others.length; i++) {
            others[i] = start(io.georep.model.NodeId.of("n" + i));
        }

        hub.target(others);
        for (Node other : others) {
            awaitUp(hub, other);
            for (int i = 0; i < 200; i++) {
                hub.send(other, number(i));
            }
        }

        for (Node other : others) {
            await("frames", () -> other.heard().frames().size() == 200);
        }
    }

    @Test
    void pausedReceiverHoldsTheSenderBackAndLosesNothing() {
        config.queueBytesLow(64 << 10).queueBytesHigh(1 << 20).queueBytesMax(64 << 20);
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        b.transport().reading(false);
        Node c = start(C);
        link(c, b);

        for (int i = 0; i < 200; i++) {
            a.send(b, new byte[256 << 10]);
        }
        c.send(b, number(1));
        await("the sender is held back", () -> a.heard().has(Event.Writable.class, event -> !event.writable()));
        b.transport().reading(true);

        await("all frames", () -> b.heard().frames().size() == 201);
        await("the sender may go on", () -> a.heard().has(Event.Writable.class, Event.Writable::writable));
    }

    @Test
    void aLinkOfAProtocolsChoiceSaysWhetherItHasRoom() {
        config.queueBytesLow(64 << 10).queueBytesHigh(1 << 20).queueBytesMax(64 << 20);
        Node a = start(A);
        Node b = start(B);
        a.transport().openLink(1, 9, b.self().address());
        await("the link", () -> !a.heard().events(Event.Opened.class).isEmpty());

        b.transport().reading(false);
        for (int i = 0; i < 800; i++) {
            a.transport().sendOver(1, new byte[60 << 10]);
        }
        await("the sender is held back", () -> a.heard().has(Event.LinkWritable.class, event -> !event.writable()));
        b.transport().reading(true);

        await("the sender may go on", () -> a.heard().has(Event.LinkWritable.class, Event.LinkWritable::writable));
        await("all frames", () -> b.heard().events(Event.StrangerFrame.class).size() == 800);
    }

    @Test
    void whatIsSentAsSoonAsALinkIsOpenReachesTheMarksToo() {
        config.queueBytesLow(64 << 10).queueBytesHigh(1 << 20).queueBytesMax(64 << 20);
        Node b = start(B);
        b.transport().reading(false);

        try (Transport sender = newTransport()) {
            RecordingListener heard = new RecordingListener(monitor) {
                @Override
                public void linkOpened(long link, NodeIdentity process) {
                    for (int i = 0; i < 800; i++) {
                        sender.sendOver(link, new byte[60 << 10]);
                    }
                    super.linkOpened(link, process);
                }
            };
            sender.start(new NodeIdentity(A, 1, 7, 1, anyAddress(), "site"), heard);
            sender.openLink(1, 9, b.self().address());

            await("the sender is held back", () -> heard.has(Event.LinkWritable.class, event -> !event.writable()));
            assertThat(heard.events().get(0)).isInstanceOf(Event.Opened.class);
        }
    }
}
