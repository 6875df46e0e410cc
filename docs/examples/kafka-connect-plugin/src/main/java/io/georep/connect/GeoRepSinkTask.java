package io.georep.connect;

import static java.util.Objects.requireNonNull;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends records to queues without waiting. Commits an offset only if all records before it are durable on f + 1 nodes. The task
 * sends refused records again until a node takes them, and meanwhile reads no others.
 */
public final class GeoRepSinkTask extends SinkTask {
    private static final Logger LOG = LoggerFactory.getLogger(GeoRepSinkTask.class);
    private static final long PAUSE_MIN_NANOS = Duration.ofMillis(100).toNanos();
    private static final long PAUSE_MAX_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long COMMIT_WAIT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long WARN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long CALL_AGAIN_MILLIS = 100;
    private static final long LOOK_MILLIS = 2;

    /** A record that was not taken, and why. */
    private record Refusal(PendingRecord record, Throwable cause) {}

    private final PendingRecords log = new PendingRecords();

    /** Filled by the node's application thread. */
    private final Queue<Refusal> refused = new ConcurrentLinkedQueue<>();

    private final List<PendingRecord> again = new ArrayList<>();
    private final Map<String, Outbox<byte[]>> outboxes = new HashMap<>();
    private @Nullable SinkSettings settings;
    private @Nullable TaskNode node;
    private boolean paused;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private long againAt;
    private long warnAt = Long.MIN_VALUE;

    /** Called by Kafka Connect. */
    public GeoRepSinkTask() {}

    @Override
    public void start(Map<String, String> properties) {
        SinkSettings set = new SinkSettings(properties);
        settings = set;
        TaskNode started = TaskNode.start(set.node(), leftover -> open(set, leftover));
        node = started;
        try {
            outboxes.putAll(open(set, started.node()));
        } catch (RuntimeException e) {
            stop();
            throw e;
        }
    }

    private static Map<String, Outbox<byte[]>> open(SinkSettings set, GeoRepNode on) {
        Map<String, Outbox<byte[]>> opened = new HashMap<>();
        for (String queue : set.queues()) {
            opened.put(
                    queue,
                    on.outbox(queue, byte[].class, options -> options.f(set.f()).handOver(set.forwarders())));
        }
        return opened;
    }

    /** The node, for tests. */
    TaskNode node() {
        return requireNonNull(node, "not started");
    }

    private SinkSettings set() {
        return requireNonNull(settings, "not started");
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        node().watch();
        for (SinkRecord record : records) {
            PendingRecord pending;
            try {
                pending = new PendingRecord(record, RecordBytes.envelope(record));
            } catch (DataException e) {
                report(record, e);
                continue;
            }
            log.add(pending);
            send(pending);
        }
        sendAgain();
        log.trim();
        pauseOrResume();
    }

    private void send(PendingRecord pending) {
        Outbox<byte[]> outbox = outboxes.get(set().queueOf(pending.record.topic()));
        if (outbox == null) {
            throw new ConnectException("a transformation made the topic '" + pending.record.topic()
                    + "' of a record, but there is no queue of this name here: set georep.queue instead");
        }
        try {
            var unused = outbox.send(pending.payload, pending.options).whenComplete((id, failure) -> {
                if (failure == null) {
                    pending.done();
                } else {
                    refused.add(new Refusal(pending, failure));
                }
            });
        } catch (IllegalArgumentException e) {
            giveUp(pending, e);
        }
    }

    /** Looks at what was refused since the last call, and after a pause sends all that was refused so far once more. */
    private void sendAgain() {
        for (Refusal next = refused.poll(); next != null; next = refused.poll()) {
            Throwable cause = next.cause instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : next.cause;
            if (next.record.isDone()) {
                continue;
            }
            if (cause instanceof ClosedException) {
                throw new ConnectException(
                        "node " + node().node().identity().id() + " has stopped: restart the task", cause);
            }
            if (cause instanceof RejectedException rejected
                    && rejected.reason() == RejectedException.Reason.PAYLOAD_TOO_LARGE) {
                giveUp(next.record, cause);
                continue;
            }
            refusedNow(next.record, cause);
        }
        if (!again.isEmpty() && System.nanoTime() - againAt >= 0) {
            List<PendingRecord> now = List.copyOf(again);
            again.clear();
            now.stream().filter(each -> !each.isDone()).forEach(this::send);
        }
        if (again.isEmpty() && log.size() == 0) {
            pauseNanos = PAUSE_MIN_NANOS;
        }
    }

    private void refusedNow(PendingRecord record, Throwable cause) {
        long now = System.nanoTime();
        if (again.isEmpty()) {
            againAt = now + pauseNanos;
            pauseNanos = Math.min(PAUSE_MAX_NANOS, 2 * pauseNanos);
        }
        again.add(record);
        if (warnAt == Long.MIN_VALUE || now - warnAt >= WARN_NANOS) {
            warnAt = now;
            LOG.warn(
                    "Node {}: records are not taken, and nothing more is read until they are: {}",
                    node().node().identity().id(),
                    cause.getMessage());
        }
    }

    /** A record that will never be taken. */
    private void giveUp(PendingRecord pending, Throwable cause) {
        report(
                pending.record,
                new DataException(
                        "the record at " + pending.options.values().producerKey() + " cannot be an entry: "
                                + cause.getMessage(),
                        cause));
        pending.done();
    }

    private void report(SinkRecord record, DataException problem) {
        ErrantRecordReporter reporter = context.errantRecordReporter();
        if (reporter == null) {
            throw problem;
        }
        // Kafka Connect waits for the report before it commits.
        var unused = reporter.report(record, problem);
    }

    private void pauseOrResume() {
        boolean full = !again.isEmpty() || log.size() >= set().pendingMax();
        TopicPartition[] all = context.assignment().toArray(TopicPartition[]::new);
        if (full && !paused) {
            context.pause(all);
        } else if (!full && paused) {
            context.resume(all);
        }
        paused = full;
        if (full || log.size() > 0) {
            context.timeout(CALL_AGAIN_MILLIS); // what is refused meanwhile is sent again then
        }
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> currentOffsets) {
        long deadline = System.nanoTime() + COMMIT_WAIT_NANOS;
        log.trim();
        // Records on their way are durable in a moment, and this may be the last commit before another task takes the
        // partitions.
        while (log.size() > 0 && again.isEmpty() && refused.isEmpty() && System.nanoTime() < deadline) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
            log.trim();
        }
        return log.durable(currentOffsets);
    }

    @Override
    public void open(Collection<TopicPartition> partitions) {
        if (paused) {
            context.pause(partitions.toArray(TopicPartition[]::new));
        }
    }

    @Override
    public void close(Collection<TopicPartition> partitions) {
        log.drop(partitions);
        again.removeIf(PendingRecord::isDone);
    }

    @Override
    public void stop() {
        TaskNode last = node;
        node = null;
        if (last != null) {
            last.leave();
        }
    }

    @Override
    public String version() {
        return Versions.own();
    }
}
