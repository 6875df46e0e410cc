package io.georep.spring.connect;

import io.georep.codec.RecordEnvelope;
import io.georep.logging.SafeLog;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.RejectedException;
import io.georep.outbox.SendOptions;
import io.georep.spring.connect.SourceLog.Submitted;
import io.georep.spring.connect.Tolerance.Stage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a task of a source: what it polls becomes entries, and it is told when f other nodes have their copies. */
final class SourceTaskRunner extends TaskRunner {
    private static final Logger LOG = LoggerFactory.getLogger(SourceTaskRunner.class);
    private static final long RETRY_FIRST_MILLIS = 50;
    private static final long RETRY_MAX_MILLIS = 5_000;
    private static final long FAILED_FINISH_MILLIS = 5_000;
    private static final int OUTBOXES_MAX = 1_000;

    private final HostParts host;
    private final ConnectorSettings settings;
    private final Map<String, String> taskSettings;
    private final TaskParts parts;
    private final SourceOffsets offsets;
    private final BadRecords badRecords;
    private final Map<String, RawOutboxes.Raw<?>> outboxes = new HashMap<>();
    private volatile @Nullable Life life;
    private volatile @Nullable SourceCommits commits;
    /** The problems of this life, by outbox. What an earlier life sent does not matter any more. */
    private volatile Map<String, String> sendProblems = Map.of();

    private int pollFailures;
    /** Failures since two polls in a row returned. */
    private int pollFailuresTold;

    private final Unforwarded unforwarded;

    /** One life of the task. */
    private record Life(SourceTask task, SourceLog log, AtomicBoolean stopped) {
        /** A later caller waits until the first one has stopped the task. */
        synchronized void stop(String name) {
            if (stopped.compareAndSet(false, true)) {
                Quietly.run("stopping task " + name, task::stop);
            }
        }
    }

    private record Context(
            Map<String, String> configs, OffsetStorageReader offsetStorageReader, PluginMetrics pluginMetrics)
            implements SourceTaskContext {}

    SourceTaskRunner(
            HostParts host,
            ConnectorSettings settings,
            Map<String, String> taskSettings,
            TaskParts parts,
            SourceOffsets offsets,
            BadRecords badRecords,
            boolean paused) {
        super(parts, paused);
        this.host = host;
        this.settings = settings;
        this.taskSettings = taskSettings;
        this.parts = parts;
        this.offsets = offsets;
        this.badRecords = badRecords;
        this.unforwarded = new Unforwarded(name(), settings.pendingRecordsMax());
    }

    /** A task waits in {@code poll}, which ends by itself. */
    @Override
    void wakeUp() {
        Life now = life;
        if (now != null && stopping()) {
            now.log().close();
        }
    }

    /** Tells a task to stop that does not return from {@code poll}; on a thread of its own, for that may not return either. */
    void stopTask() {
        Life now = life;
        if (now != null) {
            PluginCalls stops = new PluginCalls("Task " + name(), settings.callWarnMillis());
            Runnable stop = () -> {
                stops.begin("stop");
                now.stop(name());
                stops.end();
            };
            Thread thread = new Thread(stop, "georep-connect-" + name() + "-stop");
            thread.setDaemon(true);
            Quietly.run("stopping task " + name(), thread::start);
        }
    }

    /** Called for a task that does not end: its offsets would set back those of its successor. */
    void abandon() {
        SourceCommits now = commits;
        if (now != null) {
            now.abandon();
        }
    }

    @Override
    @Nullable
    String problem() {
        SourceCommits now = commits;
        String told = now == null ? null : now.problem();
        if (told == null) {
            told = sendProblems.values().stream().findFirst().orElse(null);
        }
        if (told == null) {
            told = super.problem();
        }
        return told == null ? unforwarded.problem() : told;
    }

    @Override
    int pending() {
        Life now = life;
        return now == null ? 0 : now.log().pending();
    }

