package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.PeerStatus;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole nodes, with TLS between them. */
@Timeout(180)
class GeoRepNodesOverTlsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final Authority before = new Authority("before");
    private final Authority after = new Authority("after");
    private final List<GeoRepNode> nodes = new ArrayList<>();
    private final List<MutualTls> tls = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private void write(int number, Authority signer, Authority... trusted) throws IOException {
        Authority.write(directory.resolve("tls-" + number), signer.sign("georep:prod/n" + number), trusted);
    }

    private GeoRepNode start(int number, String... seeds) {
        MutualTls own = Authority.files(directory.resolve("tls-" + number))
                .checkEvery(Duration.ZERO)
                .build();
        tls.add(own);
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("n" + number)
                .cluster("prod")
                .site("site-" + number)
                .listen("127.0.0.1", 0)
                .transport(new NettyTransportFactory(config -> config.tls(own)))
                .durability(Durability.OS)
                .dataDir(directory.resolve("n" + number));
        GeoRepNode node = builder.seeds(seeds).start();
        nodes.add(node);
        return node;
    }

    private void rotate(Authority signer, Authority... trusted) throws IOException {
        for (int number = 1; number <= tls.size(); number++) {
            write(number, signer, trusted);
        }
        tls.forEach(MutualTls::reload);
    }

    @Test
    void authorityAndCertificatesAreReplacedUnderTrafficAndNothingIsLost() throws Exception {
        for (int number = 1; number <= 3; number++) {
            write(number, before, before);
        }
        String seed = start(1).identity().address();
        start(2, seed);
        start(3, seed);
        Set<EntryId> forwarded = ConcurrentHashMap.newKeySet();
        List<Outbox<String>> outboxes = new ArrayList<>();
        for (GeoRepNode node : nodes) {
            Outbox<String> outbox = node.outbox("mail", String.class, options -> options.f(2));
            outbox.forward((Delivery<String> delivery) -> forwarded.add(delivery.id()));
            outboxes.add(outbox);
        }
        await().atMost(LONG).until(() -> nodes.stream().allMatch(node -> node.ready(2)));
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<List<EntryId>> sent = CompletableFuture.supplyAsync(() -> {
            List<CompletableFuture<EntryId>> sends = new ArrayList<>();
            for (int i = 0; !enough.get() || i < 1_000; i++) {
                sends.add(outboxes.get(i % 3).send("payload " + i).toCompletableFuture());
                if (i % 10 == 0) {
                    sends.get(i).join();
                }
            }
            return sends.stream().map(CompletableFuture::join).toList();
        });

        rotate(before, before, after);
        rotate(after, before, after);
        rotate(after, after);
        int soFar = forwarded.size();
        await().atMost(LONG).until(() -> forwarded.size() > soFar + 300);
        enough.set(true);

        List<EntryId> ids = sent.get();
        await().atMost(LONG).until(() -> forwarded.size() == ids.size());
        assertThat(forwarded).containsExactlyInAnyOrderElementsOf(ids);
        for (GeoRepNode node : nodes) {
            assertThat(node.peers()).hasSize(2).allMatch(PeerStatus::selectable);
            assertThat(node.statistics().connectionsDistrusted()).isZero();
        }
    }

    @Test
    void aNodeThatCannotProveItsNameIsNoMember() throws Exception {
        write(1, before, before);
        write(2, after, before, after);
        GeoRepNode member = start(1);

        GeoRepNode stranger = start(2, member.identity().address());

        await().atMost(LONG).until(() -> member.statistics().connectionsDistrusted() > 0);
        assertThat(member.peers()).isEmpty();
        assertThat(stranger.peers()).noneMatch(PeerStatus::selectable);
        assertThat(stranger.ready(1)).isFalse();
    }
}
