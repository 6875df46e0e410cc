package io.georep.connectors.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.ShutdownSignalException;
import io.georep.connectors.TemporaryFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
 * Receives messages, and acknowledges them once their records are committed. The broker keeps what is not acknowledged; there is
 * nothing else to remember, and the offsets of the records only number them.
 */
public final class RabbitSourceTask extends SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(RabbitSourceTask.class);
    private static final String QUEUE = "rabbitmq.queue";
    private static final String TOPIC = "topic";
    private static final String PREFETCH = "rabbitmq.prefetch";
    private static final String CONNECTION = "connection";
    private static final String NUMBER = "number";
    private static final long POLL_MILLIS = 500;
    /**
     * Messages are acknowledged when a quarter of the prefetch is committed, so that the broker need not wait for the next
     * poll.
     */
    private static final int ACKNOWLEDGED_PART = 4;

    static final ConfigDef CONFIG = RabbitBroker.with(new ConfigDef()
            .define(
                    QUEUE,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Queue to take messages from. It must exist; declare it durable, so that it outlives the broker's restart.")
            .define(
                    TOPIC,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Topic of the records; in GeoRep, the outbox.")
            .define(
                    PREFETCH,
                    ConfigDef.Type.INT,
                    1_000,
                    Range.between(1, 65_535),
                    Importance.MEDIUM,
                    "Messages that the broker sends before one of them is acknowledged: those that wait in memory."));

    /** One connection, and what came over it. Numbers of messages mean something on this connection only. */
    private static final class Link {
        final long number;
        final Connection connection;
        final Channel channel;
        /** Bounded by the prefetch. */
        final BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
        /** Polled and not committed. */
        private final TreeSet<Long> open = new TreeSet<>();

        private final int enough;

        private long polled;
        private long acknowledged;
        private int committed;

        volatile boolean cancelled;

        Link(long number, Connection connection, Channel channel, int prefetch) {
            this.number = number;
            this.connection = connection;
            this.channel = channel;
            this.enough = Math.max(1, prefetch / ACKNOWLEDGED_PART);
        }

        boolean isOpen() {
            return channel.isOpen() && !cancelled;
        }

        synchronized void polled(long tag) {
            open.add(tag);
            polled = tag;
        }

        synchronized void committed(long tag) {
            if (open.remove(tag)) {
                committed++;
            }
            if (committed >= enough) {
                acknowledge();
            }
        }

        /** Acknowledges, with one call, all messages before the first that is not committed. */
        synchronized void acknowledge() {
            committed = 0;
            long last = open.isEmpty() ? polled : open.first() - 1;
            if (last <= acknowledged) {
                return;
            }
            acknowledged = last;
            try {
                channel.basicAck(last, true);
            } catch (IOException | ShutdownSignalException e) {
                // The broker sends them again, over the next connection.
                LOG.debug("the broker did not get an acknowledgement", e);
            }
        }
    }

    private @Nullable AbstractConfig settings;
    private volatile @Nullable Link link;
    private long connections;

    /** Called by Kafka Connect. */
    public RabbitSourceTask() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = new AbstractConfig(CONFIG, properties, false);
    }

    @Override
    public @Nullable List<SourceRecord> poll() throws InterruptedException {
        Link from = connected();
        from.acknowledge();
        Delivery first = from.arrived.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (first == null) {
            return null;
        }
        List<Delivery> messages = new ArrayList<>(List.of(first));
        from.arrived.drainTo(messages);
        return messages.stream().map(each -> record(from, each)).toList();
    }

    @SuppressWarnings("JavaUtilDate") // the client gives one
    private SourceRecord record(Link from, Delivery message) {
        long tag = message.getEnvelope().getDeliveryTag();
        from.polled(tag);
        return new SourceRecord(
                Map.of(QUEUE, set().getString(QUEUE)),
                Map.of(CONNECTION, from.number, NUMBER, tag),
                set().getString(TOPIC),
                null,
                Schema.STRING_SCHEMA,
                message.getEnvelope().getRoutingKey(),
                Schema.BYTES_SCHEMA,
                message.getBody(),
                message.getProperties().getTimestamp() == null
                        ? System.currentTimeMillis()
                        : message.getProperties().getTimestamp().toInstant().toEpochMilli(),
                headers(message));
    }

    private static ConnectHeaders headers(Delivery message) {
        AMQP.BasicProperties properties = message.getProperties();
        ConnectHeaders headers = new ConnectHeaders();
        headers.addString("rabbitmq.routing.key", message.getEnvelope().getRoutingKey());
        if (properties.getMessageId() != null) {
            headers.addString("rabbitmq.message.id", properties.getMessageId());
        }
        if (properties.getContentType() != null) {
            headers.addString("content-type", properties.getContentType());
        }
        if (properties.getHeaders() != null) {
            properties.getHeaders().forEach((name, value) -> {
                if (value instanceof LongString || value instanceof Number || value instanceof Boolean) {
                    headers.addString(name, value.toString());
                }
            });
        }
        return headers;
    }

    @Override
    public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
        Link now = link;
        if (now != null
                && record.sourceOffset().get(CONNECTION) instanceof Long connection
                && connection == now.number
                && record.sourceOffset().get(NUMBER) instanceof Long tag) {
            now.committed(tag);
        }
    }

    private Link connected() {
        Link known = link;
        if (known != null && known.isOpen()) {
            return known;
        }
        stop();
        try {
            Connection connection = RabbitBroker.connect(set());
            try {
                Link next =
                        new Link(++connections, connection, RabbitBroker.channel(connection), set().getInt(PREFETCH));
                next.channel.basicQos(set().getInt(PREFETCH));
                next.channel.basicConsume(set().getString(QUEUE), false, new Consumer(next));
                link = next;
                return next;
            } catch (IOException | ShutdownSignalException e) {
                RabbitBroker.close(connection);
                throw RabbitBroker.failure(e);
            }
        } catch (TemporaryFailure e) {
            throw new RetriableException(e.getMessage(), e);
        }
    }

    private static final class Consumer extends DefaultConsumer {
        private final Link to;

        Consumer(Link to) {
            super(to.channel);
            this.to = to;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
            to.arrived.add(new Delivery(envelope, properties, body));
        }

        /** The queue was deleted, or moves. */
        @Override
        public void handleCancel(String tag) {
            to.cancelled = true;
        }
    }

    private AbstractConfig set() {
        return requireNonNull(settings, "not started");
    }

    @Override
    public void stop() {
        Link last = link;
        link = null;
        if (last != null) {
            last.acknowledge();
            RabbitBroker.close(last.connection);
        }
    }

    @Override
    public String version() {
        return new RabbitSinkConnector().version();
    }
}
