package io.georep.connectors.mqtt;

import static java.util.Objects.requireNonNull;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.georep.connectors.TemporaryFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives messages, and acknowledges each once its record is committed. The broker keeps the session, and so what is not
 * acknowledged; there is nothing else to remember, and the offsets of the records only number them.
 */
public final class MqttSourceTask extends SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(MqttSourceTask.class);
    static final String TASK = "mqtt.task";
    static final String SHARED = "mqtt.task.shared";
    private static final String FILTER = "mqtt.topic.filter";
    private static final String CLIENT = "mqtt.client.id";
    private static final String TOPIC = "topic";
    private static final String QOS = "mqtt.qos";
    private static final String OPEN_MAX = "mqtt.receive.maximum";
    private static final String EXPIRY = "mqtt.session.expiry.s";
    private static final int OPEN_MAX_ALL = 65_535;
    private static final long POLL_MILLIS = 500;
    private static final String NUMBER = "number";

    static final ConfigDef CONFIG = MqttBroker.with(new ConfigDef()
            .define(
                    FILTER,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Topics to subscribe to, with + and # as in MQTT.")
            .define(
                    TOPIC,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Topic of the records; in GeoRep, the outbox.")
            .define(
                    CLIENT,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Name of the session at the broker, to be used by no other client. Each task appends its number.")
            .define(
                    QOS,
                    ConfigDef.Type.INT,
                    1,
                    Range.between(1, 2),
                    Importance.MEDIUM,
                    "Quality of service. With 0 the broker would not keep what arrives while nobody is connected.")
            .define(
                    OPEN_MAX,
                    ConfigDef.Type.INT,
                    1_000,
                    Range.between(100, 65_535),
                    Importance.MEDIUM,
                    "Messages that the broker sends before one of them is acknowledged: those that wait in memory. Keep it"
                            + " above the broker's own limit (mosquitto: max_inflight_messages, 20 by default).")
            .define(
                    EXPIRY,
                    ConfigDef.Type.LONG,
                    604_800L,
                    Range.between(1, 0xffff_ffffL),
                    Importance.MEDIUM,
                    "Seconds for which the broker keeps the session, and the messages for it, while nobody is connected.")
            .defineInternal(TASK, ConfigDef.Type.INT, 0, Importance.LOW)
            .defineInternal(SHARED, ConfigDef.Type.BOOLEAN, false, Importance.LOW));

    /** What came over the present connection; each connection has a queue of its own. Bounded by the receive maximum. */
    private BlockingQueue<Mqtt5Publish> arrived = new LinkedBlockingQueue<>();

    private final Map<Long, Mqtt5Publish> open = new ConcurrentHashMap<>();
    private @Nullable AbstractConfig settings;
    private volatile @Nullable Mqtt5AsyncClient client;
    private long number;
    /** The receive maximum. Raised to the highest value once the broker has sent more than was asked for. */
    private volatile int openMax;
    /** Fails when the present connection ends. */
    private CompletableFuture<Void> end = new CompletableFuture<>();

    /** Called by Kafka Connect. */
    public MqttSourceTask() {}

    @Override
    public void start(Map<String, String> properties) {
        AbstractConfig parsed = new AbstractConfig(CONFIG, properties, false);
        settings = parsed;
        openMax = parsed.getInt(OPEN_MAX);
    }

    @Override
    public @Nullable List<SourceRecord> poll() throws InterruptedException {
        connect();
        Mqtt5Publish first = arrived.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (first == null) {
            return null;
        }
        List<Mqtt5Publish> messages = new ArrayList<>(List.of(first));
        arrived.drainTo(messages);
        return messages.stream().map(this::record).toList();
    }

    private SourceRecord record(Mqtt5Publish message) {
        AbstractConfig set = set();
        long mine = number++;
        open.put(mine, message);
        String from = message.getTopic().toString();
        ConnectHeaders headers = new ConnectHeaders();
        headers.addString("mqtt.topic", from);
        message.getContentType().ifPresent(each -> headers.addString("content-type", each.toString()));
        message.getUserProperties()
                .asList()
                .forEach(each -> headers.addString(
                        each.getName().toString(), each.getValue().toString()));
        return new SourceRecord(
                Map.of(CLIENT, name()),
                Map.of(NUMBER, mine),
                set.getString(TOPIC),
                null,
                Schema.STRING_SCHEMA,
                from,
                Schema.BYTES_SCHEMA,
                message.getPayloadAsBytes(),
                System.currentTimeMillis(),
                headers);
    }

    @Override
    public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
        Object mine = record.sourceOffset().get(NUMBER);
        Mqtt5Publish message = mine instanceof Long key ? open.remove(key) : null;
        if (message != null) {
            message.acknowledge();
        }
    }

    private void connect() throws InterruptedException {
        Mqtt5AsyncClient known = client;
        if (known != null && known.getState().isConnectedOrReconnect()) {
            return;
        }
        // The broker sends again what was not acknowledged on the connection that is gone.
        open.clear();
        BlockingQueue<Mqtt5Publish> queue = new LinkedBlockingQueue<>();
        arrived = queue;
        AbstractConfig set = set();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        end = ended;
        Mqtt5AsyncClient next = MqttBroker.client(set, name(), context -> {
            tooMuch(context.getCause());
            ended.completeExceptionally(context.getCause());
        });
        client = next;
        next.publishes(MqttGlobalPublishFilter.ALL, queue::add, true);
        try {
            await(next.connectWith()
                    .cleanStart(false)
                    .sessionExpiryInterval(set.getLong(EXPIRY))
                    .restrictions()
                    .receiveMaximum(openMax)
                    .applyRestrictions()
                    .send());
            await(next.subscribeWith()
                    .topicFilter(filter())
                    .qos(requireNonNull(MqttQos.fromCode(set.getInt(QOS))))
                    .send());
        } catch (ExecutionException e) {
            stop();
            TemporaryFailure failure = MqttSinkTask.connection(e);
            throw new RetriableException(failure.getMessage(), failure);
        } catch (TimeoutException e) {
            stop();
            throw new RetriableException("the broker did not answer", e);
        }
    }

    /**
     * The client ends a connection if the broker sends more than the receive maximum. The broker would send too much on the
     * next one as well, and nothing would ever arrive; so the limit goes.
     */
    private void tooMuch(Throwable cause) {
        if (cause instanceof Mqtt5DisconnectException ended
                && ended.getMqttMessage().getReasonCode() == Mqtt5DisconnectReasonCode.RECEIVE_MAXIMUM_EXCEEDED
                && openMax < OPEN_MAX_ALL) {
            LOG.warn("the broker sends more than mqtt.receive.maximum={}: from now on there is no limit", openMax);
            openMax = OPEN_MAX_ALL;
        }
    }

    /** Waits for the end of the connection, too: the client does not complete every answer then. */
    private <T> void await(CompletableFuture<T> answer)
            throws ExecutionException, TimeoutException, InterruptedException {
        Object unused = CompletableFuture.anyOf(answer, end).get(MqttBroker.waitMillis(set()), TimeUnit.MILLISECONDS);
    }

    private AbstractConfig set() {
        return requireNonNull(settings, "not started");
    }

    private String name() {
        return set().getString(CLIENT) + "-" + set().getInt(TASK);
    }

    /** Several tasks share what arrives. */
    private String filter() {
        return set().getBoolean(SHARED)
                ? "$share/" + set().getString(CLIENT) + "/" + set().getString(FILTER)
                : set().getString(FILTER);
    }

    @Override
    public void stop() {
        Mqtt5AsyncClient last = client;
        client = null;
        if (last != null) {
            // Nothing depends on the outcome: the broker keeps the session.
            CompletableFuture<Void> unused = last.disconnect();
        }
    }

    @Override
    public String version() {
        return new MqttSinkConnector().version();
    }
}
