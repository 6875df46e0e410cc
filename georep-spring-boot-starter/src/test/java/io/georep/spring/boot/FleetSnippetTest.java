package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetWriters;
import io.georep.netty.SharedSecret;
import io.georep.spi.PayloadCodec;
import java.lang.reflect.Method;
import java.nio.file.Files;
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

/** The Java of docs/use/fleet-maps.md does what the page says. */
@Timeout(120)
public class FleetSnippetTest {
    @TempDir
    static Path classes;

    private final SnippetPage page = SnippetPage.of("docs/use/fleet-maps.md");

    /** What the snippets leave to their reader. */
    public abstract static class Context extends Snippets.Statements {
        public final SharedSecret secret = SharedSecret.of(new byte[32]);
        public final List<String> log = Collections.synchronizedList(new ArrayList<>());
        public FleetMap<String, String> cards;
        public String mark;
        public Path keyFile;
        public FleetMapSettings desk;
    }

    /** Runs what the page does with a map, at a node that is alone. */
    @Test
    void whatIsDoneWithAMap() throws Exception {
        assertThat(page.snippets()).hasSize(13);
        assertThat(page.needlessImports()).isEmpty();
        GeoRepNode node = GeoRepNode.fleetNode(FleetMapSettings.alone()).start();
        String mark = "";
        for (String part : List.of(
                "FleetOptions.CONVERGING);",
                "FleetOptions once",
                "onOverturned",
                "String mark = session.mark()",
                "FleetSession.of(mark)",
                "watchPrefix",
                "new FleetFlags")) {
            String code = page.snippet(part);
            Context snippet = page.statements(Context.class, classes, code.replace("String mark =", "this.mark ="));
            snippet.node = node;
            snippet.cards = node.service(FleetMaps.class).map("cards", PayloadCodec.string(), PayloadCodec.string());
            snippet.mark = mark;
            snippet.run();
            mark = snippet.mark;
        }
        assertThat(mark).isNotEmpty();
        node.close(Duration.ZERO);
    }

    /** The key of the page, and the private one that belongs to it; they are those of RFC 8410. */
    @Test
    void whoMayWrite() throws Exception {
        Context snippet =
                page.statements(Context.class, classes, page.snippet("FleetWriters office") + "this.desk = desk;\n");
        snippet.keyFile = Files.writeString(classes.resolve("writer.pem"), """
                -----BEGIN PRIVATE KEY-----
                MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
                -----END PRIVATE KEY-----
                """);
        snippet.run();

        assertThat(snippet.desk.writers()).hasToString("FleetWriters[1 keys, signs]");
        FleetWriters office = snippet.desk.writers();
        Context replaced = page.statements(
                Context.class,
                classes,
                page.snippet("FleetWriters after")
                        + "this.desk = FleetMapSettings.member(\"seed-1:7400\").writers(after);\n");
        replaced.run();

        FleetWriters after = replaced.desk.writers();
        assertThat(after.keys()).hasSize(1).doesNotContainAnyElementsOf(office.keys());
        assertThat(after.retired().keySet()).containsExactlyElementsOf(office.keys());
    }

    /** The first node and another one. */
    @Test
    void aNodeFindsWhatItHasPut() throws Exception {
        Context first = page.statements(
                Context.class, classes, local(page.snippet("FleetMapSettings.founder()")) + "this.node = first;\n");
        first.run();
        String seed = first.node.identity().address();
        Context second = page.statements(
                Context.class,
                classes,
                local(page.snippet("GeoRepNode node =")).replace("\"seed-1:7400\", \"seed-2:7400\"", "\"" + seed + "\"")
                        + "this.node = node;\n");
        second.run();
        Context client = page.statements(
                Context.class,
                classes,
                local(page.snippet("FleetMapSettings.client("))
                                .replace("\"seed-1:7400\", \"seed-2:7400\"", "\"" + seed + "\"")
                        + "this.node = client;\n");
        client.run();

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(second.log).containsExactly("blocked: stolen"));
        for (Context each : List.of(first, second, client)) {
            each.node.halt();
        }
    }

    private static String local(String code) {
        return code.replaceAll("\\.listen\\(740.\\)", ".listen(\"127.0.0.1\", 0)");
    }

    /** What declares the classes of the page. */
    public static class Application {}

    @Test
    void aComponentGetsItsMapAndTheFlags() throws Exception {
        Object members = page.members(Application.class, classes, page.snippet("class Till"));
        Class<?> till = members.getClass().getDeclaredClasses()[0];
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepFleetAutoConfiguration.class))
                .withPropertyValues("georep.test.enabled=true", "georep.fleet.role=founder")
                .withBean(till)
                .run(context -> {
                    Method isBlocked = till.getDeclaredMethod("isBlocked", String.class);
                    isBlocked.setAccessible(true);
                    CompletionStage<?> blocked = (CompletionStage<?>) isBlocked.invoke(context.getBean(till), "4711");
                    assertThat(blocked.toCompletableFuture().get(60, TimeUnit.SECONDS))
                            .isEqualTo(false);
                });
    }
}
