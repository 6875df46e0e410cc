package io.georep.connectors.mqtt;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.georep.connectors.FreePort;
import io.georep.connectors.TaskBench;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both directions, against a broker that stops and starts. */
@Timeout(60)
final class MqttTasksTest {
    @TempDir
    private Path directory;

    private final TaskBench bench = new TaskBench(true);
    private Mosquitto broker;

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private Map<String, String> settings(String... more) {
        Map<String, String> all = new HashMap<>(Map.of(
                "mqtt.host", "127.0.0.1",
                "mqtt.port", Integer.toString(broker.port()),
                "mqtt.tls", "false"));
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private MqttSourceTask source(String... more) {
        Map<String, String> all = settings("mqtt.topic.filter", "in/#", "topic", "alarms", "mqtt.client.id", "test");
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        MqttSourceConnector connector = new MqttSourceConnector();
        connector.start(all);
        MqttSourceTask task = new MqttSourceTask();
        task.start(connector.taskConfigs(1).get(0));
        return task;
    }

    private Mqtt5BlockingClient other() {
        Mqtt5BlockingClient client = MqttClient.builder()
                .useMqttVersion5()
                .serverHost("127.0.0.1")
                .serverPort(broker.port())
                .buildBlocking();
        client.connect();
        return client;
    }

    private static void publish(Mqtt5BlockingClient client, String topic, String text) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(text.getBytes(StandardCharsets.UTF_8))
                .send();
    }

