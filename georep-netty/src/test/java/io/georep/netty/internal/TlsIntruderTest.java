package io.georep.netty.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.Authority;
import io.georep.netty.CapturedLog;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Strangers that reach the port of a node with TLS, or the address that a node dials. Each is turned away before anything it
 * says counts, is logged with its address, and counted.
 */
@Timeout(60)
@ParameterizedClass(name = "OpenSSL: {0}")
@ValueSource(booleans = {false, true})
class TlsIntruderTest extends TransportFixture {
    private static final Authority AUTHORITY = new Authority("ours");
    private static final Authority OTHER = new Authority("theirs");
    private static final NodeId AMS = Samples.AMS.id();
    private static final NodeId NYC = Samples.NYC.id();
    private static final String[] ONLY_1_3 = {"TLSv1.3"};

    @Parameter
    boolean openSsl;

    @TempDir
    Path directory;

    private final CapturedLog log = new CapturedLog(LinkLayer.class.getName(), Dialer.class.getName());
    private @Nullable MutualTls tls;
    private Duration handshakeTimeout = Duration.ofSeconds(5);

    @AfterEach
    void restoreTheLog() {
        log.close();
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .handshakeTimeout(handshakeTimeout)
                .tls(tls)
                .build());
    }

    private static String name(NodeId node) {
        return "georep:georep/" + node;
    }

    /** A node that listens as ams-1 with a good certificate. */
    private Node ams() {
        tls = Authority.tls(AUTHORITY.sign(name(AMS)), AUTHORITY)
                .openSsl(openSsl)
                .build();
        return start(AMS);
    }

    private static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    private static SSLContext context(@Nullable X509Bundle own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                own == null ? null : insisting(own),
                Authority.trust(AUTHORITY, OTHER).getTrustManagers(),
                null);
        return context;
    }

    /** Shows its certificate whether or not the other side says that it trusts its authority. */
    private static KeyManager[] insisting(X509Bundle own) {
        X509ExtendedKeyManager usual =
                (X509ExtendedKeyManager) Authority.keys(own).getKeyManagers()[0];
        return new KeyManager[] {
            new X509ExtendedKeyManager() {
                @Override
                public String[] getClientAliases(String type, Principal[] issuers) {
                    return usual.getClientAliases(type, null);
                }

                @Override
                public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
                    return usual.chooseClientAlias(types, null, socket);
                }

                @Override
                public String[] getServerAliases(String type, Principal[] issuers) {
                    return usual.getServerAliases(type, null);
                }

                @Override
                public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
                    return usual.chooseServerAlias(type, null, socket);
                }

                @Override
                public X509Certificate[] getCertificateChain(String alias) {
                    return usual.getCertificateChain(alias);
                }

                @Override
                public PrivateKey getPrivateKey(String alias) {
                    return usual.getPrivateKey(alias);
                }
            }
        };
    }

    private static Socket connect(Node node) throws IOException {
        String address = node.self().address();
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static Handshake.Hello hello(NodeId id, String cluster) {
        return new Handshake.Hello(1, 1, cluster, new NodeIdentity(id, 1, 2, 3, "elsewhere:7400", "site"), AMS.value());
    }

    /** Connects with this certificate, says HELLO and a frame, and expects to be turned away with these words in the log. */
    private byte[] intrude(
            Node node, @Nullable X509Bundle own, String[] protocols, Handshake.Hello hello, String... words)
            throws Exception {
        try (Socket plain = connect(node);
                SSLSocket socket = (SSLSocket)
                        context(own).getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true)) {
            socket.setEnabledProtocols(protocols);
            byte[] answer = talk(socket, hello);
            assertTurnedAway(node, plain.getLocalPort(), words);
            return answer;
        }
    }

    private static byte[] talk(Socket socket, Handshake.Hello hello) {
        try {
            socket.getOutputStream()
                    .write(Samples.join(HandshakeFormat.encode(hello), Samples.chunks(false, new byte[] {1, 2, 3})));
            return socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            return new byte[0]; // Closed on us, or an alert.
        }
    }

    private void assertTurnedAway(Node node, int port, String... words) {
        await("it is counted", () -> counters(node).distrusted() == 1);
        assertThat(counters(node).refusalsSent()).isEqualTo(1);
        assertThat(counters(node).linksIn()).isZero();
        assertThat(node.heard().events()).isEmpty();
        await("it is logged with its address", () -> log.text().contains("127.0.0.1:" + port));
        assertThat(log.text()).contains(words);
    }

    @Test
    void aNodeWithACertificateOfItsOwnIsLetIn() throws Exception {
        Node ams = ams();
        try (Socket plain = connect(ams);
                SSLSocket socket = (SSLSocket) context(AUTHORITY.sign(name(NYC)))
                        .getSocketFactory()
                        .createSocket(plain, "localhost", plain.getPort(), true)) {
            socket.getOutputStream()
                    .write(Samples.join(
                            HandshakeFormat.encode(hello(NYC, "georep")), Samples.chunks(false, new byte[] {1, 2, 3})));

            await("the frame", () -> ams.heard().frames().size() == 1);
            assertThat(ams.heard().events(Event.Frame.class).get(0).from().id()).isEqualTo(NYC);
            assertThat(counters(ams).distrusted()).isZero();
        }
    }

    @Test
    void anotherAuthority() throws Exception {
        intrude(
                ams(),
                OTHER.sign(name(NYC)),
                ONLY_1_3,
                hello(NYC, "georep"),
                "authority that this node does not trust");
    }

    @Test
    void anExpiredCertificate() throws Exception {
        X509Bundle expired = AUTHORITY.sign(builder -> {
            builder.addSanUriName(java.net.URI.create(name(NYC)));
            builder.notBefore(Instant.now().minus(10, ChronoUnit.DAYS));
            builder.notAfter(Instant.now().minus(1, ChronoUnit.DAYS));
        });

        intrude(ams(), expired, ONLY_1_3, hello(NYC, "georep"), "certificate has expired");
    }

    @Test
    void theCertificateOfAnotherNode() throws Exception {
        byte[] answer = intrude(
                ams(),
                AUTHORITY.sign(name(NodeId.of("sfo-1"))),
                ONLY_1_3,
                hello(NYC, "georep"),
                "refused a link from nyc-1",
                "for georep:georep/sfo-1, does not name nyc-1");

        assertThat(HandshakeFormat.decode(answer))
                .isInstanceOfSatisfying(
                        Handshake.Refuse.class,
                        refuse -> assertThat(refuse.code()).isEqualTo(RefusalCode.DISTRUSTED));
    }

    /** It learns neither the name of the cluster nor that of the node from what the node says. */
    @Test
    void theCertificateOfAnotherCluster() throws Exception {
        byte[] answer = intrude(
                ams(),
                AUTHORITY.sign("georep:staging/nyc-1"),
                ONLY_1_3,
                hello(NYC, "staging"),
                "for georep:staging/nyc-1, names no node of this cluster");

        assertThat(new String(answer, java.nio.charset.StandardCharsets.UTF_8))
                .doesNotContain("'georep'")
                .doesNotContain("ams-1");
    }

    @Test
    void noCertificate() throws Exception {
        intrude(ams(), null, ONLY_1_3, hello(NYC, "georep"), "has shown no certificate");
    }

    @Test
    void noTls() throws Exception {
        Node ams = ams();
        try (Socket socket = connect(ams)) {
            assertThat(talk(socket, hello(NYC, "georep"))).isEmpty();

            assertTurnedAway(ams, socket.getLocalPort(), "bytes that are not TLS");
        }
    }

    @Test
    void anOlderTls() throws Exception {
        intrude(
                ams(),
                AUTHORITY.sign(name(NYC)),
                new String[] {"TLSv1.2"},
                hello(NYC, "georep"),
                "does not speak TLS 1.3");
    }

    @Test
    void aRevokedCertificate() throws Exception {
        X509Bundle stolen = AUTHORITY.sign(name(NYC));
        Path list = directory.resolve("revoked.txt");
        Files.writeString(list, stolen.getCertificate().getSerialNumber().toString(16));
        tls = Authority.tls(AUTHORITY.sign(name(AMS)), AUTHORITY)
                .openSsl(openSsl)
                .revoked(list)
                .build();

        intrude(start(AMS), stolen, ONLY_1_3, hello(NYC, "georep"), "is revoked");
    }

    @Test
    void oneThatConnectsAndWaits() throws Exception {
        handshakeTimeout = Duration.ofMillis(100);
        Node ams = ams();
        try (Socket socket = connect(ams)) {
            socket.getOutputStream().write(new byte[] {0x16, 0x03, 0x01});

            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
            await("it is logged", () -> log.text().contains("127.0.0.1:" + socket.getLocalPort()));
            assertThat(log.text()).contains("no handshake within 100 ms");
            assertThat(counters(ams).refusalsSent()).isEqualTo(1);
        }
    }

    /** The node dials nyc-1, and somebody else answers there. It must say nothing at all. */
    private void assertSaysNothingTo(X509Bundle own, String... words) throws Exception {
        try (SSLServerSocket server = (SSLServerSocket)
                context(own).getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            server.setSoTimeout(10_000);
            Node ams = ams();
            ams.transport().targets(Map.of(NYC, "127.0.0.1:" + server.getLocalPort()), List.of());

            assertThat(readAll(server.accept())).isEmpty();

            await("it is counted", () -> counters(ams).distrusted() >= 1);
            await("it is told", () -> !ams.heard().events(Event.Refused.class).isEmpty());
            assertThat(ams.heard().events(Event.Up.class)).isEmpty();
            assertThat(log.text())
                    .contains("nyc-1 at 127.0.0.1:" + server.getLocalPort())
                    .contains(words);
        }
    }

    private static byte[] readAll(Socket accepted) throws IOException {
        try (accepted;
                InputStream in = accepted.getInputStream()) {
            accepted.setSoTimeout(10_000);
            return in.readAllBytes();
        } catch (javax.net.ssl.SSLException | java.net.SocketException e) {
            return new byte[0];
        }
    }

    @Test
    void anAnswerWithACertificateOfAnotherAuthority() throws Exception {
        assertSaysNothingTo(OTHER.sign(name(NYC)), "authority that this node does not trust");
    }

    @Test
    void anAnswerWithTheCertificateOfAnotherNode() throws Exception {
        assertSaysNothingTo(AUTHORITY.sign(name(NodeId.of("sfo-1"))), "does not name nyc-1");
    }

    @Test
    void anAnswerWithTheCertificateOfAnotherCluster() throws Exception {
        assertSaysNothingTo(AUTHORITY.sign("georep:staging/nyc-1"), "names no node of this cluster");
    }

    /** A seed may be any node, so the certificate is checked against the name in the answer. */
    @Test
    void anAnswerOfASeedUnderTheNameOfAnotherNode() throws Exception {
        try (SSLServerSocket server = (SSLServerSocket) context(AUTHORITY.sign(name(NodeId.of("sfo-1"))))
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            server.setSoTimeout(10_000);
            Node ams = ams();
            ams.seed("127.0.0.1:" + server.getLocalPort());

            try (Socket accepted = server.accept()) {
                accepted.getOutputStream().write(HandshakeFormat.encode(new Handshake.Accept(1, Samples.NYC)));
                await("it is counted", () -> counters(ams).distrusted() == 1);
            }

            assertThat(ams.heard().events(Event.Up.class)).isEmpty();
            await("it is logged", () -> log.text().contains("does not name nyc-1"));
        }
    }

    /** As a node that hangs: it is dialled again, and nobody is told that it is not trusted. */
    @Test
    void silenceIsNoLackOfProof() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(10_000);
            handshakeTimeout = Duration.ofMillis(200);
            Node ams = ams();
            ams.transport().targets(Map.of(NYC, "127.0.0.1:" + server.getLocalPort()), List.of());

            await("it is dialled in vain", () -> counters(ams).dialsFailed() == 2);

            assertThat(counters(ams).distrusted()).isZero();
            assertThat(ams.heard().events()).isEmpty();
        }
    }

    @Test
    void anAnswerWithoutTls() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(10_000);
            Node ams = ams();
            ams.transport().targets(Map.of(NYC, "127.0.0.1:" + server.getLocalPort()), List.of());

            try (Socket accepted = server.accept()) {
                accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                await("it is counted", () -> counters(ams).distrusted() == 1);
            }

            assertThat(ams.heard().events(Event.Up.class)).isEmpty();
            await("it is logged", () -> log.text().contains("nyc-1 at"));
            assertThat(log.text()).contains("bytes that are not TLS");
        }
    }
}
