package io.georep.spring.connect;

import io.georep.logging.LimitedLog;
import io.georep.spring.connect.SinkBatches.Batch;
import io.georep.spring.connect.Tolerance.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task of a sink. What the task took and did not flush stays here, so a new life of the task gets it again. An entry is
 * forwarded when {@code preCommit} returns an offset beyond it.
 */
final class SinkTaskRunner extends TaskRunner {
    private static final Logger LOG = LoggerFactory.getLogger(SinkTaskRunner.class);
    private static final long RETRY_FIRST_MILLIS = 100;
    private static final long RETRY_MAX_MILLIS = 10_000;
    private static final long COPIES_MILLIS = 1_000;

    /** After so many commits in a row that flushed nothing although nothing more can arrive, the sink is stuck. */
    private static final int FRUITLESS_MAX = 3;

    private final ConnectorSettings settings;
    private final Map<String, String> taskSettings;
    private final SinkIntake intake;
    private final OffsetNumbers numbers;
    private final TaskParts parts;
    private final SetAside setAside;
    private final Map<String, PartitionLog> logs = new TreeMap<>();
    private final Set<TopicPartition> partitions = new HashSet<>();
    private final int partition;

    // Of one life of the task.
    private long lastCommitNanos;
    /** Since the task looked whether there is something else to do. */
    private volatile boolean woken;

    private int fruitless;
    private final PutRetries retries = new PutRetries();
    private boolean wasPaused;
    private final SinglePuts singly = new SinglePuts(logs.values(), System::nanoTime);
    private volatile boolean givenBack;
    private @Nullable Batch redelivery;
    private final RefusedReport refused = new RefusedReport();
    /** Logs wrong requests, which a faulty task may make in each call. */
    private final LimitedLog odd = new LimitedLog(LOG);

    SinkTaskRunner(
            int partition,
            ConnectorSettings settings,
            Map<String, String> taskSettings,
            TaskParts parts,
            SinkIntake intake,
            OffsetNumbers numbers,
            SetAside setAside,
            boolean paused) {
        super(parts, paused);
        this.settings = settings;
        this.taskSettings = taskSettings;
        this.parts = parts;
        this.intake = intake;
        this.numbers = numbers;
        this.setAside = setAside;
        this.partition = partition;
        for (String topic : settings.topics()) {
            TopicPartition assigned = new TopicPartition(topic, partition);
            logs.put(topic, new PartitionLog(assigned, numbers.peek()));
            partitions.add(assigned);
        }
    }

    @Override
    void wakeUp() {
        woken = true;
        intake.wakeUp();
        if (stopping()) {
            setAside.release();
        }
    }

    @Override
    @Nullable
    String problem() {
        String copies = setAside.problem();
        return copies == null ? super.problem() : copies;
    }

    @Override
    int pending() {
        return logs.values().stream().mapToInt(PartitionLog::size).sum();
    }

    @Override
    void session() throws Exception {
        redelivery = null;
        refused.clear();
        wasPaused = false;
        retries.clear();
        fruitless = 0;
        logs.values().forEach(PartitionLog::rewind);
        Tolerance tolerance = parts.tolerance(this::waitMillis);
        try (HostMetrics metrics = parts.metrics();
                LifeParts made = new LifeParts()) {
            RecordFormat format = parts.format(tolerance, made);
            TransformChain<SinkRecord> chain = parts.chain(tolerance, made);
            RuntimeRecords runtimeRecords = RuntimeRecords.of(parts.loader());
            SinkBatches batches = new SinkBatches(format, chain, runtimeRecords, partition, setAside, this::leaveOut);
            SinkTask task = (SinkTask) parts.newTask();
            SinkContext context = new SinkContext(taskSettings, partitions, this::report, metrics, this::wakeUp);
            boolean open = false;
            try {
                task.initialize(context);
                task.start(new HashMap<>(taskSettings));
                open = true;
                task.open(new HashSet<>(partitions));
                calls().end();
                running();
                lastCommitNanos = System.nanoTime();
                for (woken = false; !stopping(); woken = false) {
                    iterate(task, context, batches);
                }
            } finally {
                if (open) {
                    close(task, context);
                }
                calls().begin("stop");
                Quietly.run("stopping task " + name(), task::stop);
            }
        }
    }

    private void close(SinkTask task, SinkContext context) {
        Quietly.run("the last commit of task " + name(), () -> commit(task, context, true));
        calls().begin("close");
        Quietly.run("closing task " + name(), () -> task.close(new HashSet<>(partitions)));
    }

