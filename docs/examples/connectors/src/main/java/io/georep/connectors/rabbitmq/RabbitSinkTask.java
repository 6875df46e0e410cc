package io.georep.connectors.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import io.georep.connectors.TemporaryFailure;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Publishes the records of a batch without waiting, then waits until the broker has confirmed them all. */
public final class RabbitSinkTask extends SendingTask {
    private static final String EXCHANGE = "rabbitmq.exchange";
    private static final String KEY = "rabbitmq.routing.key";
    private static final String HEADERS = "rabbitmq.headers";
    private static final int PERSISTENT = 2;

    static final ConfigDef CONFIG = SendingTask.withPauses(SentRecord.withId(RabbitBroker.with(new ConfigDef()
            .define(
                    EXCHANGE,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Exchange that messages are published to. Empty: the default exchange, whose routing keys are names"
                            + " of queues.")
            .define(
                    KEY,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Routing key of a record without a header rabbitmq.routing.key. Empty: the record's own topic.")
            .define(
                    HEADERS,
                    ConfigDef.Type.LIST,
                    List.of(),
                    Importance.LOW,
                    "Headers of a record that become headers of its message, under the same names."))));

    private record Published(SinkRecord record, Address address) {}

    /** Identifies a message that the broker returns. */
    private record Address(String id, String routingKey) {}

    private record Link(Connection connection, Channel channel, Queue<Address> returned, AtomicBoolean blocked) {}

    private final List<Published> open = new ArrayList<>();
    private @Nullable AbstractConfig settings;
    private @Nullable Link link;
    /** A message of the batch broke the channel. Nobody knows which, so each is confirmed before the next is sent. */
    private boolean oneByOne;

    @Override
    protected AbstractConfig begin(Map<String, String> properties) {
        AbstractConfig parsed = new AbstractConfig(CONFIG, properties, false);
        settings = parsed;
        oneByOne = false;
        return parsed;
    }

    @Override
    protected boolean confirmsEach() {
        return false;
    }

    @Override
    protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
        AbstractConfig set = requireNonNull(settings, "not started");
        // First: a record without a fit value needs no connection.
        byte[] body = SentRecord.bytes(record);
        String own = SentRecord.header(record, KEY);
        String key = own != null ? own : set.getString(KEY).isEmpty() ? record.topic() : set.getString(KEY);
        Address address = new Address(SentRecord.id(record, SentRecord.idHeader(set)), key);
        Link to = connected();
        if (to.blocked().get()) {
            throw new TemporaryFailure(
                    "the broker takes no messages now: look for its alarms about memory and disk", null);
        }
        open.add(new Published(record, address));
        try {
            to.channel().basicPublish(set.getString(EXCHANGE), key, true, properties(record, address.id()), body);
            if (oneByOne) {
                awaitConfirms(to);
            }
        } catch (IllegalArgumentException | IOException | ShutdownSignalException e) {
            if (!isForTheMessage(e)) {
                throw RabbitBroker.failure(e);
            }
            if (oneByOne) {
                disconnect();
                throw new RecordRefused(
                        "the record cannot be a message: it is too large, or its routing key, id or headers are", null);
            }
            throw anyOfThem();
        }
    }

    /** Returns whether a certain message is the reason, so that the failure would come again with it. */
    private static boolean isForTheMessage(Exception failure) {
        return failure instanceof IllegalArgumentException
                || RabbitBroker.replyCode(failure) == AMQP.PRECONDITION_FAILED;
    }

    private TemporaryFailure anyOfThem() {
        oneByOne = true;
        return new TemporaryFailure("a record of the batch cannot be a message; they are sent one by one", null);
    }

    @SuppressWarnings("JavaUtilDate") // the client wants one
    private AMQP.BasicProperties properties(SinkRecord record, String id) {
        Map<String, Object> headers = new HashMap<>();
        for (String name : requireNonNull(settings, "not started").getList(HEADERS)) {
            String value = SentRecord.header(record, name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        Long time = record.timestamp();
        return new AMQP.BasicProperties.Builder()
                .deliveryMode(PERSISTENT)
                .messageId(id)
                .contentType(SentRecord.header(record, "content-type"))
                .timestamp(time == null ? null : Date.from(Instant.ofEpochMilli(time)))
                .headers(headers)
                .build();
    }

    private Link connected() throws TemporaryFailure {
        Link known = link;
        if (known != null && (known.channel().isOpen() || !open.isEmpty())) {
            return known; // with something open on a closed channel, the next call says why it was closed
        }
        disconnect();
        Connection connection = RabbitBroker.connect(requireNonNull(settings, "not started"));
        try {
            Queue<Address> returned = new ConcurrentLinkedQueue<>();
            AtomicBoolean blocked = new AtomicBoolean();
            connection.addBlockedListener(reason -> blocked.set(true), () -> blocked.set(false));
            Channel channel = RabbitBroker.channel(connection);
            // The broker returns a message before it confirms it.
            channel.addReturnListener(message -> returned.add(
                    new Address(String.valueOf(message.getProperties().getMessageId()), message.getRoutingKey())));
            channel.confirmSelect();
            Link next = new Link(connection, channel, returned, blocked);
            link = next;
            return next;
        } catch (IOException | ShutdownSignalException e) {
            RabbitBroker.close(connection);
            throw RabbitBroker.failure(e);
        }
    }

    @Override
    protected void confirm() throws TemporaryFailure {
        if (link != null && !open.isEmpty()) {
            try {
                awaitConfirms(link);
            } catch (ShutdownSignalException e) {
                throw isForTheMessage(e) ? anyOfThem() : RabbitBroker.failure(e);
            }
        }
        oneByOne = false;
    }

    /** Waits until the broker has all that is open, and gives up what it has no queue for. */
    private void awaitConfirms(Link at) throws TemporaryFailure {
        int millis = RabbitBroker.timeoutMillis(requireNonNull(settings, "not started"));
        try {
            if (!at.channel().waitForConfirms(millis)) {
                throw new TemporaryFailure(
                        "the broker did not take a message: look at its log and the queue's limits", null);
            }
        } catch (TimeoutException e) {
            throw new TemporaryFailure("the broker did not answer in " + millis + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while waiting for the broker", e);
        }
        for (Published each : open) {
            if (at.returned().remove(each.address())) {
                giveUp(
                        each.record(),
                        new RecordRefused(
                                "the broker has no queue for the message: bind one to rabbitmq.exchange for its routing key",
                                null));
            }
        }
        open.clear();
    }

    @Override
    protected void disconnect() {
        open.clear();
        Link last = link;
        link = null;
        if (last != null) {
            RabbitBroker.close(last.connection());
        }
    }
}