    private static List<String> poll(MqttSourceTask task, int count, List<SourceRecord> records) throws Exception {
        while (records.size() < count) {
            try {
                List<SourceRecord> some = task.poll();
                records.addAll(some == null ? List.of() : some);
            } catch (RetriableException e) {
                // The broker is on its way.
            }
        }
        return records.stream()
                .map(each -> new String((byte[]) each.value(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void sinkPublishesWhatTheBrokerConfirms() throws Exception {
        broker = Mosquitto.start(directory, true);
        Mqtt5BlockingClient receiver = other();
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = receiver.publishes(MqttGlobalPublishFilter.ALL)) {
            receiver.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
            MqttSinkTask task = bench.start(new MqttSinkTask(), settings("mqtt.topic", "out/all"));

            task.put(List.of(
                    record(1, "caf\u00e9"),
                    record(2, "own", Map.of("mqtt.topic", "out/own")),
                    record(3, "bad", Map.of("mqtt.topic", "out/+/bad"))));

            Mqtt5Publish first = publishes.receive(60, TimeUnit.SECONDS).orElseThrow();
            assertThat(new String(first.getPayloadAsBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("caf\u00e9");
            assertThat(first.getTopic()).hasToString("out/all");
            assertThat(first.getUserProperties().asList().get(0).getValue()).hasToString("mails-0-1");
            assertThat(publishes.receive(60, TimeUnit.SECONDS).orElseThrow().getTopic())
                    .hasToString("out/own");
            assertThat(bench.refused).containsExactly("3: the record's topic or id cannot be one of an MQTT message");
            task.stop();
        } finally {
            receiver.disconnect();
        }
    }

    @Test
    void sinkTriesAgainUntilTheBrokerIsBack() {
        broker = Mosquitto.start(directory, true);
        MqttSinkTask task = bench.start(new MqttSinkTask(), settings("retry.backoff.ms", "1"));
        task.put(List.of(record(1, "text")));
        broker.stop();
        assertThatThrownBy(() -> task.put(List.of(record(2, "text")))).isInstanceOf(RetriableException.class);
        broker.start();

        putUntilTaken(task, List.of(record(2, "text")));

        assertThat(bench.refused).isEmpty();
        task.stop();
    }

    /** The broker says at the connection how much it takes. */
    @Test
    void aMessageThatIsTooLargeForTheBrokerIsSetAside() {
        broker = Mosquitto.startWith(directory, "max_packet_size 1000");
        MqttSinkTask task = bench.start(new MqttSinkTask(), settings("retry.backoff.ms", "1"));

        putUntilTaken(
                task,
                List.of(record(1, "a"), record(2, "b".repeat(2000)), record(3, "c"), record(4, "d".repeat(3000))));

        assertThat(bench.refused)
                .containsExactlyInAnyOrder(
                        "2: the broker refuses the message: PACKET_TOO_LARGE",
                        "4: the broker refuses the message: PACKET_TOO_LARGE");
        task.stop();
    }

    @Test
    void theBrokerKeepsWhatTheSourceHasNotCommitted() throws Exception {
        broker = Mosquitto.start(directory, true);
        MqttSourceTask first = source();
        assertThat(first.poll()).isNull();
        Mqtt5BlockingClient sender = other();
        publish(sender, "in/a", "1");
        publish(sender, "in/b", "2");
        publish(sender, "in/c", "3");
        List<SourceRecord> taken = new ArrayList<>();
        assertThat(poll(first, 3, taken)).containsExactly("1", "2", "3");
        assertThat(taken.get(0).topic()).isEqualTo("alarms");
        assertThat(taken.get(0).key()).isEqualTo("in/a");
        assertThat(taken.get(0).headers().lastWithName("mqtt.topic").value()).isEqualTo("in/a");
        first.commitRecord(taken.get(0), null);
        sender.disconnect();
        // The broker stops and starts, and then another task takes the place of the first.
        first.stop();
        broker.stop();
        broker.start();
        MqttSourceTask second = source();
        List<SourceRecord> again = new ArrayList<>();

        assertThat(poll(second, 2, again)).endsWith("2", "3");

        again.forEach(each -> second.commitRecord(each, null));
        second.stop();
        // Else it may meet the third one before it has read what the second one sent last.
        broker.awaitSaid("Client test-0 disconnected");
        MqttSourceTask third = source();
        assertThat(third.poll()).as("everything is committed").isNull();
        third.stop();
    }

    @Test
    void theSourceGoesOnWhenTheBrokerWasAway() throws Exception {
        broker = Mosquitto.start(directory, true);
        MqttSourceTask task = source();
        assertThat(task.poll()).isNull();
        broker.stop();
        assertThatThrownBy(() -> {
                    while (true) {
                        task.poll();
                    }
                })
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("the broker cannot be reached");
        broker.start();
        Mqtt5BlockingClient sender = other();
        publish(sender, "in/a", "later");
        sender.disconnect();

        assertThat(poll(task, 1, new ArrayList<>())).containsExactly("later");

        task.stop();
    }

    /** The broker of these tests has no limit of its own. */
    @Test
    void noMoreThanTheReceiveMaximumWaitsInMemory() throws Exception {
        broker = Mosquitto.start(directory, true);
        MqttSourceTask task = source("mqtt.receive.maximum", "100");
        assertThat(task.poll()).isNull();
        Mqtt5BlockingClient sender = other();
        for (int i = 0; i < 150; i++) {
            publish(sender, "in/a", Integer.toString(i));
        }
        sender.disconnect();
        List<SourceRecord> records = new ArrayList<>();

        poll(task, 100, records);

        assertThat(task.poll()).as("the broker waits for acknowledgements").isNull();
        assertThat(records).hasSize(100);
        task.stop();
    }

    /** When a client comes back with as much in flight as it allows, mosquitto 2.0.11 sends all that waits for the session. */
    @Test
    void aBrokerThatSendsMoreThanTheReceiveMaximumDoesNotEndTheSource() throws Exception {
        broker = Mosquitto.start(directory, FreePort.find());
        MqttSourceTask first = source("mqtt.receive.maximum", "100");
        assertThat(first.poll()).isNull();
        Mqtt5BlockingClient sender = other();
        for (int i = 0; i < 300; i++) {
            publish(sender, "in/a", Integer.toString(i));
        }
        sender.disconnect();
        poll(first, 100, new ArrayList<>());
        first.stop();
        MqttSourceTask second = source("mqtt.receive.maximum", "100");
        Set<String> arrived = new HashSet<>();

        while (arrived.size() < 300) {
            try {
                List<SourceRecord> some = second.poll();
                for (SourceRecord each : some == null ? List.<SourceRecord>of() : some) {
                    arrived.add(new String((byte[]) each.value(), StandardCharsets.UTF_8));
                    second.commitRecord(each, null);
                }
            } catch (RetriableException e) {
                // It connects again.
            }
        }

        second.stop();
    }

    @Test
    void whoMayNotConnectFailsAndSaysWhatToSet() {
        broker = Mosquitto.start(directory, false);
        MqttSinkTask sink = bench.start(new MqttSinkTask(), settings());
        assertThatThrownBy(() -> sink.put(List.of(record(1, "text"))))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("set mqtt.user and mqtt.password");

        assertThatThrownBy(() -> source().poll())
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("set mqtt.user and mqtt.password");
    }

    @Test
    void severalTasksShareWhatArrives() {
        MqttSourceConnector connector = new MqttSourceConnector();
        connector.start(Map.of("mqtt.client.id", "test"));

        assertThat(connector.taskConfigs(2))
                .extracting(each -> each.get("mqtt.task") + each.get("mqtt.task.shared"))
                .containsExactly("0true", "1true");
        assertThat(connector.taskConfigs(1))
                .extracting(each -> each.get("mqtt.task.shared"))
                .containsExactly("false");
    }
}
