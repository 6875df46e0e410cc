package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topic is carried to another one by three distributed workers, each a process and a site of its own. One is killed in the
 * middle, another one is stopped in order. What was in the first topic is in the second one, and repetitions are counted.
 */
@Tag("servers")
final class ConnectWorkersIT {
    private static final Duration LONG = Duration.ofSeconds(150);
    private static final int BEFORE = 2_000;
    private static final int DURING = 4_000;
    private static final int AFTER = 500;
    private static final int TRICKLE = 40;

    @TempDir
    Path directory;

    private final Map<String, Integer> arrived = new HashMap<>();
    private KafkaConsumer<String, String> consumer;
    private KafkaProducer<String, String> producer;

    @Test
    void nothingIsLostWhenWorkersAreKilledAndStopped() throws Exception {
        Path plugins = Files.createDirectories(directory.resolve("plugins"));
        PluginZip.unpack(Files.createDirectories(plugins.resolve("georep-kafka-connect")));
        List<ConnectWorker> workers = new ArrayList<>();
        try (KafkaClusterTestKit kafka = broker()) {
            try {
                String brokers = kafka.bootstrapServers();
                for (String name : List.of("w1", "w2", "w3")) {
                    workers.add(new ConnectWorker(name, directory, plugins, brokers));
                }
                connect(brokers);
                workers.forEach(ConnectWorker::awaitUp);
                carry(workers);
            } catch (Throwable e) {
                workers.forEach(each -> System.err.println(each.logged()));
                throw e;
            } finally {
                workers.forEach(ConnectWorker::close);
                if (consumer != null) {
                    consumer.close();
                    producer.close();
                }
            }
        }
    }

    private void carry(List<ConnectWorker> workers) throws Exception {
        ConnectWorker first = workers.get(0);
        String ports = "127.0.0.1:" + FreePort.findRange(9);
        int from = Integer.parseInt(ports.substring(ports.indexOf(':') + 1));
        ports += "-" + (from + 8);
        assertThat(first.request(
                        "PUT", "/connectors/wrong/config", config("GeoRepSinkConnector", ports, "\"georep.f\": \"0\"")))
                .as("a mistake is told")
                .startsWith("400")
                .contains("georep.f");
        assertThat(first.request(
                        "PUT", "/connectors/in/config", config("GeoRepSinkConnector", ports, "\"topics\": \"in\"")))
                .startsWith("201");
        assertThat(first.request(
                        "PUT",
                        "/connectors/out/config",
                        config(
                                "GeoRepSourceConnector",
                                ports,
                                "\"georep.queues\": \"in\", \"georep.topic\": \"out\", \"georep.id.header\": \"id\"")))
                .startsWith("201");

        send(0, BEFORE);
        awaitArrived(BEFORE);

        trickle(BEFORE, BEFORE + DURING / 2);
        workers.get(2).kill();
        trickle(BEFORE + DURING / 2, BEFORE + DURING);
        awaitArrived(BEFORE + DURING);
        int repeatedByTheKill = repeated();

        workers.get(1).stop();
        send(BEFORE + DURING, BEFORE + DURING + AFTER);
        awaitArrived(BEFORE + DURING + AFTER);

        System.out.println(arrived.size() + " records carried, " + repeatedByTheKill + " repeated after kill -9, "
                + (repeated() - repeatedByTheKill) + " after a stop in order");
        assertGoneForGood(first.logged(), "w2");
    }

    private static String config(String connector, String ports, String more) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("connector.class", "io.georep.connect." + connector);
        settings.put("tasks.max", "3");
        settings.put("key.converter", ConnectorChecks.BYTES);
        settings.put("value.converter", ConnectorChecks.BYTES);
        settings.put("header.converter", ConnectorChecks.BYTES);
        settings.put("georep.worker", "${env:WORKER}");
        settings.put("georep.data.dir", "${env:DATA}");
        settings.put("georep.listen", ports);
        settings.put("georep.seeds", ports);
        settings.put("georep.suspect.after.ms", "2000");
        settings.put("georep.terminate.after.ms", "3000");
        return settings.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\": \"" + each.getValue() + "\"")
                .collect(Collectors.joining(", ", "{", ", " + more + "}"));
    }

    /**
     * Its nodes said GOODBYE for good, so others did not wait for them: a node that is silent is suspected first. On a machine
     * that is busy for seconds one may be suspected before it can say so.
     */
    private static void assertGoneForGood(String log, String worker) {
        Pattern gone = Pattern.compile(
                "georep\\.peer=((?:sink|source)\\.[a-z]+-\\d\\." + worker + ") .*after=(\\w+) georep\\.before=(\\w+)");
        Set<String> leavers = new HashSet<>();
        gone.matcher(log)
                .results()
                .filter(each ->
                        each.group(2).equals("TERMINATED") && each.group(3).equals("ACTIVE"))
                .forEach(each -> leavers.add(each.group(1)));
        assertThat(leavers).as("given up without a suspicion").isNotEmpty();
    }

    private static KafkaClusterTestKit broker() throws Exception {
        KafkaClusterTestKit kafka = new KafkaClusterTestKit.Builder(new TestKitNodes.Builder()
                        .setCombined(true)
                        .setNumBrokerNodes(1)
                        .setNumControllerNodes(1)
                        .build())
                .setConfigProp("offsets.topic.replication.factor", "1")
                .setConfigProp("offsets.topic.num.partitions", "1")
                .setConfigProp("transaction.state.log.replication.factor", "1")
                .setConfigProp("group.initial.rebalance.delay.ms", "0")
                .build();
        kafka.format();
        kafka.startup();
        kafka.waitForReadyBrokers();
        return kafka;
    }

    private void connect(String brokers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
            admin.createTopics(List.of(new NewTopic("in", 3, (short) 1), new NewTopic("out", 3, (short) 1)))
                    .all()
                    .get();
        }
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers), new StringSerializer(), new StringSerializer());
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", brokers, "group.id", "judge", "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.subscribe(List.of("out"));
    }

    private void send(int from, int to) {
        for (int i = from; i < to; i++) {
            producer.send(new ProducerRecord<>("in", "key " + i, "value " + i));
        }
        producer.flush();
    }

    /** Sends for some seconds, so that workers have records in all stages. */
    private void trickle(int from, int to) {
        for (int i = from; i < to; i += TRICKLE) {
            send(i, Math.min(to, i + TRICKLE));
            receive();
        }
    }

    private void receive() {
        consumer.poll(Duration.ofMillis(100))
                .forEach(each -> arrived.merge(each.key() + " " + each.value(), 1, Integer::sum));
    }

    private void awaitArrived(int count) {
        await().atMost(LONG).until(() -> {
            receive();
            return arrived.size() >= count;
        });
        assertThat(arrived).hasSize(count);
    }

    private int repeated() {
        return arrived.values().stream().mapToInt(count -> count - 1).sum();
    }
}