    private void iterate(SinkTask task, SinkContext context, SinkBatches batches) throws Exception {
        boolean pauses = paused() && !wasPaused;
        wasPaused = paused();
        if (pauses || context.commitRequested() || commitDueMillis() <= 0) {
            commit(task, context, false);
        }
        context.takeSeeks().forEach(this::seek);
        if (pending() == 0) {
            idle();
        }
        if (waitsForRetry()) {
            return;
        }
        Batch batch = redelivery;
        if (batch == null) { // also when the sink has gone back
            batch = next(context, batches);
        }
        calls().begin("put");
        try {
            task.put(new ArrayList<>(batch.records()));
            refused.check();
        } catch (RetriableException e) {
            redelivery = batch;
            problem("put is tried again since " + ErrorKind.of(e), retries.failed(context.takeTimeout()), e);
            return;
        } catch (Throwable e) {
            singly.suspect(numbers.peek());
            throw new ConnectException("put failed", e);
        } finally {
            calls().end();
        }
        boolean single = singly.begin();
        batch.delivered().forEach((topic, below) -> log(topic).delivered(below));
        redelivery = null;
        if (retries.succeeded()) {
            fruitless = 0;
            recovered();
        }
        if (single && !batch.records().isEmpty()) {
            commit(task, context, false); // what comes next may fail
        }
    }

    /** Waits until it is put again after a failure, or something else has to be done first. */
    private boolean waitsForRetry() throws InterruptedException {
        long left = retries.leftNanos();
        long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
        return left > 0 && (waitMillis(Math.min(millis, Math.max(1, commitDueMillis()))) || retries.leftNanos() > 0);
    }

    private PartitionLog log(String topic) {
        return Objects.requireNonNull(logs.get(topic), () -> "no topic " + topic);
    }

    /** Returns what is due again, or else what has arrived, as records. */
    private Batch next(SinkContext context, SinkBatches batches) throws InterruptedException {
        int max = singly.next() ? 1 : settings.pollRecordsMax();
        boolean waits = singly.waitForFlush();
        List<SinkEntry> entries = new ArrayList<>();
        Set<String> fresh = new HashSet<>();
        for (PartitionLog log : logs.values()) {
            if (!waits && !context.isPaused(log.partition())) {
                if (log.behind()) {
                    List<SinkEntry> due = log.due(max - entries.size());
                    if (due.isEmpty() && entries.size() < max) {
                        log.toEnd();
                    }
                    entries.addAll(due);
                }
                if (!log.behind() && !paused()) {
                    fresh.add(log.partition().topic());
                }
            }
        }
        if (entries.isEmpty()) {
            long asked = context.takeTimeout();
            long wait = commitDueMillis();
            entries = intake.take(fresh, max, Math.max(1, asked > 0 ? Math.min(asked, wait) : wait), () -> woken);
            number(entries);
            if (givenBack) {
                giveBack(); // it came too late for that
                entries = List.of();
            }
        }
        List<SinkEntry> due = entries;
        return calls().during("a converter or a transformation", () -> batches.of(due));
    }

    private void leaveOut(String topic, Set<SinkEntry> unseen) {
        log(topic).leaveOut(unseen);
        intake.forwarded(topic, List.copyOf(unseen));
    }

    /** Gives the entries their places. If that fails, no entry has a place. Entries of one topic follow each other. */
    private void number(List<SinkEntry> entries) {
        long offset;
        try {
            offset = numbers.next(entries.size());
        } catch (Throwable e) {
            intake.putBack(entries);
            throw e;
        }
        int begin = 0;
        for (int i = 0; i < entries.size(); i++) {
            entries.get(i).offset(offset + i);
            if (i + 1 == entries.size()
                    || !entries.get(i + 1).topic().equals(entries.get(i).topic())) {
                log(entries.get(i).topic()).addAll(entries.subList(begin, i + 1));
                begin = i + 1;
            }
        }
    }

    /** Takes the report of the task, on whatever thread, that it cannot process a record. */
    private CompletableFuture<Void> report(SinkRecord record, Throwable error) {
        PartitionLog log = logs.get(record.originalTopic());
        SinkEntry entry = log == null ? null : log.entry(record.originalKafkaOffset());
        if (entry == null) {
            throw new ConnectException("the record was not given to this task, or it has flushed it already");
        }
        try {
            return setAside.add(entry, new RecordFailedException(Stage.TASK_PUT, SinkTask.class, error));
        } catch (RuntimeException e) {
            ConnectException failure =
                    e instanceof ConnectException known ? known : new ConnectException("the report failed", e);
            refused.add(entry, failure);
            throw failure;
        }
    }

