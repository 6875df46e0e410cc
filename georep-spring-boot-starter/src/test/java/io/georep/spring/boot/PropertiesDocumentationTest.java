package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps {@code docs/use/spring-boot-properties.md} equal to what the configuration processor read from the properties record.
 * With {@code -Dgeorep.docs.write=true} the page is written instead of compared.
 */
class PropertiesDocumentationTest {
    private static final Path PAGE = Path.of("..", "docs", "use", "spring-boot-properties.md");

    @Test
    void documentsEveryProperty() throws IOException {
        String page = page();
        if (Boolean.getBoolean("georep.docs.write")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page);
        }

        assertThat(PAGE)
                .as("run this test with -Dgeorep.docs.write=true and commit the page")
                .hasContent(page);
    }

    /** The processor does not describe what is inside a map, so the guide does. */
    @Test
    void describesTheSettingsOfAQueue() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "use", "spring-boot-listeners.md"));

        assertThat(Arrays.stream(GeoRepProperties.Queue.class.getRecordComponents())
                        .map(component -> component.getName().replaceAll("([A-Z])", "-$1"))
                        .map(name -> name.toLowerCase(Locale.ROOT)))
                .allSatisfy(name -> assertThat(guide).contains("`" + name));
    }

    /** Every key on the page. */
    static List<String> documentedKeys() {
        try {
            return metadata()
                    .get("properties")
                    .valueStream()
                    .map(property -> property.get("name").asString())
                    .filter(name -> !List.of("georep.outboxes", "georep.connectors", "georep.maps.caches")
                            .contains(name))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String page() throws IOException {
        StringBuilder page = new StringBuilder("# Properties of the Spring Boot starter\n\n"
                + "Generated from the Javadoc of the properties; do not edit. Durations are written like `500ms`, `10s` or"
                + " `PT10S`.\n\n| property | type | default | meaning |\n|---|---|---|---|\n");
        for (JsonNode property : metadata().get("properties")) {
            page.append("| `")
                    .append(property.get("name").asString())
                    .append("` | ")
                    .append(type(property.get("type").asString()))
                    .append(" | ")
                    .append(defaultValue(property.get("defaultValue")))
                    .append(" | ")
                    .append(property.path("description").asString("").replace("|", "\\|"))
                    .append(" |\n");
        }
        return page.toString();
    }

    private static JsonNode metadata() throws IOException {
        // By its path: tests have properties of their own.
        return JsonMapper.builder()
                .build()
                .readTree(Files.readString(
                        Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json")));
    }

    private static String type(String name) {
        if (name.startsWith("java.util.Map")) {
            return "settings by name";
        }
        return name.startsWith("java.util.List") ? "list" : name.substring(name.lastIndexOf('.') + 1);
    }

    private static String defaultValue(JsonNode value) {
        if (value == null) {
            return "";
        }
        String text = value.isArray()
                ? String.join(", ", value.valueStream().map(JsonNode::asString).toList())
                : value.asString();
        return text.isEmpty() ? "" : "`" + text + "`";
    }
}
