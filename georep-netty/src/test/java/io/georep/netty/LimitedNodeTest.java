package io.georep.netty;

import static io.georep.netty.UnderAttack.AMS;
import static io.georep.netty.UnderAttack.LONG;
import static io.georep.netty.UnderAttack.NYC;
import static io.georep.netty.WireWords.frame;
import static io.georep.netty.WireWords.greeting;
import static io.georep.netty.WireWords.hello;
import static io.georep.netty.WireWords.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.netty.UnderAttack.Protection;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Certificates that are limited to membership: what a thief of such a key can do, and what its node can. */
@Timeout(60)
class LimitedNodeTest {
    private static final NodeId AMS_ID = NodeId.of(AMS);

    private final List<Socket> edges = new ArrayList<>();
    private final UnderAttack cluster = new UnderAttack(Protection.TLS).start();

    @AfterEach
    void stop() throws IOException {
        for (Socket edge : edges) {
            edge.close();
        }
        cluster.close();
    }

    /** Comes to nyc-1 as edge-1, and says that ams-1 was removed. */
    private Socket removal(String certificate) throws Exception {
        Socket socket = UnderAttack.certified(certificate).on(cluster.connect(NYC));
        socket.getOutputStream()
                .write(join(
                        hello("edge-1", "127.0.0.1:1"),
                        frame(1, greeting(), WireWords.removed(AMS, cluster.addressOf(AMS)))));
        return socket;
    }

    /** Its holder may invent thousands of nodes: that costs the others a few attempts to dial, and no message. */
    @Test
    void whoHasALimitedCertificateInventsNoCluster() throws Exception {
        int lines = cluster.log.text().length();
        try (Socket edge = UnderAttack.certified("georep-limited:" + WireWords.CLUSTER + "/edge-1")
                .on(cluster.connect(NYC))) {
            edge.getOutputStream().write(join(hello("edge-1", "127.0.0.1:1"), frame(1, greeting())));
            // Let in first: before that, so many bytes would end the connection.
            assertThat(edge.getInputStream().read()).isNotNegative();
            for (int i = 2; i < 20; i++) {
                edge.getOutputStream().write(frame(i, WireWords.invented("node-" + i + "-", 300, "127.0.0.1:1")));
            }
            GeoRepNode nyc = cluster.nodes.get(NYC);
            await("some are dialled")
                    .atMost(LONG)
                    .until(() -> nyc.peers().stream()
                            .anyMatch(peer -> peer.id().value().startsWith("node-")));

            cluster.assertEachMessageIsForwardedOnce();

            assertThat(nyc.peers()).hasSizeLessThanOrEqualTo(3 + 32);
            for (String other : new String[] {AMS, UnderAttack.SFO}) {
                assertThat(cluster.nodes.get(other).peers())
                        .noneMatch(peer -> peer.id().value().startsWith("node-"));
            }
            assertThat(cluster.log.text().length() - lines)
                    .as("characters of log")
                    .isLessThan(100_000);
        }
    }

    private PeerStatus amsSeenByNyc() {
        return cluster.nodes.get(NYC).peers().stream()
                .filter(peer -> peer.id().equals(AMS_ID))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whoHasALimitedCertificateRemovesNobody() throws Exception {
        GeoRepNode nyc = cluster.nodes.get(NYC);
        try (Socket edge = removal("georep-limited:" + WireWords.CLUSTER + "/edge-1")) {
            await("it is counted").atMost(LONG).until(() -> nyc.statistics().decisionsIgnored() == 1);

            await("it is logged")
                    .atMost(LONG)
                    .until(() -> cluster.log
                            .text()
                            .contains(
                                    "does not believe edge-1 at 127.0.0.1:1, which may not decide over other nodes: it"
                                            + " says that 'ams-1' was removed"));
            assertThat(amsSeenByNyc().state()).isEqualTo(PeerState.ACTIVE);
            assertThat(edge.isClosed()).isFalse();
        }
        assertThat(cluster.nodes.get(AMS).ready(2)).isTrue();
        cluster.assertEachMessageIsForwardedOnce();
    }

    /** It has no copy of any of them: neither those that are there nor those to come are its own to end or to take. */
    @Test
    void whoHasALimitedCertificateEndsNoEntriesOfOthersNowOrLater() throws Exception {
        WireWords.Entries entries = cluster.entries();
        for (String victim : new String[] {AMS, NYC, UnderAttack.SFO}) {
            Socket edge = UnderAttack.certified("georep-limited:" + WireWords.CLUSTER + "/edge-1")
                    .on(cluster.connect(victim));
            edges.add(edge);
            byte[][] words = {
                hello("edge-1", "127.0.0.1:1"),
                frame(1, greeting()),
                frame(2, WireWords.claim(entries, 9, "edge-1")),
                frame(3, WireWords.claim(entries, 10, "edge-1", victim)),
                frame(4, WireWords.delete(entries)),
                victim.equals(AMS) ? frame(5) : frame(5, WireWords.delete(entries, WireWords.ranges(0, 1L << 40))),
                victim.equals(AMS)
                        ? frame(6)
                        : frame(6, WireWords.copies(entries, entries.count(), WireWords.custody(0, "edge-1", victim))),
                frame(7, WireWords.removed(victim.equals(NYC) ? AMS : NYC, "127.0.0.1:1")),
            };
            edge.getOutputStream().write(join(words));
            GeoRepNode node = cluster.nodes.get(victim);
            await("all of it is heard by " + victim)
                    .atMost(LONG)
                    .until(() -> node.statistics().decisionsIgnored() == 1);
        }

        cluster.send(30);

        assertThat(cluster.endsRefused()).isPositive();
        cluster.assertEachOfOursIsForwardedOnce();
    }

    @Test
    void whoHasAFullCertificateIsBelieved() throws Exception {
        try (Socket edge = removal("georep:" + WireWords.CLUSTER + "/edge-1")) {
            await().atMost(LONG)
                    .until(() -> cluster.nodes.get(AMS).peers().stream().noneMatch(PeerStatus::selectable));
            assertThat(edge.isClosed()).isFalse();
        }
        assertThat(cluster.nodes.get(NYC).statistics().decisionsIgnored()).isZero();
    }

    /** It is a member like others: it sends and keeps copies, drains itself, and does what others order. */
    @Test
    void aLimitedNodeWorksAndItsOperatorDecidesOverItAlone() {
        GeoRepNode edge = cluster.startLimited("edge-1");
        await().atMost(LONG).until(() -> edge.ready(3));
        assertThat(edge.identity().limited()).isTrue();

        for (Runnable order : new Runnable[] {
            () -> edge.remove(AMS_ID),
            () -> edge.drain(AMS_ID),
            () -> edge.undrain(AMS_ID),
            () -> edge.joinClusterOf(AMS_ID)
        }) {
            assertThatThrownBy(order::run)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("edge-1 may not decide over other nodes")
                    .hasMessageContaining("give this order to a node with a full certificate");
        }
        assertThat(edge.outbox("mail", String.class, options -> options.f(3)).sendAndWait("from the edge", LONG))
                .isNotNull();
        edge.drain(NodeId.of("edge-1"));
        await().atMost(LONG)
                .until(() -> cluster.nodes.get(AMS).peers().stream()
                        .anyMatch(peer -> peer.id().value().equals("edge-1") && peer.drained()));
        cluster.nodes.get(NYC).undrain(NodeId.of("edge-1"));
        await("who may decide is believed by a limited node, too").atMost(LONG).until(() -> edge.ready(3));
        cluster.nodes
                .values()
                .forEach(
                        node -> assertThat(node.statistics().decisionsIgnored()).isZero());
    }
}
