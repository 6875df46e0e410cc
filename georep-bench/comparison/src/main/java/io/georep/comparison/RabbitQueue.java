package io.georep.comparison;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A quorum queue of RabbitMQ for each node, led by the server beside it: publisher confirms without waiting for each, and
 * acknowledgements by hand, of many at once.
 */
final class RabbitQueue implements ComparedQueue {
    private static final int PREFETCH = 2000;
    private static final int ACKNOWLEDGE_EVERY = 200;
    private static final long ACKNOWLEDGE_MILLIS = 5;

    /** Persistent, as everything in a quorum queue is anyway. */
    private static final BasicProperties PERSISTENT =
            new BasicProperties.Builder().deliveryMode(2).build();

    private final String name;
    private final Connection publishing;
    private final Connection consuming;
    private final Channel publisher;
    private final ConcurrentNavigableMap<Long, CompletableFuture<@Nullable Void>> unconfirmed =
            new ConcurrentSkipListMap<>();
    private final AtomicLong ended = new AtomicLong();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "acknowledger");
        thread.setDaemon(true);
        return thread;
    });

    RabbitQueue(Place place) throws Exception {
        name = "bench-" + place.index();
        // The server beside it first, the others if that one is gone.
        List<Address> addresses = IntStream.range(0, place.nodes())
                .mapToObj(each ->
                        new Address(place.hosts().get((place.index() + each) % place.nodes()), RabbitServers.PORT))
                .toList();
        ConnectionFactory factory = new ConnectionFactory();
        AddressResolver inThisOrder = new AddressResolver() {
            @Override
            public List<Address> getAddresses() {
                return addresses;
            }

            @Override
            public List<Address> maybeShuffle(List<Address> given) {
                return given;
            }
        };
        publishing = factory.newConnection(null, inThisOrder, "publishing");
        consuming = factory.newConnection(null, inThisOrder, "consuming");
        publisher = publishing.createChannel();
        publisher.queueDeclare(
                name,
                true,
                false,
                false,
                Map.of(
                        "x-queue-type", "quorum",
                        "x-quorum-initial-group-size", place.nodes(),
                        "x-queue-leader-locator", "client-local"));
        publisher.confirmSelect();
        publisher.addConfirmListener(
                (tag, multiple) -> confirmed(tag, multiple, null),
                (tag, multiple) -> confirmed(tag, multiple, new IOException("refused")));
    }

    @Override
    public boolean ready() {
        return publishing.isOpen() && consuming.isOpen();
    }

    private void confirmed(long tag, boolean multiple, @Nullable Throwable failure) {
        List<CompletableFuture<@Nullable Void>> done = new ArrayList<>();
        synchronized (publisher) {
            if (multiple) {
                Map<Long, CompletableFuture<@Nullable Void>> all = unconfirmed.headMap(tag, true);
                done.addAll(all.values());
                all.clear();
            } else {
                CompletableFuture<@Nullable Void> one = unconfirmed.remove(tag);
                if (one != null) {
                    done.add(one);
                }
            }
        }
        for (CompletableFuture<@Nullable Void> each : done) {
            if (failure == null) {
                each.complete(null);
            } else {
                each.completeExceptionally(failure);
            }
        }
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        synchronized (publisher) {
            unconfirmed.put(publisher.getNextPublishSeqNo(), done);
            try {
                publisher.basicPublish("", name, PERSISTENT, payload);
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }
        return done;
    }

    @Override
    public void consume(Consumer<byte[]> handler) throws IOException {
        Channel channel = consuming.createChannel();
        channel.basicQos(PREFETCH);
        Acknowledging consumer = new Acknowledging(channel, handler);
        channel.basicConsume(name, false, consumer);
        var unused = timer.scheduleWithFixedDelay(
                consumer::acknowledge, ACKNOWLEDGE_MILLIS, ACKNOWLEDGE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Acknowledges when many have come, and from time to time. */
    private final class Acknowledging extends DefaultConsumer {
        private final Consumer<byte[]> handler;
        private long last;
        private int since;

        Acknowledging(Channel channel, Consumer<byte[]> handler) {
            super(channel);
            this.handler = handler;
        }

        @Override
        public synchronized void handleDelivery(
                String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            handler.accept(body);
            last = envelope.getDeliveryTag();
            since++;
            if (since >= ACKNOWLEDGE_EVERY) {
                acknowledge();
            }
        }

        synchronized void acknowledge() {
            if (since == 0) {
                return;
            }
            try {
                getChannel().basicAck(last, true);
                ended.addAndGet(since);
            } catch (IOException | AlreadyClosedException e) {
                // What was not acknowledged comes again on the next connection.
                System.err.println("Cannot acknowledge: " + e);
            }
            since = 0;
        }
    }

    @Override
    public long ended() {
        return ended.get();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        publishing.abort();
        consuming.abort();
    }
}
