package io.georep.connectors.kafka;

import static java.util.Objects.requireNonNull;

import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import io.georep.connectors.TemporaryFailure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.data.Values;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/**
 * Hands the records of a batch to Kafka's producer, then waits until the brokers have them all. So between two batches nothing is
 * on its way, and a failure concerns records that the host still has at hand.
 */
public final class KafkaSinkTask extends SendingTask {
    private static final String PREFIX = "kafka.producer.";
    private static final String TOPIC = "kafka.topic";
    private static final String ID = "georep-id";
    private static final Set<String> OURS = Set.of("acks", "enable.idempotence", "key.serializer", "value.serializer");

    static final ConfigDef CONFIG = KafkaClients.with(
            SendingTask.withPauses(SentRecord.withId(new ConfigDef()
                    .define(
                            TOPIC,
                            ConfigDef.Type.STRING,
                            "",
                            Importance.HIGH,
                            "Topic of a record without a header kafka.topic. Empty: the record's own topic."))),
            PREFIX,
            ProducerConfig.configDef(),
            OURS);

    private record Sent(SinkRecord record, Future<RecordMetadata> answer) {}

    private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;
    private final List<Sent> open = new ArrayList<>();
    private @Nullable AbstractConfig settings;
    private @Nullable Producer<byte[], byte[]> producer;

    /** Called by Kafka Connect. */
    public KafkaSinkTask() {
        this(properties -> new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    KafkaSinkTask(Function<Map<String, Object>, Producer<byte[], byte[]>> producers) {
        this.producers = producers;
    }

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
        ProducerRecord<byte[], byte[]> message = message(record);
        Producer<byte[], byte[]> to = connected();
        Sent sent;
        try {
            sent = new Sent(record, to.send(message));
        } catch (InterruptException e) {
            throw interrupted(e);
        } catch (KafkaException e) {
            // This exception only says that an earlier send failed; its cause says why.
            throw sort(e.getCause() == null ? e : e.getCause());
        }
        if (sent.answer().isDone()) {
            // Already failed: the producer waited in vain for the brokers. Stop here, or it would wait as long for each
            // record.
            settle(sent);
        } else {
            open.add(sent);
        }
    }

    private ProducerRecord<byte[], byte[]> message(SinkRecord record) throws RecordRefused {
        AbstractConfig set = requireNonNull(settings, "not started");
        String own = SentRecord.header(record, TOPIC);
        String topic = own != null ? own : set.getString(TOPIC).isEmpty() ? record.topic() : set.getString(TOPIC);
        Long time = record.timestamp();
        return new ProducerRecord<>(
                topic,
                null,
                time == null || time < 0 ? null : time,
                bytes("key", record.key()),
                bytes("value", record.value()),
                headers(record, SentRecord.idHeader(set)));
    }

    private static byte @Nullable [] bytes(String what, @Nullable Object value) throws RecordRefused {
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        throw new RecordRefused(
                "the record's " + what + " is neither bytes nor text but a "
                        + value.getClass().getSimpleName() + ": set " + what
                        + ".converter to a converter for bytes or text",
                null);
    }

    /** All headers of the record except the one with its id, which has a name of its own. */
    private static RecordHeaders headers(SinkRecord record, String idHeader) {
        RecordHeaders headers = new RecordHeaders();
        for (Header header : record.headers()) {
            if (!header.key().equals(idHeader)
                    && !header.key().equals(ID)
                    && !header.key().equals(TOPIC)) {
                Object value = header.value();
                headers.add(
                        header.key(),
                        value == null
                                ? null
                                : value instanceof byte[] bytes
                                        ? bytes
                                        : Values.convertToString(header.schema(), value)
                                                .getBytes(StandardCharsets.UTF_8));
            }
        }
        headers.add(ID, SentRecord.id(record, idHeader).getBytes(StandardCharsets.UTF_8));
        return headers;
    }

    private Producer<byte[], byte[]> connected() throws TemporaryFailure {
        Producer<byte[], byte[]> known = producer;
        if (known != null) {
            return known;
        }
        AbstractConfig set = requireNonNull(settings, "not started");
        int timeout = KafkaClients.timeoutMillis(set);
        try {
            Producer<byte[], byte[]> next = producers.apply(KafkaClients.properties(
                    set,
                    PREFIX,
                    // No linger: the task waits only after it has handed over the whole batch, so no more records will
                    // come.
                    Map.of(
                            "linger.ms", 0,
                            "max.block.ms", timeout,
                            "request.timeout.ms", timeout,
                            "delivery.timeout.ms", timeout),
                    Map.of("acks", "all", "enable.idempotence", true)));
            producer = next;
            return next;
        } catch (KafkaException e) {
            if (KafkaClients.isWithoutNames(e)) {
                throw new TemporaryFailure("no broker's name can be looked up", e);
            }
            throw KafkaClients.notMade(e);
        }
    }

    @Override
    protected void confirm() throws TemporaryFailure {
        Producer<byte[], byte[]> from = producer;
        if (from == null) {
            return;
        }
        try {
            from.flush();
        } catch (InterruptException e) {
            throw interrupted(e);
        }
        TemporaryFailure first = null;
        List<Sent> answered = List.copyOf(open);
        open.clear();
        for (Sent sent : answered) {
            try {
                settle(sent);
            } catch (RecordRefused e) {
                giveUp(sent.record(), e);
            } catch (TemporaryFailure e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Waits for the outcome of a record. */
    private void settle(Sent sent) throws TemporaryFailure, RecordRefused {
        try {
            sent.answer().get();
            arrived(sent.record());
        } catch (ExecutionException e) {
            throw sort(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    /** Returns a failure that may pass; throws any other one. */
    private static TemporaryFailure sort(@Nullable Throwable failure) throws RecordRefused {
        if (failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException
                || failure instanceof InvalidTopicException
                || failure instanceof TopicAuthorizationException) {
            throw new RecordRefused("Kafka refuses the record: " + text(failure), failure);
        }
        if (failure instanceof AuthenticationException
                || failure instanceof ClusterAuthorizationException
                || failure instanceof UnsupportedVersionException) {
            throw new ConnectException(
                    "the brokers refuse this client (" + text(failure) + "): look at " + PREFIX
                            + "security.protocol and sasl.*, and at the user's rights",
                    failure);
        }
        return new TemporaryFailure("the brokers did not take a record: " + text(failure), failure);
    }

    private static String text(@Nullable Throwable failure) {
        return failure == null ? "no reason" : failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    private static ConnectException interrupted(Exception e) {
        return new ConnectException("interrupted while waiting for the brokers", e);
    }

    @Override
    protected void disconnect() {
        Producer<byte[], byte[]> last = producer;
        producer = null;
        if (last != null) {
            last.close(Duration.ZERO);
        }
        for (Sent sent : open) {
            noteIfArrived(sent);
        }
        open.clear();
    }

    /** Notes a record that arrived although another one failed: it need not be sent again. */
    private void noteIfArrived(Sent sent) {
        if (sent.answer().isDone() && !sent.answer().isCancelled()) {
            try {
                sent.answer().get();
                arrived(sent.record());
            } catch (ExecutionException e) {
                // It is sent again.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
