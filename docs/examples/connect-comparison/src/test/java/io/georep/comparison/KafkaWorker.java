package io.georep.comparison;

import static org.awaitility.Awaitility.await;

import io.georep.comparison.Scenario.Message;
import io.georep.comparison.Scenario.Outcome;
import io.georep.comparison.Scenario.Session;
import io.georep.connectors.kafka.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.connector.policy.AllConnectorClientConfigOverridePolicy;
import org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy;
import org.apache.kafka.connect.errors.NotFoundException;
import org.apache.kafka.connect.runtime.Worker;
import org.apache.kafka.connect.runtime.isolation.Plugins;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorStateInfo;
import org.apache.kafka.connect.runtime.standalone.StandaloneConfig;
import org.apache.kafka.connect.runtime.standalone.StandaloneHerder;
import org.apache.kafka.connect.storage.FileOffsetBackingStore;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.ConnectorTaskId;
import org.apache.kafka.connect.util.FutureCallback;

/** Kafka Connect's own worker, standalone, with a broker. Only its REST server is left out. */
final class KafkaWorker implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    static final String FLUSH_MILLIS = "300";

    private final KafkaBroker broker;
    private final StandaloneHerder herder;
    private final KafkaProducer<byte[], byte[]> producer;

    KafkaWorker(KafkaBroker broker, Path directory) {
        this.broker = broker;
        this.producer = broker.producer(Map.of());
        Map<String, String> settings = Map.of(
                "bootstrap.servers",
                broker.servers(),
                "offset.storage.file.filename",
                directory.resolve("offsets").toString(),
                "offset.flush.interval.ms",
                FLUSH_MILLIS,
                "plugin.discovery",
                "service_load",
                "key.converter",
                "org.apache.kafka.connect.storage.StringConverter",
                "value.converter",
                "org.apache.kafka.connect.storage.StringConverter");
        Plugins plugins = new Plugins(settings);
        StandaloneConfig config = new StandaloneConfig(settings);
        OffsetBackingStore offsets = new FileOffsetBackingStore(plugins.newInternalConverter(
                true, "org.apache.kafka.connect.json.JsonConverter", Map.of("schemas.enable", "false")));
        offsets.configure(config);
        ConnectorClientConfigOverridePolicy policy = new AllConnectorClientConfigOverridePolicy();
        Worker worker = new Worker("worker", Time.SYSTEM, plugins, config, offsets, policy);
        herder = new StandaloneHerder(worker, config.kafkaClusterId(), policy);
        herder.start();
    }

    Outcome run(Scenario scenario) throws Exception {
        broker.create(scenario.input(), 1, Map.of());
        broker.create(scenario.output(), 1, Map.of());
        Journal journal = Journal.of(scenario.name(), scenario.script());
        Map<String, String> settings = new HashMap<>(scenario.settings());
        settings.put("name", scenario.name());
        boolean sink = scenario.settings().get("connector.class").equals(ScriptedSink.class.getName());
        if (sink) {
            settings.put("consumer.override.max.poll.records", "1");
        }
        FutureCallback<
                        org.apache.kafka.connect.runtime.Herder.Created<
                                org.apache.kafka.connect.runtime.rest.entities.ConnectorInfo>>
                created = new FutureCallback<>();
        herder.putConnectorConfig(scenario.name(), settings, false, created);
        created.get(30, TimeUnit.SECONDS);
        Operator operator = new Operator(scenario, journal);
        operator.start();
        try {
            InWorker session = new InWorker(scenario, journal);
            scenario.play().in(session);
            operator.end();
            List<Message> messages = session.messages(scenario.output(), 0);
            return new Outcome(journal.lines(), sink ? session.flushed() : 0, messages);
        } finally {
            operator.end();
            FutureCallback<
                            org.apache.kafka.connect.runtime.Herder.Created<
                                    org.apache.kafka.connect.runtime.rest.entities.ConnectorInfo>>
                    deleted = new FutureCallback<>();
            herder.deleteConnectorConfig(scenario.name(), deleted);
            deleted.get(30, TimeUnit.SECONDS);
        }
    }

    /**
     * Starts a failed task again, as people do: once for each time it failed. A task that was started again is called failed
     * until it has started, so only what has been stopped since is started once more.
     */
    private final class Operator extends Thread {
        private final Scenario scenario;
        private final Journal journal;
        private long stopped;
        private volatile boolean ended;

        Operator(Scenario scenario, Journal journal) {
            this.scenario = scenario;
            this.journal = journal;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (!ended) {
                    long stops = stops();
                    if (scenario.restarted()
                            && stops > stopped
                            && state(scenario).contains("FAILED")) {
                        stopped = stops;
                        FutureCallback<Void> restarted = new FutureCallback<>();
                        herder.restartTask(new ConnectorTaskId(scenario.name(), 0), restarted);
                        restarted.get(30, TimeUnit.SECONDS);
                    }
                    TimeUnit.MILLISECONDS.sleep(20);
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        private long stops() {
            return journal.lines().stream().filter("stop"::equals).count();
        }

        void end() throws InterruptedException {
            ended = true;
            join();
        }
    }

    private String state(Scenario scenario) {
        try {
            ConnectorStateInfo info = herder.connectorStatus(scenario.name());
            return info.connector().state()
                    + info.tasks().stream()
                            .map(ConnectorStateInfo.AbstractState::state)
                            .toList();
        } catch (NotFoundException e) {
            return "none";
        }
    }

    private final class InWorker implements Session {
        private final Scenario scenario;
        private final Journal journal;

        InWorker(Scenario scenario, Journal journal) {
            this.scenario = scenario;
            this.journal = journal;
        }

        @Override
        public Journal journal() {
            return journal;
        }

        @Override
        public void send(String key, String value, Map<String, String> headers) throws Exception {
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(scenario.input(), null, bytes(key), bytes(value));
            headers.forEach((name, text) -> record.headers().add(name, bytes(text)));
            producer.send(record).get(30, TimeUnit.SECONDS);
        }

        private static byte[] bytes(String text) {
            return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void pause() {
            herder.pauseConnector(scenario.name());
            await().atMost(PATIENCE).until(() -> state(scenario).equals("PAUSED[PAUSED]"));
        }

        @Override
        public void resume() {
            herder.resumeConnector(scenario.name());
            await().atMost(PATIENCE).until(() -> !state(scenario).matches("(STOPPED|PAUSED|UNASSIGNED).*"));
        }

        @Override
        public void stop() throws Exception {
            FutureCallback<Void> stopped = new FutureCallback<>();
            herder.stopConnector(scenario.name(), stopped);
            stopped.get(30, TimeUnit.SECONDS);
            await().atMost(PATIENCE).until(() -> state(scenario).equals("STOPPED[]"));
        }

        @Override
        public long flushed() throws Exception {
            long committed = broker.committed("connect-" + scenario.name(), new TopicPartition(scenario.input(), 0));
            return Math.max(0, committed);
        }

        @Override
        public List<Message> messages(String topic, int count) {
            List<Message> found = List.of();
            while (found.size() < count || found.isEmpty() && count > 0) {
                found = read(topic);
            }
            return count == 0 ? read(topic) : found;
        }

        private List<Message> read(String topic) {
            return broker.messages(topic).stream()
                    .map(each -> {
                        Map<String, String> headers = new TreeMap<>();
                        each.headers().forEach(header -> headers.put(header.key(), text(header.value())));
                        return new Message(text(each.key()), text(each.value()), headers);
                    })
                    .toList();
        }

        private static String text(byte[] bytes) {
            return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        herder.stop();
        producer.close();
    }
}
