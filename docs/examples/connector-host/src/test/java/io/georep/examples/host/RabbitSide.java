package io.georep.examples.host;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.georep.connectors.rabbitmq.RabbitMq;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** RabbitMQ with a durable queue for each direction. */
final class RabbitSide implements OtherSide {
    static final String QUEUE_OUT = "out";
    static final String QUEUE_IN = "in";

    private final Path directory;
    private final int port;
    private final Ledger ledger;
    private RabbitMq broker;
    private Channel publisher;
    /** What the channel of the publisher has not confirmed; each channel counts anew. */
    private ConcurrentNavigableMap<Long, CompletableFuture<Boolean>> answers = new ConcurrentSkipListMap<>();

    RabbitSide(Path directory, int port, Ledger ledger) {
        this.directory = directory;
        this.port = port;
        this.ledger = ledger;
    }

    @Override
    public void start() throws Exception {
        if (broker == null) {
            broker = RabbitMq.start(directory, port);
            try (Connection connection = broker.connections().newConnection();
                    Channel channel = connection.createChannel()) {
                channel.queueDeclare(QUEUE_OUT, true, false, false, Map.of());
                channel.queueDeclare(QUEUE_IN, true, false, false, Map.of());
            }
        } else {
            broker.start();
        }
    }

    @Override
    public void stop() {
        if (broker != null) {
            broker.stop();
        }
    }

    @Override
    public void close() {
        if (broker != null) {
            broker.close();
        }
    }

    @Override
    public void collect() throws Exception {
        try (Connection connection = broker.connections().newConnection();
                Channel channel = connection.createChannel()) {
            for (GetResponse each = channel.basicGet(QUEUE_OUT, true);
                    each != null;
                    each = channel.basicGet(QUEUE_OUT, true)) {
                ledger.arrived(
                        new String(each.getBody(), StandardCharsets.UTF_8),
                        each.getProps().getMessageId());
            }
        }
    }

    /** Publishes; true when the broker has the message on disk. */
    synchronized CompletableFuture<Boolean> publish(String payload) throws Exception {
        if (publisher == null || !publisher.isOpen()) {
            publisher = open();
        }
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        answers.put(publisher.getNextPublishSeqNo(), answer);
        publisher.basicPublish(
                "", QUEUE_IN, MessageProperties.PERSISTENT_BASIC, payload.getBytes(StandardCharsets.UTF_8));
        return answer;
    }

    private Channel open() throws Exception {
        Channel channel = broker.connections().newConnection().createChannel();
        ConcurrentNavigableMap<Long, CompletableFuture<Boolean>> own = new ConcurrentSkipListMap<>();
        channel.confirmSelect();
        channel.addConfirmListener(
                (tag, all) -> end(own, tag, all, null), (tag, all) -> end(own, tag, all, new IOException("nack")));
        channel.addShutdownListener(why -> end(own, Long.MAX_VALUE, true, why));
        answers = own;
        return channel;
    }

    private static void end(
            ConcurrentNavigableMap<Long, CompletableFuture<Boolean>> answers,
            long tag,
            boolean all,
            Exception failure) {
        Map<Long, CompletableFuture<Boolean>> ended =
                all ? answers.headMap(tag, true) : answers.subMap(tag, true, tag, true);
        ended.values().forEach(each -> {
            if (failure == null) {
                each.complete(true);
            } else {
                each.completeExceptionally(failure);
            }
        });
        ended.clear();
    }
}