    @Override
    void session() throws Exception {
        Tolerance tolerance = parts.tolerance(this::waitMillis);
        sendProblems = new ConcurrentSkipListMap<>();
        try (HostMetrics metrics = parts.metrics();
                LifeParts made = new LifeParts()) {
            RecordFormat format = parts.format(tolerance, made);
            TransformChain<SourceRecord> chain = parts.chain(tolerance, made);
            Life now = new Life((SourceTask) parts.newTask(), new SourceLog(), new AtomicBoolean());
            life = now;
            try {
                now.task().initialize(new Context(Map.copyOf(taskSettings), offsets, metrics));
                now.task().start(new HashMap<>(taskSettings));
                SourceCommits committing = new SourceCommits(
                        name(),
                        now.task(),
                        now.log(),
                        offsets,
                        settings.flushIntervalMillis(),
                        new PluginCalls("Task " + name(), settings.callWarnMillis()),
                        () -> now.stop(name()),
                        this::overcame);
                commits = committing;
                // Whatever is on its way when the task fails would come again otherwise.
                long finishWithin =
                        Math.min(FAILED_FINISH_MILLIS, host.stopTimeout().toMillis() / 2);
                try {
                    calls().end();
                    running();
                    while (!stopping()) {
                        iterate(now, committing, format, chain);
                    }
                    finishWithin = host.stopTimeout().toMillis() / 2;
                } finally {
                    calls().end(); // a mark that a converter left must not end the wait
                    committing.finish(finishWithin);
                    commits = null;
                }
            } finally {
                life = null;
                calls().begin("stop");
                now.stop(name());
            }
        }
    }

    private void iterate(Life now, SourceCommits commits, RecordFormat format, TransformChain<SourceRecord> chain)
            throws Exception {
        waitWhilePaused();
        commits.check();
        if (stopping() || !now.log().awaitRoom(settings.pendingRecordsMax(), 1_000)) {
            return;
        }
        idle();
        unforwarded.look(outboxes);
        List<SourceRecord> polled = poll(now.task());
        if (polled == null) {
            return;
        }
        calls().begin("a converter or a transformation");
        for (SourceRecord record : polled) {
            Submitted submitted = now.log().submit(record);
            boolean settled = false;
            try {
                submit(submitted, commits, format, chain);
                settled = true;
            } catch (RecordFailedException e) {
                badRecords.tolerate("record of source partition " + record.sourcePartition(), null, e);
                submitted.done(null);
                settled = true;
            } finally {
                if (!settled) {
                    submitted.giveUp();
                }
            }
        }
        calls().end();
    }

    /** Returns what the source has; null if it has nothing now. */
    private @Nullable List<SourceRecord> poll(SourceTask task) throws InterruptedException {
        List<SourceRecord> polled;
        try {
            polled = calls().during("poll", task::poll);
        } catch (RetriableException | org.apache.kafka.common.errors.RetriableException e) {
            problem("poll is tried again since " + ErrorKind.of(e), ++pollFailuresTold, e);
            waitMillis(Math.min(RETRY_MAX_MILLIS, RETRY_FIRST_MILLIS << Math.min(pollFailures, 10)));
            pollFailures++;
            return null;
        }
        if (pollFailures == 0) {
            pollFailuresTold = 0;
        } else {
            pollFailures = 0;
            recovered();
        }
        return polled;
    }

    private void submit(
            Submitted submitted, SourceCommits commits, RecordFormat format, TransformChain<SourceRecord> chain)
            throws RecordFailedException {
        SourceRecord record = chain.apply(submitted.record());
        if (record == null) {
            submitted.done(null);
            return;
        }
        RecordEnvelope envelope = format.write(record);
        SendOptions options = SendOptions.defaults().headers(envelope.entryHeaders());
        RecordSend sending = new RecordSend(submitted, record.topic(), envelope.payload(), options, commits);
        try {
            if (record.topic() == null) {
                throw new DataException("the record has no topic, so there is no outbox for it");
            }
            sending.send(outboxes.computeIfAbsent(record.topic(), this::opened));
        } catch (DataException e) {
            throw new RecordFailedException(Stage.VALUE_CONVERTER, RawOutboxes.class, e);
        }
        RejectedException tooLarge = sending.tooLarge.getAndSet(null);
        if (tooLarge != null) { // before what is behind it is sent, which would be sent again in each life of the task
            throw new RecordFailedException(Stage.KAFKA_PRODUCE, RawOutboxes.class, tooLarge);
        }
    }

