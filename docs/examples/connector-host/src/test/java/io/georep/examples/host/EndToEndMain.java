package io.georep.examples.host;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.georep.connectors.FreePort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * From an MQTT publisher through mosquitto, a source, an outbox with one copy, a sink and RabbitMQ to a consumer: how long that
 * takes at a rate. Three nodes, both brokers, publisher and consumer share this machine.
 *
 * <p>Arguments: messages per second (500), seconds (15).
 */
final class EndToEndMain {
    private static final String OUTBOX = "chain";
    private static final int OPEN_MAX = 2_000;

    private EndToEndMain() {}

    private static Hosts hosts(int mqttPort, int rabbitPort) throws Exception {
        Map<String, String> all = new HashMap<>();
        all.putAll(Hosts.connector(
                "in",
                Map.of(
                        "connector.class", "io.georep.connectors.mqtt.MqttSourceConnector",
                        "mqtt.host", "127.0.0.1",
                        "mqtt.port", Integer.toString(mqttPort),
                        "mqtt.tls", "false",
                        "mqtt.topic.filter", MqttSide.TOPIC_IN,
                        "mqtt.client.id", "georep",
                        "topic", OUTBOX,
                        "value.converter", "io.georep.spring.connect.ByteArrayConverter",
                        "key.converter", "org.apache.kafka.connect.storage.StringConverter")));
        all.putAll(Hosts.connector(
                "out",
                Map.of(
                        "connector.class", "io.georep.connectors.rabbitmq.RabbitSinkConnector",
                        "topics", OUTBOX,
                        "rabbitmq.host", "127.0.0.1",
                        "rabbitmq.port", Integer.toString(rabbitPort),
                        "rabbitmq.tls", "false",
                        "rabbitmq.routing.key", RabbitSide.QUEUE_OUT,
                        "value.converter", "io.georep.spring.connect.ByteArrayConverter",
                        "key.converter", "org.apache.kafka.connect.storage.StringConverter")));
        all.put("georep.outboxes." + OUTBOX + ".f", "1");
        return new Hosts("chain", all);
    }

    public static void main(String[] arguments) throws Exception {
        int rate = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 500;
        int count = rate * (arguments.length > 1 ? Integer.parseInt(arguments[1]) : 15);
        int mqttPort = FreePort.find();
        int rabbitPort = FreePort.find();
        Path directory = Files.createTempDirectory("chain-");
        Ledger unused = new Ledger();
        try (MqttSide mqtt = new MqttSide(directory, mqttPort, unused);
                RabbitSide rabbit = new RabbitSide(directory, rabbitPort, unused)) {
            mqtt.start();
            rabbit.start();
            try (Hosts hosts = hosts(mqttPort, rabbitPort);
                    Connection connection = rabbit.connect();
                    Channel channel = connection.createChannel()) {
                hosts.awaitReady();
                hosts.runs("in");
                while (!mqtt.publish("0").get(10, TimeUnit.SECONDS)) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100)); // nobody has subscribed
                }
                measure(mqtt, channel, rate, count);
            }
        }
        System.exit(0);
    }

    private static void measure(MqttSide mqtt, Channel channel, int rate, int count) throws Exception {
        long[] nanos = new long[count];
        AtomicInteger arrived = new AtomicInteger();
        Semaphore open = new Semaphore(OPEN_MAX);
        channel.basicConsume(
                RabbitSide.QUEUE_OUT,
                true,
                (tag, message) -> {
                    long sent = Long.parseLong(new String(message.getBody(), StandardCharsets.UTF_8));
                    int index = sent == 0 ? count : arrived.getAndIncrement();
                    if (index < count) {
                        nanos[index] = System.nanoTime() - sent;
                        open.release();
                    }
                },
                tag -> {});
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long due = begin + TimeUnit.SECONDS.toNanos(i) / rate;
            LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
            open.acquire();
            var published = mqtt.publish(Long.toString(System.nanoTime()));
        }
        while (arrived.get() < count) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%,d messages at %,d per second: %,.0f per second arrived, p50 %.1f ms, p99 %.1f ms%n",
                count,
                rate,
                count / seconds,
                nanos[count / 2] / 1e6,
                nanos[count * 99 / 100] / 1e6);
    }
}
