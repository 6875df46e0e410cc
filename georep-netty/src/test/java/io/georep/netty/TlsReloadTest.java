package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, trust and revocations change while nodes run. */
@Timeout(60)
class TlsReloadTest extends TransportFixture {
    private static final Duration OFTEN = Duration.ofMillis(100);

    @TempDir
    Path directory;

    private final Authority before = new Authority("before");
    private final Authority after = new Authority("after");
    private final Map<NodeId, MutualTls> tls = new HashMap<>();
    private final CapturedLog log = new CapturedLog(
            "io.georep.netty.internal.LinkLayer",
            "io.georep.netty.internal.dial.LinkTable",
            "io.georep.netty.internal.security.TlsSecurity");
    private NodeId next = A;

    @AfterEach
    void restoreTheLog() {
        log.close();
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .tls(tls.get(next))
                .build());
    }

    private Path directory(NodeId node) {
        return directory.resolve(node.value());
    }

    private Path revoked() {
        return directory.resolve("revoked.txt");
    }

    private X509Bundle write(NodeId node, Authority signer, Authority... trusted) throws IOException {
        X509Bundle own = signer.sign("georep:georep/" + node);
        Authority.write(directory(node), own, trusted);
        return own;
    }

    private Node startWithFiles(NodeId node, Duration checkEvery) throws IOException {
        if (!Files.exists(revoked())) {
            Files.createFile(revoked());
        }
        tls.put(
                node,
                Authority.files(directory(node))
                        .revoked(revoked())
                        .checkEvery(checkEvery)
                        .build());
        next = node;
        return start(node);
    }

    private static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    private void assertCarries(Node from, Node to) {
        int frames = to.heard().frames().size();
        from.send(to, number(frames));
        await("a frame", () -> to.heard().frames().size() == frames + 1);
    }

    /** First all trust both authorities, then each gets a certificate of the new one, then the old one is forgotten. */
    @Test
    void anAuthorityIsReplacedAndLinksStay() throws IOException {
        write(A, before, before);
        write(B, before, before);
        Node a = startWithFiles(A, Duration.ZERO);
        Node b = startWithFiles(B, Duration.ZERO);
        a.target(b);
        b.target(a);
        awaitUp(a, b);
        awaitUp(b, a);

        write(A, before, before, after);
        write(B, before, before, after);
        tls.get(A).reload();
        tls.get(B).reload();
        write(A, after, before, after);
        write(B, after, before, after);
        tls.get(A).reload();
        tls.get(B).reload();
        write(A, after, after);
        write(B, after, after);
        tls.get(A).reload();
        tls.get(B).reload();

        assertCarries(a, b);
        assertCarries(b, a);
        assertThat(a.heard().downs(B)).isZero();
        assertThat(b.heard().downs(A)).isZero();
        write(C, after, after);
        Node c = startWithFiles(C, Duration.ZERO);
        c.target(a, b);
        awaitUp(c, a);
        awaitUp(c, b);
        a.transport().renew(B, "test");
        await("a new link", () -> a.heard().ups(B) == 2);
        assertCarries(a, b);
    }

    @Test
    void theOldAuthorityLetsNobodyInAnyMore() throws IOException {
        write(A, before, before);
        Node a = startWithFiles(A, Duration.ZERO);
        write(A, after, after);
        tls.get(A).reload();

        write(B, before, before, after);
        Node b = startWithFiles(B, Duration.ZERO);
        b.target(a);

        await("a refusal", () -> counters(a).distrusted() > 0);
        assertThat(b.heard().events(Event.Up.class)).isEmpty();
    }

    @Test
    void changedFilesAreNoticed() throws IOException {
        write(A, before, before);
        Node a = startWithFiles(A, OFTEN);
        write(B, after, before, after);
        Node b = startWithFiles(B, OFTEN);
        b.target(a);
        await("a refusal", () -> counters(a).distrusted() > 0);

        write(A, before, before, after);

        awaitUp(b, a);
        assertThat(tls.get(A).problem()).isNull();
    }

    @Test
    void brokenFilesChangeNothingAndAreTold() throws IOException {
        write(A, before, before);
        write(B, before, before);
        Node a = startWithFiles(A, OFTEN);
        Node b = startWithFiles(B, OFTEN);

        Authority.replace(directory(A).resolve("node.pem"), "half a certifica");
        await("the problem", () -> tls.get(A).problem() != null);
        assertThat(tls.get(A).problem()).contains("node.pem");
        await("the log", () -> log.text().contains("previous ones stay in force"));
        assertThat(log.text()).contains("node.pem");
        assertThatThrownBy(() -> tls.get(A).reload())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("node.pem");
        b.target(a);
        awaitUp(b, a);

        write(A, before, before);
        await("no problem", () -> tls.get(A).problem() == null);
    }

    @Test
    void aCertificateOfAnotherNodeIsNotTakenOver() throws IOException {
        write(A, before, before);
        startWithFiles(A, Duration.ZERO);
        Authority.write(directory(A), before.sign("georep:georep/b"), before);

        assertThatThrownBy(() -> tls.get(A).reload()).hasMessageContaining("is not one of this node");
    }

    /** What a node tells others depends on its right, so it must not change while the node runs. */
    @Test
    void aLimitedCertificateTakesTheRightAtTheNextStartOnly() throws IOException {
        write(A, before, before);
        Node a = startWithFiles(A, Duration.ZERO);
        assertThat(a.transport().limited()).isFalse();
        Authority.write(directory(A), before.sign("georep-limited:georep/" + A), before);

        assertThatThrownBy(tls.get(A)::reload)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("restart the node to change what it may do");

        assertThat(a.transport().limited()).isFalse();
        assertThat(tls.get(A).problem()).contains("is a limited one");
    }

    @Test
    void linksOfARevokedCertificateEndAndOthersStay() throws IOException {
        write(A, before, before);
        X509Bundle stolen = write(B, before, before);
        write(C, before, before);
        Node a = startWithFiles(A, OFTEN);
        Node b = startWithFiles(B, Duration.ZERO);
        Node c = startWithFiles(C, Duration.ZERO);
        a.target(b, c);
        b.target(a, c);
        c.target(a);
        awaitUp(a, b);
        awaitUp(a, c);
        awaitUp(b, a);
        awaitUp(b, c);
        awaitUp(c, a);

        Authority.replace(revoked(), stolen.getCertificate().getSerialNumber().toString(16) + " # stolen\n");

        await("both links of a end", () -> a.heard().downs(B) == 1 && b.heard().downs(A) >= 1);
        await("b is refused when it dials again", () -> counters(a).distrusted() >= 3);
        await("the log", () -> log.text().contains("is revoked") && log.text().contains("refused a link from b"));
        assertThat(a.heard().isUp(B)).isFalse();
        assertCarries(a, c);
        assertCarries(c, a);
        assertCarries(b, c);
        assertThat(a.heard().downs(C)).isZero();
        assertThat(c.heard().downs(A)).isZero();

        // A new certificate brings the node back.
        write(B, before, before);
        tls.get(B).reload();
        awaitUp(b, a);
        awaitUp(a, b);
    }

    @Test
    void aRevocationCountsAlthoughTheNodesOwnFilesCannotBeUsed() throws IOException {
        write(A, before, before);
        X509Bundle stolen = write(B, before, before);
        Node a = startWithFiles(A, OFTEN);
        Node b = startWithFiles(B, Duration.ZERO);
        a.target(b);
        b.target(a);
        awaitUp(a, b);
        awaitUp(b, a);
        Authority.replace(directory(A).resolve("key.pem"), "broken");
        await("the problem", () -> tls.get(A).problem() != null);

        Authority.replace(revoked(), stolen.getCertificate().getSerialNumber().toString(16));

        await("the end of the link", () -> a.heard().downs(B) == 1);
        await("b is refused when it dials again", () -> counters(a).distrusted() >= 1);
        assertThat(tls.get(A).problem()).isNotNull();
    }

    @Test
    void aLinkThatAProtocolChoseEndsToo() throws IOException {
        write(A, before, before);
        X509Bundle stolen = write(B, before, before);
        Node a = startWithFiles(A, OFTEN);
        Node b = startWithFiles(B, Duration.ZERO);
        a.transport().openLink(1, 9, b.self().address());
        await("a link", () -> !a.heard().events(Event.Opened.class).isEmpty());

        Authority.replace(revoked(), stolen.getCertificate().getSerialNumber().toString(16));

        await("its end", () -> !a.heard().events(Event.Ended.class).isEmpty());
    }

    @Test
    void aTransportThatIsClosedIsNotToldAnyMore() throws IOException {
        write(A, before, before);
        Node a = startWithFiles(A, OFTEN);
        a.transport().close();
        Authority.replace(directory(A).resolve("key.pem"), "broken");

        tls.get(A).reload();

        assertThat(tls.get(A).problem()).isNull();
    }

    /** The certificates of the tests are valid until tomorrow. */
    @Test
    void aCertificateThatEndsSoonIsToldOnceADayAndAgainIfItIsReplacedByAnother() throws IOException {
        write(A, before, before);
        startWithFiles(A, OFTEN);
        String warning = "links of a cannot be made any more from";
        assertThat(log.text()).containsOnlyOnce(warning);

        tls.get(A).reload();
        assertThat(log.text().split(warning, -1)).hasSize(3);

        X509Bundle renewed = before.sign(builder -> {
            builder.addSanUriName(java.net.URI.create("georep:georep/a"));
            builder.notAfter(java.time.Instant.now().plus(Duration.ofDays(8)));
        });
        Authority.write(directory(A), renewed, before);
        tls.get(A).reload();
        assertThat(log.text().split(warning, -1)).hasSize(3);
    }

    @Test
    void aNodeDoesNotStartWithTheCertificateOfAnother() throws IOException {
        write(A, before, before);
        tls.put(A, Authority.files(directory(A)).build());
        next = A;

        assertThatThrownBy(() -> start(B))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("for georep:georep/a")
                .hasMessageContaining("URI:georep:georep/b");
    }
}