    private RawOutboxes.Raw<?> opened(String topic) {
        if (outboxes.size() >= OUTBOXES_MAX) {
            throw new DataException("the records have more than " + OUTBOXES_MAX + " topics, and each is an outbox that"
                    + " stays open: do not make topics of data");
        }
        return host.outbox(topic);
    }

    /** An entry that is sent until its copies are durable. */
    private final class RecordSend {
        private final Submitted submitted;
        private final String topic;
        private final byte[] payload;
        private final SendOptions options;
        private final SourceCommits commits;
        private final Map<String, String> problems = sendProblems;
        /** Set when the entry is too large. Whoever takes it out ends the record. */
        private final AtomicReference<@Nullable RejectedException> tooLarge = new AtomicReference<>();

        RecordSend(Submitted submitted, String topic, byte[] payload, SendOptions options, SourceCommits commits) {
            this.submitted = submitted;
            this.topic = topic;
            this.payload = payload;
            this.options = options;
            this.commits = commits;
        }

        void send(RawOutboxes.Raw<?> outbox) {
            CompletionStage<EntryId> stage = outbox.send(payload, options);
            stage.whenComplete((id, error) -> {
                if (error == null) {
                    problems.remove(topic);
                    submitted.done(metadata());
                } else {
                    failed(
                            outbox,
                            error instanceof CompletionException && error.getCause() != null
                                    ? error.getCause()
                                    : error);
                }
            });
        }

        private RecordMetadata metadata() {
            return new RecordMetadata(
                    new TopicPartition(topic, 0), -1, 0, System.currentTimeMillis(), -1, payload.length);
        }

        private void failed(RawOutboxes.Raw<?> outbox, Throwable error) {
            if (error instanceof ClosedException && stopping()) {
                submitted.giveUp(); // after the next start the source gives it again
                return;
            }
            if (error instanceof RejectedException rejected
                    && rejected.reason() == RejectedException.Reason.PAYLOAD_TOO_LARGE) {
                tooLarge.set(rejected);
                commits.resend(() -> {
                    if (tooLarge.compareAndSet(rejected, null)) {
                        never(rejected);
                    }
                });
                return;
            }
            boolean known = error instanceof GeoRepException;
            String text = "outbox " + topic + " does not take records, they are sent again: "
                    + (known ? error.getMessage() : ErrorKind.of(error));
            if (!text.equals(problems.put(topic, text)) && !known) {
                SafeLog.log(LOG, "Task {}: {}", name(), text, error);
            }
            commits.resend(() -> sendAgain(outbox));
        }

        /** Sends the record again. Called on the thread that commits. */
        private void sendAgain(RawOutboxes.Raw<?> outbox) {
            try {
                send(outbox);
            } catch (DataException e) {
                never(e);
            } catch (RuntimeException e) {
                failed(outbox, e);
            }
        }

        /**
         * Decides about a record that can never be sent. Called on the thread that commits; an exception ends this life of the
         * task.
         */
        private void never(Exception error) {
            try {
                badRecords.tolerate(
                        "record for outbox " + topic,
                        null,
                        new RecordFailedException(Stage.KAFKA_PRODUCE, RawOutboxes.class, error));
            } catch (ConnectException e) {
                submitted.giveUp();
                throw e;
            }
            problems.remove(topic); // another record that is refused says so again
            submitted.done(null);
        }
    }
}
