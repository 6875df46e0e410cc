package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalViewMaster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java of docs/use/replicated-maps.md does what the page says, over TCP. */
@Timeout(120)
public class MapSnippetTest {
    private static final SharedSecret SECRET = SharedSecret.of(new byte[32]);
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    static Path classes;

    @TempDir
    Path data;

    private final SnippetPage page = SnippetPage.of("docs/use/replicated-maps.md");

    /** What the snippet leaves to its reader. */
    public abstract static class Context extends Snippets.Statements {
        public final SharedSecret secret = SECRET;
        public final List<String> log = Collections.synchronizedList(new ArrayList<>());
        public Path directory;
        public ViewMaster.Factory master;
    }

    @Test
    void everySnippetIsRun() {
        assertThat(page.snippets()).hasSize(2);
        assertThat(page.needlessImports()).isEmpty();
    }

    @Test
    void whatOneNodeWritesTheOtherReads() throws Exception {
        // The first view has the other node only, so the snippet's node joins it, and its first write need not wait.
        LocalViewMaster master = LocalViewMaster.of(FunnelSettings.defaults(), "nyc-1");
        try (GeoRepNode other = GeoRepNode.builder()
                .nodeId("nyc-1")
                .site("us-nyc")
                .listen("127.0.0.1", 0)
                .transport(new NettyTransportFactory(links -> links.secret(SECRET)))
                .dataDir(data.resolve("nyc-1"))
                .expectedAway(Duration.ZERO)
                .replicatedMaps(FunnelSettings.defaults(), master)
                .start()) {
            String whole = page.snippet("replicatedMaps")
                    .replace(".listen(7400)", ".listen(\"127.0.0.1\", 0)")
                    .replace("nyc-1.example.net:7400", other.identity().address());
            String here = whole.replace(
                    "ReplicatedMap<String, String> routes",
                    MapSnippetTest.class.getName()
                            + ".awaitServing(node.service(ReplicatedMaps.class));\nReplicatedMap<String, String> routes");
            Context snippet = page.statements(Context.class, classes, here + "this.node = node;\n");
            snippet.directory = data.resolve("ams-1");
            snippet.master = master;
            snippet.run();

            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(snippet.log)
                            .containsExactlyInAnyOrder("46 -> operator-a", "46 -> operator-b", "operator-b"));
            ReplicatedMap<String, String> routes =
                    other.service(ReplicatedMaps.class).map("routes", PayloadCodec.string(), PayloadCodec.string());
            assertThat(routes.get("46")).isEqualTo("operator-b");
            snippet.node.close(Duration.ZERO);
        }
    }

    @Test
    void theKeepersOfTheViewsAreNamed() throws Exception {
        Context snippet =
                page.statements(Context.class, classes, page.snippet("ViewGroup") + "this.master = master;\n");
        snippet.run();

        assertThat(Objects.requireNonNull(snippet.master.group()).keepers())
                .extracting(NodeId::value)
                .containsExactly("ams-1", "nyc-1", "sgp-1");
    }

    /** Called by the snippet's code: the page leaves out that a node needs a moment to join. */
    public static void awaitServing(ReplicatedMaps maps) {
        Awaitility.await().atMost(LONG).until(() -> maps.status().role() == MapsStatus.Role.SERVING);
    }
}
