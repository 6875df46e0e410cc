package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What editors suggest below {@code georep.connectors}, and what the page says, is what the host accepts. With {@code
 * -Dgeorep.docs.write=true} the suggestions are written; the next build puts them into the starter.
 *
 * <p>The metadata of Spring Boot has no place for keys below a name that is free, so the suggestions have the name {@code
 * my-connector}.
 */
class ConnectorMetadataTest {
    private static final Path SOURCE =
            Path.of("src", "main", "resources", "META-INF", "additional-spring-configuration-metadata.json");
    private static final Path BUILT = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");
    private static final Path PAGE = Path.of("..", "docs", "use", "connectors.md");
    private static final String NAME = "my-connector.";
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final Map<String, String> STEPS = Map.of(
            "transforms.my-step.type", "class of the transformation my-step, which transforms names",
            "transforms.my-step.predicate", "the predicate that says for which records the transformation is",
            "transforms.my-step.negate", "whether it is for all other records; true or false",
            "predicates.my-condition.type", "class of the predicate my-condition, which predicates names");
    private static final Map<String, String> CLASSES = new TreeMap<>(Map.of(
            "org.apache.kafka.connect.storage.StringConverter", "Texts.",
            "org.apache.kafka.connect.json.JsonConverter", "JSON; needs org.apache.kafka:connect-json.",
            "org.apache.kafka.connect.storage.SimpleHeaderConverter", "Headers as texts; the default for headers.",
            "io.georep.spring.connect.ByteArrayConverter", "Bytes as they are."));

    private static Map<String, String> keys() {
        Map<String, String> keys = new TreeMap<>(STEPS);
        ConnectorSettings.DEFINITION.configKeys().forEach((name, key) -> keys.put(name, key.documentation));
        return keys;
    }

    private static String defaultOf(ConfigDef.ConfigKey key) {
        Object value = key.defaultValue;
        if (value == ConfigDef.NO_DEFAULT_VALUE || value == null || value.equals("") || value.equals(List.of())) {
            return "";
        }
        return value.toString();
    }

    private static String sentence(String key, String text) {
        ConfigDef.ConfigKey known = ConnectorSettings.DEFINITION.configKeys().get(key);
        String byDefault = known == null ? "" : defaultOf(known);
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + "."
                + (byDefault.isEmpty() ? "" : " Default: " + byDefault + ".");
    }

    /** The hints of the host, and behind them those that others wrote by hand. */
    private static String written() throws IOException {
        List<Map<String, String>> names = new ArrayList<>();
        keys().forEach((key, text) -> names.add(value(NAME + key, sentence(key, text))));
        List<Map<String, String>> classes = new ArrayList<>();
        CLASSES.forEach((type, text) -> classes.add(value(type, text)));
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("properties", List.of());
        List<Object> hints = new ArrayList<>();
        hints.add(hint("georep.connectors.keys", names));
        hints.add(hint("georep.connectors.values", classes));
        for (JsonNode hint : JSON.readTree(Files.readString(SOURCE)).get("hints")) {
            if (!hint.get("name").asString().startsWith("georep.connectors.")) {
                hints.add(hint);
            }
        }
        root.put("hints", hints);
        return JSON.writeValueAsString(root) + "\n";
    }

    private static Map<String, String> value(String value, String description) {
        Map<String, String> one = new LinkedHashMap<>();
        one.put("value", value);
        one.put("description", description);
        return one;
    }

    /** Other names and values are as good. */
    private static Map<String, Object> hint(String name, List<Map<String, String>> values) {
        Map<String, Object> hint = new LinkedHashMap<>();
        hint.put("name", name);
        hint.put("values", values);
        hint.put("providers", List.of(Map.of("name", "any")));
        return hint;
    }

    private static Map<String, String> hints(String name) throws IOException {
        Map<String, String> hints = new TreeMap<>();
        for (JsonNode hint : JSON.readTree(Files.readString(BUILT)).get("hints")) {
            if (hint.get("name").asString().equals(name)) {
                assertThat(hint.at("/providers/0/name").asString()).isEqualTo("any");
                hint.get("values")
                        .forEach(value -> hints.put(
                                value.get("value").asString(),
                                value.path("description").asString()));
            }
        }
        return hints;
    }

    @Test
    void editorsSuggestEveryKeyOfTheHost() throws IOException {
        if (Boolean.getBoolean("georep.docs.write")) {
            Files.writeString(SOURCE, written());
        }
        assertThat(SOURCE)
                .as("run this test with -Dgeorep.docs.write=true and commit the file")
                .hasContent(written());

        Map<String, String> expected = new TreeMap<>();
        keys().forEach((key, text) -> expected.put(NAME + key, sentence(key, text)));
        assertThat(hints("georep.connectors.keys")).isEqualTo(expected);
    }

    /** Whoever takes all suggestions gets neither a warning nor a mistake. */
    @Test
    void theHostAcceptsWhatEditorsSuggest() throws IOException {
        Map<String, String> settings = new HashMap<>();
        hints("georep.connectors.keys").keySet().forEach(suggested -> {
            String key = suggested.substring(NAME.length());
            ConfigDef.ConfigKey known =
                    ConnectorSettings.DEFINITION.configKeys().get(key);
            settings.put(key, known == null ? "" : defaultOf(known));
        });
        String strings = "org.apache.kafka.connect.storage.StringConverter";
        settings.putAll(Map.of(
                "connector.class", RecordingSink.class.getName(),
                "topics", "sms",
                "value.converter", strings,
                "key.converter", strings,
                "transforms", "my-step",
                "transforms.my-step.type", "org.apache.kafka.connect.transforms.Filter",
                "transforms.my-step.predicate", "my-condition",
                "transforms.my-step.negate", "false",
                "predicates", "my-condition",
                "predicates.my-condition.type", "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"));
        Plugins plugins = new Plugins(ConnectorMetadataTest.class.getClassLoader(), List.of());

        ConfigCheck check = new ConfigCheck("my-connector", settings, plugins, (one, other) -> 9).check();

        assertThat(check.faults()).isEmpty();
        // Editors do not know which class is a sink: what is for sources they suggest, too.
        assertThat(check.unknown()).allMatch(each -> each.endsWith(" is for sources"));
        for (String type : hints("georep.connectors.values").keySet()) {
            Class<?> kind = type.contains("Header") ? HeaderConverter.class : Converter.class;
            assertThat(plugins.find(type, kind, null)).as(type).isNotNull();
        }
    }

    /** The table of the page has a row for each key, with its default. */
    @Test
    void thePageHasEveryKeyWithItsDefault() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            String[] cells = line.split("\\|");
            if (line.startsWith("| `") && cells.length == 4) {
                Matcher key = Pattern.compile("`([^`]+)`").matcher(cells[1]);
                String[] values = cells[2].split(",");
                for (int i = 0; key.find(); i++) {
                    rows.put(
                            key.group(1),
                            i < values.length ? values[i].replace("`", "").trim() : "");
                }
            }
        }
        ConnectorSettings.DEFINITION.configKeys().forEach((name, key) -> {
            assertThat(rows).as("the table of settings in " + PAGE).containsKey(name);
            String byDefault = defaultOf(key);
            if (!byDefault.isEmpty()) {
                assertThat(byDefault).as("default of " + name).endsWith(rows.get(name));
            }
        });
    }
}
