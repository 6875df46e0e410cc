package io.georep.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.connectors.jms.JmsSinkConnector;
import io.georep.connectors.kafka.KafkaSinkConnector;
import io.georep.connectors.kafka.KafkaSourceConnector;
import io.georep.connectors.mqtt.MqttSinkConnector;
import io.georep.connectors.mqtt.MqttSourceConnector;
import io.georep.connectors.rabbitmq.RabbitSinkConnector;
import io.georep.connectors.rabbitmq.RabbitSourceConnector;
import io.georep.connectors.smtp.SmtpSinkConnector;
import io.georep.connectors.webhook.WebhookSinkConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

/** The tables of settings on the connectors' pages are those of the code; {@code -Dgeorep.settings=rewrite} writes them. */
final class ConnectorPagesTest {
    private static final Path PAGES = Path.of("..", "..", "use", "connectors");
    private static final String BEGIN = "<!-- %s: written by ConnectorPagesTest -->\n";
    private static final String END = "<!-- end of %s -->\n";

    private static final Pattern SETTING = Pattern.compile("georep\\.connectors\\.[a-z-]+\\.([a-z._]+)=(.*)");

    /** There are about a hundred of them, and Kafka explains them. */
    private static final Predicate<String> OF_KAFKAS_CLIENTS =
            Pattern.compile("kafka\\.(producer|consumer)\\..*").asMatchPredicate();

    static Stream<Arguments> pages() {
        return Stream.of(
                Arguments.of("webhook.md", "settings", new WebhookSinkConnector()),
                Arguments.of("smtp.md", "settings", new SmtpSinkConnector()),
                Arguments.of("jms.md", "settings", new JmsSinkConnector()),
                Arguments.of("kafka.md", "settings", new KafkaSinkConnector()),
                Arguments.of("kafka.md", "source settings", new KafkaSourceConnector()),
                Arguments.of("mqtt.md", "settings", new MqttSinkConnector()),
                Arguments.of("mqtt.md", "source settings", new MqttSourceConnector()),
                Arguments.of("rabbitmq.md", "settings", new RabbitSinkConnector()),
                Arguments.of("rabbitmq.md", "source settings", new RabbitSourceConnector()));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageHasTheSettingsOfTheConnector(String name, String what, Connector connector) throws IOException {
        String opening = BEGIN.formatted(what);
        String closing = END.formatted(what);
        Path file = PAGES.resolve(name);
        String page = Files.readString(file);
        int begin = page.indexOf(opening) + opening.length();
        int end = page.indexOf(closing);
        assertThat(page).contains("`" + connector.getClass().getName() + "`").contains(opening, closing);
        String table = table(connector.config());
        if ("rewrite".equals(System.getProperty("georep.settings"))) {
            Files.writeString(file, page.substring(0, begin) + table + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).as(name).isEqualTo(table);
        }
    }

    /** Whoever copies the settings of a page into a Spring application has some that the connector takes. */
    @ParameterizedTest
    @MethodSource("pages")
    void theSettingsInTheTextAreGood(String name, String what, Connector connector) throws IOException {
        Map<String, String> settings = Stream.of(
                        Files.readString(PAGES.resolve(name)).split("```properties\n"))
                .skip(1)
                .map(each -> each.substring(0, each.indexOf("```")))
                .filter(each ->
                        each.contains("connector.class=" + connector.getClass().getName() + "\n"))
                .flatMap(String::lines)
                .map(ConnectorPagesTest::ofConnector)
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));

        assertThat(settings).containsKey("connector.class");
        if (connector instanceof SinkConnector) {
            assertThat(settings.remove("georep.id.header")).isEqualTo("georep.id");
            assertThat(settings.remove("topics")).isNotBlank();
        }
        assertThat(connector.validate(settings).configValues())
                .allSatisfy(
                        each -> assertThat(each.errorMessages()).as(each.name()).isEmpty());
        assertThat(connector.config().names())
                .containsAll(settings.keySet().stream()
                        .filter(each -> !each.equals("connector.class") && !each.endsWith(".converter"))
                        .toList());
    }

    private static String[] ofConnector(String line) {
        Matcher setting = SETTING.matcher(line);
        assertThat(setting.matches()).as(line).isTrue();
        return new String[] {setting.group(1), setting.group(2)};
    }

    private static String table(ConfigDef config) {
        return "| setting | default | values | meaning |\n|---|---|---|---|\n"
                + config.configKeys().values().stream()
                        .filter(each -> !each.internalConfig && !OF_KAFKAS_CLIENTS.test(each.name))
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
        return key.validator == null
                ? key.type.name().toLowerCase(Locale.ROOT)
                : key.validator.toString().strip();
    }

    /** Hosts look for connectors by their service files. */
    @Test
    void hostsFindAllConnectors() {
        assertThat(ServiceLoader.load(SinkConnector.class).stream()
                        .map(each -> each.type().getName())
                        .filter(each -> each.startsWith("io.georep")))
                .containsExactlyInAnyOrder(
                        JmsSinkConnector.class.getName(),
                        KafkaSinkConnector.class.getName(),
                        SmtpSinkConnector.class.getName(),
                        MqttSinkConnector.class.getName(),
                        RabbitSinkConnector.class.getName(),
                        WebhookSinkConnector.class.getName());
        assertThat(ServiceLoader.load(SourceConnector.class).stream()
                        .map(each -> each.type().getName()))
                .contains(
                        KafkaSourceConnector.class.getName(),
                        MqttSourceConnector.class.getName(),
                        RabbitSourceConnector.class.getName());
    }
}
