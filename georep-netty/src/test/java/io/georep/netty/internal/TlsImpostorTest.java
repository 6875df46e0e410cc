package io.georep.netty.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.RecordingListener.Event;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Strangers that answer at the address a node dials. Each is told nothing, is logged with its address, and counted. */
@Timeout(60)
@ParameterizedClass(name = "OpenSSL: {0}")
@ValueSource(booleans = {false, true})
class TlsImpostorTest extends TlsStrangersFixture {
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
