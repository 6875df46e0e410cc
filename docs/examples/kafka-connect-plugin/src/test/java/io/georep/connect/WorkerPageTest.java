package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of settings on the page are those of the code; {@code -Dgeorep.settings=rewrite} writes them. */
final class WorkerPageTest {
    private static final Path PAGE = Path.of("..", "..", "use", "connectors", "kafka-connect.md");

    static Stream<Arguments> tables() {
        ConfigDef node = NodeSettings.with(new ConfigDef());
        return Stream.of(
                Arguments.of("node settings", table(node, new ConfigDef())),
                Arguments.of("sink settings", table(SinkSettings.CONFIG, node)),
                Arguments.of("source settings", table(GeoRepSourceTask.CONFIG, node)));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void pageHasTheSettings(String what, String table) throws IOException {
        String opening = "<!-- " + what + ": written by WorkerPageTest -->\n";
        String closing = "<!-- end of " + what + " -->\n";
        String page = Files.readString(PAGE);
        assertThat(page).contains(opening, closing);
        int begin = page.indexOf(opening) + opening.length();
        int end = page.indexOf(closing);
        if ("rewrite".equals(System.getProperty("georep.settings"))) {
            Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table);
        }
    }

    static Stream<Connector> connectors() {
        return Stream.of(new GeoRepSinkConnector(), new GeoRepSourceConnector());
    }

    /** Whoever copies the settings of the page has some that the connector takes. */
    @ParameterizedTest
    @MethodSource("connectors")
    void theSettingsInTheTextAreGood(Connector connector) throws IOException {
        Map<String, String> settings = new HashMap<>();
        Stream.of(Files.readString(PAGE).split("```properties\n"))
                .skip(1)
                .map(each -> each.substring(0, each.indexOf("```")))
                .filter(each ->
                        each.contains("connector.class=" + connector.getClass().getName() + "\n"))
                .flatMap(String::lines)
                .map(each -> each.split("=", 2))
                .forEach(each -> settings.put(each[0], each[1]));

        assertThat(settings).containsKey("connector.class");
        assertThat(connector.validate(settings).configValues())
                .allSatisfy(
                        each -> assertThat(each.errorMessages()).as(each.name()).isEmpty());
        assertThat(connector.config().names())
                .containsAll(settings.keySet().stream()
                        .filter(each -> each.startsWith("georep."))
                        .toList());
    }

    /** Workers look for connectors by their service files. */
    @Test
    void workersFindBothConnectors() {
        assertThat(ServiceLoader.load(SinkConnector.class).stream().map(each -> (Object) each.type()))
                .contains(GeoRepSinkConnector.class);
        assertThat(ServiceLoader.load(SourceConnector.class).stream().map(each -> (Object) each.type()))
                .contains(GeoRepSourceConnector.class);
    }

    private static String table(ConfigDef config, ConfigDef without) {
        return "| setting | default | values | meaning |\n|---|---|---|---|\n"
                + config.configKeys().values().stream()
                        .filter(each -> !each.internalConfig && !without.names().contains(each.name))
                        .map(each -> "| `%s` | %s | %s | %s |\n"
                                .formatted(each.name, byDefault(each), values(each), each.documentation))
                        .collect(Collectors.joining());
    }

    private static String byDefault(ConfigDef.ConfigKey key) {
        if (!key.hasDefault()) {
            return "required";
        }
        String text = key.defaultValue == null ? "" : ConfigDef.convertToString(key.defaultValue, key.type);
        return text.isEmpty() || key.type == ConfigDef.Type.PASSWORD ? "empty" : "`" + text + "`";
    }

    private static String values(ConfigDef.ConfigKey key) {
        String allowed = key.validator == null ? "" : key.validator.toString().strip();
        return allowed.isEmpty() ? key.type.name().toLowerCase(Locale.ROOT) : allowed;
    }
}
