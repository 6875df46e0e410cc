package io.georep.examples.host;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import io.georep.connectors.mqtt.Mosquitto;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Mosquitto, with a subscriber whose session it keeps, and a publisher. */
final class MqttSide implements OtherSide {
    static final String TOPIC_OUT = "out/all";
    static final String TOPIC_IN = "in/all";
    private static final long QUIET_MILLIS = 300;

    private final Path directory;
    private final int port;
    private final Ledger ledger;
    private Mosquitto broker;
    private Mqtt5AsyncClient publisher;

    MqttSide(Path directory, int port, Ledger ledger) {
        this.directory = directory;
        this.port = port;
        this.ledger = ledger;
    }

    @Override
    public void start() {
        if (broker == null) {
            broker = Mosquitto.start(directory, port);
            Mqtt5BlockingClient subscriber = subscriber();
            subscriber
                    .subscribeWith()
                    .topicFilter(TOPIC_OUT)
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .send();
            subscriber.disconnect();
        } else {
            broker.start();
        }
    }

    private Mqtt5BlockingClient subscriber() {
        Mqtt5BlockingClient client = builder("subscriber").toBlocking();
        client.connectWith().cleanStart(false).sessionExpiryInterval(3_600).send();
        return client;
    }

    private Mqtt5AsyncClient builder(String name) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(name)
                .serverHost("127.0.0.1")
                .serverPort(port)
                .buildAsync();
    }

    @Override
    public void stop() {
        if (broker != null) {
            broker.stop();
        }
    }

    @Override
    public void collect() throws InterruptedException {
        Mqtt5BlockingClient client = builder("subscriber").toBlocking();
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.connectWith().cleanStart(false).sessionExpiryInterval(3_600).send();
            for (var each = publishes.receive(QUIET_MILLIS, TimeUnit.MILLISECONDS);
                    each.isPresent();
                    each = publishes.receive(QUIET_MILLIS, TimeUnit.MILLISECONDS)) {
                Mqtt5Publish message = each.get();
                ledger.arrived(
                        new String(message.getPayloadAsBytes(), StandardCharsets.UTF_8),
                        message.getUserProperties().asList().get(0).getValue().toString());
            }
            client.disconnect();
        }
    }

    /** Publishes; true when the broker has the message for somebody. */
    synchronized CompletableFuture<Boolean> publish(String payload) {
        if (publisher == null || !publisher.getState().isConnected()) {
            publisher = builder("publisher");
            publisher.toBlocking().connect();
        }
        return publisher
                .publishWith()
                .topic(TOPIC_IN)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .send()
                .thenApply(result -> {
                    if (result.getError().isPresent()) {
                        throw new IllegalStateException(result.getError().get());
                    }
                    return ((Mqtt5PublishResult.Mqtt5Qos1Result) result)
                                    .getPubAck()
                                    .getReasonCode()
                            == Mqtt5PubAckReasonCode.SUCCESS;
                });
    }
}
