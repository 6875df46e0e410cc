package io.georep.comparison;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.comparison.Scenario.Message;
import io.georep.comparison.Scenario.Outcome;
import io.georep.comparison.Scenario.Play;
import io.georep.connectors.kafka.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Kafka Connect's worker and GeoRep's host. The broker and the worker are the same for all test classes. */
final class BothHosts implements BeforeAllCallback {
    private static final String TEXTS = "org.apache.kafka.connect.storage.StringConverter";

    private static KafkaWorker worker;

    @Override
    public void beforeAll(ExtensionContext context) {
        worker = requireNonNull(context.getRoot()
                        .getStore(Namespace.GLOBAL)
                        .computeIfAbsent(Running.class, key -> new Running(), Running.class))
                .worker;
    }

    private static final class Running implements AutoCloseable {
        private final KafkaBroker broker;
        private final KafkaWorker worker;

        Running() {
            try {
                Path directory = Files.createTempDirectory(
                        Files.createDirectories(Path.of("target", "brokers").toAbsolutePath()), "kafka");
                broker = new KafkaBroker(directory);
                broker.start();
                worker = new KafkaWorker(broker, directory);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            worker.close();
            broker.close();
        }
    }

    /** A sink of texts; {@code <name>} in a setting stands for its name. */
    static Scenario sink(String name, Script script, boolean restarted, Play play, String... settings) {
        return connector(ScriptedSink.class, "topics", name + "-in", name, script, restarted, play, settings);
    }

    /** A source of texts. */
    static Scenario source(String name, Script script, boolean restarted, Play play, String... settings) {
        return connector(ScriptedSource.class, "topic", name + "-out", name, script, restarted, play, settings);
    }

    private static Scenario connector(
            Class<?> type,
            String topicKey,
            String topic,
            String name,
            Script script,
            boolean restarted,
            Play play,
            String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "connector.class",
                type.getName(),
                topicKey,
                topic,
                "tasks.max",
                "1",
                "key.converter",
                TEXTS,
                "value.converter",
                TEXTS));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1].replace("<name>", name));
        }
        return new Scenario(name, script, all, restarted, play);
    }

    /** Plays it in Kafka Connect. */
    static Outcome inConnect(Scenario scenario) throws Exception {
        return worker.run(scenario);
    }

    /** Plays it in GeoRep. */
    static Outcome inGeoRep(Scenario scenario) {
        return GeoRepHost.run(scenario);
    }

    /** Plays it in both; the same must come of it, which is returned. */
    static Outcome compare(Scenario scenario) throws Exception {
        Outcome connect = inConnect(scenario);
        Outcome georep = inGeoRep(scenario);
        assertThat(georep.lines()).isEqualTo(connect.lines());
        assertThat(georep.flushed()).as("flushed").isEqualTo(connect.flushed());
        assertThat(comparable(georep)).isEqualTo(comparable(connect));
        return connect;
    }

    /** What is in the output, except what has to differ: partitions, where offsets begin, code in stack traces, order. */
    static List<Message> comparable(Outcome outcome) {
        return outcome.messages().stream()
                .map(message -> {
                    Map<String, String> headers = new TreeMap<>(message.headers());
                    headers.computeIfPresent("__connect.errors.partition", (name, value) -> "a number");
                    headers.computeIfPresent("__connect.errors.offset", (name, value) -> "a number");
                    headers.computeIfPresent(
                            "__connect.errors.exception.stacktrace",
                            (name, value) -> value.lines().findFirst().orElse(""));
                    return new Message(message.key(), message.value(), headers);
                })
                .sorted(Comparator.comparing(Message::toString))
                .toList();
    }
}
