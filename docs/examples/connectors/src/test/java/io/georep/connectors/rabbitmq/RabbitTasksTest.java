package io.georep.connectors.rabbitmq;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.georep.connectors.TaskBench;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both directions, against a broker that stops and starts. */
@Tag("servers")
@Timeout(120)
final class RabbitTasksTest {
    @TempDir
    private static Path directory;

    private static RabbitMq broker;

    private final TaskBench bench = new TaskBench(true);
    private String queue;

    @BeforeAll
    static void start() {
        broker = RabbitMq.start(directory);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void declare(TestInfo test) throws Exception {
        queue = test.getTestMethod().orElseThrow().getName();
        with(channel -> channel.queueDeclare(queue, true, false, false, Map.of()));
    }

    private interface Use<T> {
        T with(Channel channel) throws Exception;
    }

    private static <T> T with(Use<T> use) throws Exception {
        try (Connection connection = broker.connections().newConnection()) {
            return use.with(connection.createChannel());
        }
    }

    private static Map<String, String> settings(String... more) {
        Map<String, String> all = new HashMap<>(Map.of(
                "rabbitmq.host", "127.0.0.1",
                "rabbitmq.port", Integer.toString(broker.port()),
                "rabbitmq.tls", "false",
                "retry.backoff.ms", "1"));
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private RabbitSinkTask sink(String... more) {
        Map<String, String> all = settings(more);
        all.putIfAbsent("rabbitmq.routing.key", queue);
        return bench.start(new RabbitSinkTask(), all);
    }

    private RabbitSourceTask source(String... more) {
        Map<String, String> all = settings(more);
        all.putIfAbsent("rabbitmq.queue", queue);
        all.put("topic", "alarms");
        RabbitSourceTask task = new RabbitSourceTask();
        task.start(all);
        return task;
    }

    private List<GetResponse> received() throws Exception {
        return with(channel -> {
            List<GetResponse> all = new ArrayList<>();
            for (GetResponse each = channel.basicGet(queue, true); each != null; each = channel.basicGet(queue, true)) {
                all.add(each);
            }
            return all;
        });
    }

    private static String text(GetResponse message) {
        return new String(message.getBody(), StandardCharsets.UTF_8);
    }

    private void publish(String... texts) throws Exception {
        with(channel -> {
            channel.confirmSelect();
            for (String each : texts) {
                channel.basicPublish(
                        "", queue, MessageProperties.PERSISTENT_BASIC, each.getBytes(StandardCharsets.UTF_8));
            }
            channel.waitForConfirmsOrDie(10_000);
            return null;
        });
    }

    private static List<String> poll(RabbitSourceTask task, int count, List<SourceRecord> records) throws Exception {
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
        RabbitSinkTask task = sink("rabbitmq.headers", "tenant,absent");

        task.put(List.of(
                record(1, "caf\u00e9", Map.of("tenant", "blue", "other", "x", "content-type", "text/plain")),
                record(2, new byte[] {1, 2}, Map.of("georep.id", "ams-1/7"))));
        task.stop();

        List<GetResponse> messages = received();
        assertThat(messages).hasSize(2);
        AMQP.BasicProperties first = messages.get(0).getProps();
        assertThat(text(messages.get(0))).isEqualTo("caf\u00e9");
        assertThat(first.getMessageId()).isEqualTo("mails-0-1");
        assertThat(first.getDeliveryMode()).as("persistent").isEqualTo(2);
        assertThat(first.getContentType()).isEqualTo("text/plain");
        assertThat(first.getHeaders()).containsOnlyKeys("tenant");
        assertThat(first.getTimestamp().getTime()).isEqualTo(1_700_000_000_000L);
        assertThat(messages.get(1).getBody()).containsExactly(1, 2);
        assertThat(messages.get(1).getProps().getMessageId()).isEqualTo("ams-1/7");
    }

    @Test
    void whatNoQueueTakesIsGivenUpAndTheRestIsSent() throws Exception {
        RabbitSinkTask task = sink();

        task.put(List.of(
                record(1, "first"),
                record(2, "nowhere", Map.of("rabbitmq.routing.key", "no such queue")),
                record(3, "third")));
        task.stop();

        assertThat(received()).extracting(RabbitTasksTest::text).containsExactly("first", "third");
        assertThat(bench.refused)
                .containsExactly("2: the broker has no queue for the message: bind one to rabbitmq.exchange for its"
                        + " routing key");
    }

    /** Such a record breaks the channel, or leaves a number on it that is never confirmed. */
    @Test
    void whatCannotBeAMessageIsFoundAndTheRestIsSent() throws Exception {
        RabbitSinkTask task = sink("rabbitmq.timeout.ms", "3000");

        putUntilTaken(
                task,
                List.of(
                        record(1, "first"),
                        record(2, "text", Map.of("rabbitmq.routing.key", "x".repeat(300))),
                        record(3, "third")));
        task.put(List.of(record(4, "fourth")));
        task.stop();

        assertThat(bench.refused).hasSize(1).first().asString().startsWith("2: the record cannot be a message");
        assertThat(received()).extracting(RabbitTasksTest::text).contains("first", "third", "fourth");
    }

    @Test
    void aFullQueueIsNoReasonToGiveUp() throws Exception {
        String full = queue + "-full";
        with(channel -> channel.queueDeclare(
                full, true, false, false, Map.of("x-max-length", 1, "x-overflow", "reject-publish")));
        RabbitSinkTask task = sink("rabbitmq.routing.key", full);
        task.put(List.of(record(1, "first")));

        assertThatThrownBy(() -> task.put(List.of(record(2, "second"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("the broker did not take a message");
        with(channel -> channel.queuePurge(full));
        putUntilTaken(task, List.of(record(2, "second")));

        assertThat(bench.refused).isEmpty();
        task.stop();
    }

    @Test
    void sinkTriesAgainUntilTheBrokerIsBack() throws Exception {
        RabbitSinkTask task = sink();
        task.put(List.of(record(1, "first")));
        broker.stop();
        assertThatThrownBy(() -> task.put(List.of(record(2, "second")))).isInstanceOf(RetriableException.class);
        broker.start();

        putUntilTaken(task, List.of(record(2, "second")));
        task.stop();

        assertThat(received()).extracting(RabbitTasksTest::text).containsExactly("first", "second");
        assertThat(bench.refused).isEmpty();
    }

    @Test
    void theBrokerKeepsWhatTheSourceHasNotCommitted() throws Exception {
        publish("1", "2", "3");
        RabbitSourceTask first = source();
        List<SourceRecord> taken = new ArrayList<>();
        assertThat(poll(first, 3, taken)).containsExactly("1", "2", "3");
        assertThat(taken.get(0).topic()).isEqualTo("alarms");
        assertThat(taken.get(0).key()).isEqualTo(queue);
        first.commitRecord(taken.get(0), null);
        first.commitRecord(taken.get(2), null);
        first.stop();
        RabbitSourceTask second = source();
        List<SourceRecord> again = new ArrayList<>();

        assertThat(poll(second, 2, again))
                .as("from the first that is not committed")
                .containsExactly("2", "3");

        again.forEach(each -> second.commitRecord(each, null));
        second.stop();
        assertThat(received()).isEmpty();
    }

    /** Their numbers begin anew with each connection: what was polled before must acknowledge nothing of what came since. */
    @Test
    void whatIsCommittedAfterTheConnectionBrokeComesAgain() throws Exception {
        publish("1", "2");
        RabbitSourceTask task = source();
        List<SourceRecord> before = new ArrayList<>();
        poll(task, 2, before);
        broker.stop();
        broker.start();
        List<SourceRecord> since = new ArrayList<>();
        assertThat(poll(task, 2, since)).containsExactly("1", "2");

        before.forEach(each -> task.commitRecord(each, null));
        task.stop();

        assertThat(received()).extracting(RabbitTasksTest::text).containsExactly("1", "2");
    }

    @Test
    void noMoreThanThePrefetchWaitsInMemory() throws Exception {
        publish("1", "2", "3", "4", "5");
        RabbitSourceTask task = source("rabbitmq.prefetch", "3");
        List<SourceRecord> records = new ArrayList<>();
        poll(task, 3, records);

        assertThat(task.poll()).as("the broker waits for acknowledgements").isNull();
        records.forEach(each -> task.commitRecord(each, null));

        assertThat(poll(task, 5, records)).containsExactly("1", "2", "3", "4", "5");
        task.stop();
    }

    @Test
    void mistakesSayWhatToSet() {
        assertThatThrownBy(() -> sink("rabbitmq.exchange", "none").put(List.of(record(1, "text"))))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("no such exchange or queue");
        assertThatThrownBy(() -> source("rabbitmq.queue", "none").poll())
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("no such exchange or queue");
        assertThatThrownBy(() -> sink("rabbitmq.password", "wrong").put(List.of(record(1, "text"))))
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("set rabbitmq.user and rabbitmq.password");
        assertThatThrownBy(() -> source("rabbitmq.virtual.host", "none").poll())
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("set rabbitmq.virtual.host");
    }
}
