package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.Authority;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.spi.RecordingListener.Event;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Strangers that reach the port of a node with TLS. Each is turned away before anything it says counts, is logged with its
 * address, and counted.
 */
@Timeout(60)
@ParameterizedClass(name = "OpenSSL: {0}")
@ValueSource(booleans = {false, true})
class TlsIntruderTest extends TlsStrangersFixture {
    private static final String[] ONLY_1_3 = {"TLSv1.3"};

    @TempDir
    Path directory;

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
}
