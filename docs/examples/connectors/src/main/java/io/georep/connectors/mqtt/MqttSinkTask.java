package io.georep.connectors.mqtt;

import static java.util.Objects.requireNonNull;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.MqttEncodeException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubRecException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.pubrec.Mqtt5PubRecReasonCode;
import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import io.georep.connectors.TemporaryFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Publishes the records of a batch without waiting, then waits until the broker has them all. */
public final class MqttSinkTask extends SendingTask {
    private static final String TOPIC = "mqtt.topic";
    private static final String QOS = "mqtt.qos";
    private static final String RETAIN = "mqtt.retain";

    static final ConfigDef CONFIG = SendingTask.withPauses(SentRecord.withId(MqttBroker.with(new ConfigDef()
            .define(
                    TOPIC,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Topic of a record without a header mqtt.topic. Empty: the record's own topic.")
            .define(
                    QOS,
                    ConfigDef.Type.INT,
                    1,
                    ConfigDef.Range.between(1, 2),
                    Importance.MEDIUM,
                    "Quality of service. 0 is not possible: the broker would not say what it has.")
            .define(
                    RETAIN,
                    ConfigDef.Type.BOOLEAN,
                    false,
                    Importance.LOW,
                    "Whether the broker keeps the last message of a topic for those who subscribe later."))));

    private record Published(SinkRecord record, CompletableFuture<Mqtt5PublishResult> answer) {}

    private final List<Published> open = new ArrayList<>();
    private @Nullable AbstractConfig settings;
    private @Nullable Mqtt5AsyncClient client;

    @Override
    protected AbstractConfig begin(Map<String, String> properties) {
        AbstractConfig parsed = new AbstractConfig(CONFIG, properties, false);
        settings = parsed;
        return parsed;
    }

    @Override
    protected boolean confirmsEach() {
        return false;
    }

    @Override
    protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
        Mqtt5Publish message = message(record);
        open.add(new Published(record, connected().publish(message)));
    }

    private Mqtt5Publish message(SinkRecord record) throws RecordRefused {
        AbstractConfig set = requireNonNull(settings, "not started");
        String own = SentRecord.header(record, "mqtt.topic");
        String topic = own != null ? own : set.getString(TOPIC).isEmpty() ? record.topic() : set.getString(TOPIC);
        try {
            return Mqtt5Publish.builder()
                    .topic(topic)
                    .qos(requireNonNull(MqttQos.fromCode(set.getInt(QOS))))
                    .retain(set.getBoolean(RETAIN))
                    .payload(SentRecord.bytes(record))
                    .userProperties()
                    .add("georep-id", SentRecord.id(record, SentRecord.idHeader(set)))
                    .applyUserProperties()
                    .build();
        } catch (IllegalArgumentException e) {
            // The exception's own text shows the topic.
            throw new RecordRefused("the record's topic or id cannot be one of an MQTT message", null);
        }
    }

    private Mqtt5AsyncClient connected() throws TemporaryFailure {
        Mqtt5AsyncClient known = client;
        if (known != null && known.getState().isConnected()) {
            return known;
        }
        AbstractConfig set = requireNonNull(settings, "not started");
        Mqtt5AsyncClient next = MqttBroker.client(set, null, context -> {});
        client = next;
        try {
            await(next.connect());
            return next;
        } catch (ExecutionException e) {
            throw MqttSinkTask.connection(e);
        }
    }

    static TemporaryFailure connection(ExecutionException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof Mqtt5ConnAckException refused) {
            Mqtt5ConnAckReasonCode code = refused.getMqttMessage().getReasonCode();
            if (code == Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD
                    || code == Mqtt5ConnAckReasonCode.NOT_AUTHORIZED) {
                throw new ConnectException(
                        "the broker refuses user or password: set mqtt.user and mqtt.password", refused);
            }
        }
        return new TemporaryFailure("the broker cannot be reached: " + cause, cause);
    }

    @Override
    protected void confirm() throws TemporaryFailure {
        for (Published each : open) {
            try {
                await(each.answer);
            } catch (ExecutionException e) {
                if (!isRefused(e.getCause())) {
                    throw new TemporaryFailure("the broker did not take a message: " + name(e.getCause()), null);
                }
                giveUp(each.record, new RecordRefused("the broker refuses the message: " + name(e.getCause()), null));
            }
        }
        open.clear();
    }

    /**
     * Returns whether the same message will be refused again. One that is larger than the broker takes is not even
     * sent.
     */
    private static boolean isRefused(@Nullable Throwable failure) {
        String code = name(failure);
        return code.equals("PACKET_TOO_LARGE")
                || code.equals("TOPIC_NAME_INVALID")
                || code.equals("PAYLOAD_FORMAT_INVALID")
                || code.equals("NOT_AUTHORIZED");
    }

    private static String name(@Nullable Throwable failure) {
        if (failure instanceof Mqtt5PubAckException refused) {
            Mqtt5PubAckReasonCode code = refused.getMqttMessage().getReasonCode();
            return code.name();
        }
        if (failure instanceof Mqtt5PubRecException refused) {
            Mqtt5PubRecReasonCode code = refused.getMqttMessage().getReasonCode();
            return code.name();
        }
        if (failure instanceof MqttEncodeException) {
            return "PACKET_TOO_LARGE";
        }
        return failure == null ? "no reason" : failure.getClass().getSimpleName();
    }

    private <T> T await(CompletableFuture<T> answer) throws ExecutionException, TemporaryFailure {
        long millis = MqttBroker.waitMillis(requireNonNull(settings, "not started"));
        try {
            return answer.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new TemporaryFailure("the broker did not answer in " + millis + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while waiting for the broker", e);
        }
    }

    @Override
    protected void disconnect() {
        open.clear();
        Mqtt5AsyncClient last = client;
        client = null;
        if (last != null) {
            // Nothing depends on the outcome.
            CompletableFuture<Void> unused = last.disconnect();
        }
    }
}