    private void seek(TopicPartition to, long offset) {
        PartitionLog log = logs.get(to.topic());
        if (log == null || !log.partition().equals(to)) {
            odd.warn("Task " + name() + " asks for offset " + offset + " of " + to + ", which is not its own: ignored");
            return;
        }
        long applied = log.seek(offset);
        if (applied != offset) {
            odd.warn(
                    "Task " + name() + " asks for offset " + offset + " of " + to + "; what it has flushed is gone, and"
                            + " nothing beyond the end is there: it goes on from " + applied);
        }
        redelivery = null;
    }

    private boolean holds(int fraction) {
        return logs.values().stream()
                .anyMatch(
                        log -> log.size() > 0 && intake.pressed(log.partition().topic(), fraction));
    }

    /** Returns milliseconds until the next commit. It comes early when half of the window waits for it. */
    private long commitDueMillis() {
        long since = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastCommitNanos);
        long interval = settings.flushIntervalMillis();
        if (singly.waitForFlush()) {
            interval = Math.min(interval, singly.pauseMillis(lastCommitNanos));
        } else if (holds(2)) {
            // A sink that does not flush now is asked again after growing pauses.
            interval = Math.min(interval, fruitless == 0 ? 0 : RETRY_FIRST_MILLIS << Math.min(fruitless, 7));
        }
        return Math.max(0, interval - since);
    }

    private void commit(SinkTask task, SinkContext context, boolean closing) throws Exception {
        context.commitBegins();
        context.takeSeeks().forEach(this::seek);
        boolean full = holds(1);
        boolean half = full || holds(2);
        setAside.awaitFirst(COPIES_MILLIS); // what has its copy leaves the window
        Map<TopicPartition, OffsetAndMetadata> current = new HashMap<>();
        logs.values().forEach(log -> current.put(log.partition(), new OffsetAndMetadata(log.position())));
        Map<TopicPartition, OffsetAndMetadata> flushed;
        try {
            flushed = calls().during("preCommit", () -> task.preCommit(new HashMap<>(current)));
        } catch (Throwable e) {
            if (closing) {
                throw e instanceof Exception known ? known : new ConnectException(e);
            }
            LOG.error("Task {} could not flush; it gets again what it has not flushed", name(), e);
            problem("preCommit failed: " + ErrorKind.of(e));
            boolean again = singly.next();
            singly.suspect(numbers.peek());
            logs.values().forEach(PartitionLog::rewind);
            redelivery = null;
            lastCommitNanos = System.nanoTime();
            if (fruitless++ > 0 || again) {
                waitMillis(Math.min(RETRY_MAX_MILLIS, RETRY_FIRST_MILLIS << Math.min(fruitless, 7)));
            }
            return;
        }
        context.takeSeeks().forEach(this::seek); // what the sink wants again is not flushed, whatever it returned
        int count = flushed == null ? 0 : flush(flushed, current);
        // In a redelivery the task gets again, and may report again, what it has reported.
        if (redelivery == null && setAside.takeAdded()) {
            logs.values().forEach(PartitionLog::leaveOutEnded);
        }
        lastCommitNanos = System.nanoTime();
        if (count > 0) {
            fruitless = 0;
            if (redelivery == null) {
                progressed();
            }
        } else if (half && !singly.waitForFlush()) {
            fruitless++;
            if (full && redelivery == null && fruitless >= FRUITLESS_MAX) {
                problem(settings.windowTooSmall());
            }
        } else if (redelivery == null && logs.values().stream().allMatch(log -> log.size() == 0)) {
            recovered();
        }
    }

    private int flush(Map<TopicPartition, OffsetAndMetadata> flushed, Map<TopicPartition, OffsetAndMetadata> current) {
        int count = 0;
        for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : flushed.entrySet()) {
            OffsetAndMetadata delivered = current.get(entry.getKey());
            long offset = entry.getValue().offset();
            if (delivered == null || offset > delivered.offset()) {
                odd.warn("Task " + name() + " says that it flushed " + entry.getKey() + " up to " + offset
                        + ", which it never got: ignored");
                continue;
            }
            PartitionLog log = log(entry.getKey().topic());
            List<SinkEntry> below = log.commit(refused.bound(Math.min(offset, log.position())));
            intake.forwarded(entry.getKey().topic(), below);
            count += below.size();
        }
        return count;
    }

    /** Gives everything back that is not flushed, after the thread has ended or was waited for long enough. */
    void giveBack() {
        givenBack = true;
        logs.values().forEach(log -> log.clear().forEach(SinkEntry::giveBack));
        setAside.close();
    }

    @Override
    public String toString() {
        return "sink task " + name();
    }
}
