package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java of docs/use/key-space.md does what the page says. */
@Timeout(120)
public class KeySpaceSnippetTest {
    private static final SharedSecret SECRET = SharedSecret.of(new byte[32]);

    @TempDir
    static Path classes;

    @TempDir
    Path data;

    private final SnippetPage page = SnippetPage.of("docs/use/key-space.md");

    /** What the snippet leaves to its reader. */
    public abstract static class Context extends Snippets.Statements {
        public final Source source = new Source();
        public final SharedSecret secret = SECRET;
        public Path directory;
    }

    /** Goes on from an offset and returns the next one. */
    public static final class Source {
        public long seek(String topic, long offset) {
            return offset + 17;
        }
    }

    @Test
    void everySnippetIsRun() {
        assertThat(page.snippets()).hasSize(1);
        assertThat(page.needlessImports()).isEmpty();
    }

    @RepeatedTest(10)
    void aSourceKeepsItsOffsetWhereAnotherNodeFindsIt() throws Exception {
        try (GeoRepNode other = GeoRepNode.builder()
                .nodeId("nyc-1")
                .site("us-nyc")
                .listen("127.0.0.1", 0)
                .transport(new NettyTransportFactory(links -> links.secret(SECRET)))
                .dataDir(data.resolve("nyc-1"))
                .expectedAway(Duration.ZERO)
                .keySpaces(KeySpaceSettings.defaults())
                .start()) {
            String here = page.snippet("caughtUp")
                    .replace(".listen(7400)", ".listen(\"127.0.0.1\", 0)")
                    .replace("nyc-1.example.net:7400", other.identity().address());
            Context snippet = page.statements(Context.class, classes, here + "this.node = node;\n");
            snippet.directory = data.resolve("ams-1");
            snippet.run();

            KeySpace offsets = other.service(KeySpaces.class).replicated("offsets", 1);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                byte[] value = offsets.get("topic-1").toCompletableFuture().get(60, TimeUnit.SECONDS);
                return value != null && ByteBuffer.wrap(value).getLong() == 17;
            });
            snippet.node.close(Duration.ZERO);
        }
    }
}
