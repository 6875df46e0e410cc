package io.georep.connect;

import static java.util.Objects.requireNonNull;

import io.georep.GeoRepNode;
import io.georep.codec.MalformedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;

/**
 * Hands the entries that its node holds to Kafka. An entry is forwarded, and so deleted everywhere, when Kafka has acknowledged
 * its record. The windows of the queues bound what waits in memory.
 */
public final class GeoRepSourceTask extends SourceTask {
    private static final String QUEUES = "georep.queues";
    private static final String TOPIC = "georep.topic";
    private static final String WINDOW = "georep.window";
    private static final String ID_HEADER = "georep.id.header";
    private static final int BATCH_MAX = 500;
    private static final long POLL_MILLIS = 500;

    static final ConfigDef CONFIG = NodeSettings.with(new ConfigDef()
            .define(
                    QUEUES,
                    ConfigDef.Type.LIST,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.ValidList.anyNonDuplicateValues(false, false),
                    Importance.HIGH,
                    "Queues whose entries are forwarded.")
            .define(
                    TOPIC,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Topic of all records. Empty: that with the name of the entry's queue.")
            .define(
                    WINDOW,
                    ConfigDef.Type.INT,
                    1_000,
                    Range.between(1, 100_000),
                    Importance.MEDIUM,
                    "How many entries of a queue may be with the task at the same time.")
            .define(
                    ID_HEADER,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "Header of the records for the id of the entry, so that consumers can recognise repetitions. Empty:"
                            + " none."));

    private final BlockingQueue<UnconfirmedEntry> ready = new LinkedBlockingQueue<>();
    private final Set<UnconfirmedEntry> inHand = ConcurrentHashMap.newKeySet();
    private final List<Forwarding> forwardings = new ArrayList<>();
    private @Nullable AbstractConfig settings;
    private volatile @Nullable TaskNode node;
    private volatile boolean stopping;

    /** Called by Kafka Connect. */
    public GeoRepSourceTask() {}

    @Override
    public void start(Map<String, String> properties) {
        AbstractConfig set = new AbstractConfig(CONFIG, properties, false);
        settings = set;
        List<String> queues = set.getList(QUEUES);
        TaskNode started = TaskNode.start(new NodeSettings(set, TaskName.Role.SOURCE), leftover -> {});
        node = started;
        try {
            for (String queue : queues) {
                forwardings.add(forward(started.node(), queue, set.getInt(WINDOW)));
            }
        } catch (RuntimeException e) {
            stop();
            throw e;
        }
    }

    private Forwarding forward(GeoRepNode on, String queue, int window) {
        Outbox<byte[]> outbox = on.outbox(queue, byte[].class, options -> {});
        return outbox.forward(
                this::take,
                options -> options.window(window)
                        .executor(Runnable::run)
                        .retry(Retry.defaults().neverOn(MalformedException.class)));
    }

    /** On the node's application thread. */
    private void take(Delivery<byte[]> delivery) {
        UnconfirmedEntry entry = new UnconfirmedEntry(delivery, new CompletableFuture<>());
        inHand.add(entry);
        ready.add(entry);
        delivery.endsWith(entry.end());
        if (stopping) {
            giveBack();
        }
    }

    /** Returns whether it was started and not stopped, for tests. */
    boolean isStarted() {
        return node != null;
    }

    /** The node, for tests. */
    TaskNode node() {
        return requireNonNull(node, "not started");
    }

    @Override
    public @Nullable List<SourceRecord> poll() throws InterruptedException {
        node().watch();
        UnconfirmedEntry first = ready.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (first == null) {
            return null;
        }
        List<UnconfirmedEntry> entries = new ArrayList<>(List.of(first));
        ready.drainTo(entries, BATCH_MAX - 1);
        AbstractConfig set = requireNonNull(settings, "not started");
        String topic = set.getString(TOPIC);
        List<SourceRecord> records = new ArrayList<>(entries.size());
        for (UnconfirmedEntry entry : entries) {
            try {
                records.add(RecordBytes.record(
                        entry, topic.isBlank() ? entry.delivery().queue() : topic, set.getString(ID_HEADER)));
            } catch (MalformedException e) {
                // Becomes a dead letter, which keeps its copies.
                inHand.remove(entry);
                entry.end().completeExceptionally(e);
            }
        }
        return records;
    }

    /** Kafka has this record, or a transformation filtered it away. */
    @Override
    public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
        if (record instanceof EntryRecord known) {
            inHand.remove(known.entry());
            known.entry().end().complete(null);
        }
    }

    @Override
    public void stop() {
        TaskNode last = node;
        node = null;
        if (last == null) {
            return;
        }
        forwardings.forEach(each -> each.stop(Duration.ZERO));
        stopping = true;
        giveBack();
        last.leave();
    }

    private void giveBack() {
        ready.clear();
        for (UnconfirmedEntry entry : List.copyOf(inHand)) {
            inHand.remove(entry);
            entry.end().completeExceptionally(new CancellationException("the task stops before Kafka has confirmed"));
        }
    }

    @Override
    public String version() {
        return Versions.own();
    }
}
