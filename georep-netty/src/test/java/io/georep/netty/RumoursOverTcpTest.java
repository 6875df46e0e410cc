package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.model.Durability;
import io.georep.model.PeerState;
import io.georep.outbox.Outbox;
import io.georep.protocol.local.ProtocolModule;
import io.georep.rumour.RumourModule;
import io.georep.rumour.RumourProtocol;
import io.georep.rumour.Rumours;
import io.georep.tally.Tally;
import io.georep.tally.TallyModule;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An epidemic over TCP, over links of its own choice: between peers and past them. */
@Timeout(120)
class RumoursOverTcpTest {
    private static final int CHANNEL = 78;
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<GeoRepNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private GeoRepNode start(String... seeds) {
        return start(new RumourModule(CHANNEL), seeds);
    }

    private GeoRepNode start(ProtocolModule<?, ?, ?> module, String... seeds) {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("n" + nodes.size())
                .listen("127.0.0.1", 0)
                .seeds(seeds)
                .durability(Durability.MEMORY)
                .protocol(LocalCluster.quick())
                .add(module)
                .start();
        nodes.add(node);
        return node;
    }

    private static String address(GeoRepNode node) {
        return node.identity().address();
    }

    private static RumourProtocol.View view(GeoRepNode node) {
        return node.service(Rumours.class).view().toCompletableFuture().join();
    }

    @Test
    void rumoursReachPeersAndStrangersAlikeAndMakeNobodyAPeer() {
        GeoRepNode first = start();
        GeoRepNode second = start(address(first));
        GeoRepNode alone = start();
        GeoRepNode last = start();
        await().atMost(LONG).until(() -> first.ready(1) && second.ready(1));
        Outbox<String> outbox = first.outbox("mail", String.class, options -> options.f(1));

        second.service(Rumours.class).meet(address(first));
        alone.service(Rumours.class).meet(address(second));
        last.service(Rumours.class).meet(address(alone));
        first.service(Rumours.class).tell("it rains");
        last.service(Rumours.class).tell("it pours");

        for (GeoRepNode node : nodes) {
            await().atMost(LONG).until(() -> view(node).rumours().equals(Set.of("it rains", "it pours")));
            assertThat(view(node).up()).hasSizeLessThanOrEqualTo(RumourProtocol.LINKS);
            assertThat(node.statistics().framesRefused()).isZero();
            assertThat(node.statistics().messagesIgnored()).isZero();
        }
        outbox.sendAndWait("beside it", Duration.ofSeconds(20));
        assertThat(first.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.id()).isEqualTo(second.identity().id());
            assertThat(peer.state()).isEqualTo(PeerState.ACTIVE);
        });
        assertThat(alone.peers()).isEmpty();
        assertThat(last.peers()).isEmpty();
    }

    @Test
    void aNodeThatIsGoneEndsTheLinksToIt() {
        GeoRepNode one = start();
        GeoRepNode other = start();
        one.service(Rumours.class).meet(address(other));
        await().atMost(LONG).until(() -> view(one).up().contains(address(other)));

        other.halt();

        await().atMost(LONG).until(() -> view(one).up().isEmpty());
        await().atMost(LONG)
                .until(() -> view(one).down().stream().anyMatch(line -> line.contains("is the node running")));
    }

    @Test
    void aNodeWithAnotherProtocolUnderItsNumberCountsAsOneWithoutIt() throws Exception {
        GeoRepNode gossiping = start();
        GeoRepNode counting = start(new TallyModule(CHANNEL), address(gossiping));
        await().atMost(LONG).until(() -> gossiping.ready(1) && counting.ready(1));
        Outbox<String> outbox = counting.outbox("mail", String.class, options -> options.f(1));

        gossiping.service(Rumours.class).meet(address(counting));
        counting.service(Tally.class).add().toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
        for (int i = 0; i < 40; i++) {
            outbox.sendAndWait("beside it", Duration.ofSeconds(20));
        }

        await().atMost(LONG)
                .until(() -> view(gossiping).down().stream().anyMatch(line -> line.contains("does not host")));
        await().atMost(LONG).until(() -> counting.statistics().messagesWithheld() > 0);
        for (GeoRepNode node : nodes) {
            assertThat(node.statistics().framesRefused()).isZero();
            assertThat(node.statistics().messagesIgnored()).isZero();
        }
    }
}
