package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.PeerState;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of tasks protect their links as the settings of the connector say: their own kind gets in, others do not. */
final class ProtectedLinksTest {
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final String SECRET = "c2l4dGVlbiBieXRlcyBhdCBsZWFzdCwgYmFzZTY0IQ==";
    private static final String ANOTHER = "YW5vdGhlciBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcw==";
    private static final String SINK = "sink.to-nyc-0.w1";
    private static final String SOURCE = "source.from-ams-0.w2";

    @TempDir
    Path directory;

    private Carriage carriage;

    @BeforeEach
    void begin() {
        carriage = new Carriage(directory);
    }

    @AfterEach
    void end() {
        carriage.close();
    }

    private void assertCarried(Map<String, String> ofTheSink, Map<String, String> ofTheSource) {
        GeoRepSinkTask sink = carriage.sink("w1", 0, ofTheSink);
        GeoRepSourceTask source = carriage.source("w2", 0, ofTheSource);
        sink.put(List.of(Carriage.record(0, "paid")));
        await().atMost(LONG).until(() -> Carriage.committed(sink, 1) == 1);
        await().atMost(LONG).until(() -> {
            List<SourceRecord> records = source.poll();
            return records != null && Carriage.value(records.get(0)).equals("paid");
        });
    }

    private void assertKeptOut(Map<String, String> ofTheSink, Map<String, String> ofTheSource) {
        GeoRepSinkTask sink = carriage.sink("w1", 0, ofTheSink);
        GeoRepSourceTask source = carriage.source("w2", 0, ofTheSource);
        sink.put(List.of(Carriage.record(0, "paid")));
        await().atMost(LONG)
                .until(() -> sink.node().node().statistics().connectionsDistrusted() > 1
                        && source.node().node().statistics().connectionsDistrusted() > 1);

        assertThat(Carriage.committed(sink, 1)).as("nobody took a copy").isZero();
        assertThat(Carriage.state(sink.node(), SOURCE)).isEqualTo(PeerState.PROSPECT);
        assertThat(Carriage.state(source.node(), SINK)).isEqualTo(PeerState.PROSPECT);
    }

    @Test
    void nodesWithOneSecretWorkTogetherWhereverItIsSet() throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n");

        assertCarried(Map.of("georep.secret", SECRET), Map.of("georep.secret.file", file.toString()));
    }

    @Test
    void aNodeWithAnotherSecretStaysOut() throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), ANOTHER + "\n");

        assertKeptOut(Map.of("georep.secret", SECRET), Map.of("georep.secret.file", file.toString()));
    }

    @Test
    void nodesWithCertificatesOfOneAuthorityWorkTogether() throws Exception {
        X509Bundle authority = authority("ours");

        assertCarried(tls("w1", SINK, authority, authority), tls("w2", SOURCE, authority, authority));
    }

    @Test
    void aNodeWithACertificateOfAnotherAuthorityStaysOut() throws Exception {
        X509Bundle authority = authority("ours");
        X509Bundle other = authority("another");

        assertKeptOut(tls("w1", SINK, authority, authority), tls("w2", SOURCE, other, authority));
    }

    private static X509Bundle authority(String name) throws Exception {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** Settings of a worker with a certificate for this node. */
    private Map<String, String> tls(String worker, String node, X509Bundle signer, X509Bundle trusted)
            throws Exception {
        X509Bundle own = new CertificateBuilder()
                .subject("CN=" + worker)
                .addSanUriName(URI.create("georep:georep/" + node))
                .setKeyUsage(true, KeyUsage.digitalSignature)
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH)
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH)
                .buildIssuedBy(signer);
        Path key = Files.writeString(directory.resolve(worker + ".key"), own.getPrivateKeyPEM());
        Path chain = Files.writeString(directory.resolve(worker + ".pem"), own.getCertificatePathPEM());
        Path roots = Files.writeString(directory.resolve(worker + "-trusted.pem"), trusted.getRootCertificatePEM());
        return Map.of(
                "georep.tls.key", key.toString(),
                "georep.tls.certificates", chain.toString(),
                "georep.tls.trusted", roots.toString());
    }
}
