package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.SharedSecret;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** The Java of docs/use/ordered-maps.md does what the page says. */
@Timeout(120)
public class OrderedMapSnippetTest {
    @TempDir
    static Path classes;

    @TempDir
    Path data;

    private final SnippetPage page = SnippetPage.of("docs/use/ordered-maps.md");

    /** What the snippet leaves to its reader. */
    public abstract static class Context extends Snippets.Statements {
        public final SharedSecret secret = SharedSecret.of(new byte[32]);
        public final List<String> log = Collections.synchronizedList(new ArrayList<>());
        public Path directory;
    }

    @Test
    void whatIsWrittenIsFoundInItsRange() throws Exception {
        assertThat(page.snippets()).hasSize(3);
        assertThat(page.needlessImports()).isEmpty();
        String code = page.snippet("orderedMaps").replace(".listen(7400)", ".listen(\"127.0.0.1\", 0)");
        Context snippet = page.statements(Context.class, classes, code + "this.node = node;\n");
        snippet.directory = data;
        snippet.run();

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(snippet.log).containsExactly("[12A=ann]"));
        snippet.node.close(Duration.ZERO);
    }

    /** What declares the classes of the page. */
    public static class Application {}

    @Test
    void aComponentGetsItsMap() throws Exception {
        Object members = page.members(Application.class, classes, page.snippet("class Seats"));
        Class<?> seats = members.getClass().getDeclaredClasses()[0];
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepOrderedMapsAutoConfiguration.class))
                .withPropertyValues("georep.ordered-maps.groups[0]=n1")
                .withBean(seats)
                .run(context -> {
                    Method take = seats.getDeclaredMethod("take", String.class, String.class);
                    take.setAccessible(true);
                    for (boolean isFree : new boolean[] {true, false}) {
                        CompletionStage<?> taken =
                                (CompletionStage<?>) take.invoke(context.getBean(seats), "12A", "ann");
                        assertThat(taken.toCompletableFuture().get(60, TimeUnit.SECONDS))
                                .isEqualTo(isFree);
                    }
                });
    }

    @Test
    void eachSiteHasAGroup() throws Exception {
        page.statements(Context.class, classes, page.snippet(".group(")).run();
    }
}
