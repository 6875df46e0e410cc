package io.georep.connectors;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/**
 * Sends one record after the other to a server that may be away. When {@link #put} returns, the server has every record of the
 * batch that was not given up.
 *
 * <p>While the server is away the circuit is open: until the pause is over nothing is sent, then one record is tried. The
 * pause doubles with each failure in a row, and is at least what the server asks for.
 */
public abstract class SendingTask extends SinkTask {
    private static final String PAUSE = "retry.backoff.ms";
    private static final String PAUSE_MAX = "retry.backoff.max.ms";
    private static final int DOUBLINGS_MAX = 62;

    /** The place of a record in the topic that it was read from: transformations may give several topics one name. */
    private record Position(TopicPartition partition, long offset) {
        static Position of(SinkRecord record) {
            return new Position(
                    new TopicPartition(record.originalTopic(), record.originalKafkaPartition()),
                    record.originalKafkaOffset());
        }
    }

    private final LongSupplier nanoTime;
    /** Records of an unfinished batch that the server has already; the batch will be put again. */
    private final Set<Position> sent = new HashSet<>();

    private long pauseMillis;
    private long pauseMillisMax;
    private int failures;
    private long openUntil;

    /** Creates a task that has not been started. */
    protected SendingTask() {
        this(System::nanoTime);
    }

    /** A task with another clock, for tests. */
    protected SendingTask(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Adds the settings of this class. */
    public static ConfigDef withPauses(ConfigDef config) {
        return config.define(
                        PAUSE,
                        ConfigDef.Type.LONG,
                        1_000L,
                        Range.atLeast(1),
                        Importance.MEDIUM,
                        "Milliseconds from a failure to the next try, doubled with each failure in a row.")
                .define(
                        PAUSE_MAX,
                        ConfigDef.Type.LONG,
                        60_000L,
                        Range.atLeast(1),
                        Importance.MEDIUM,
                        "The longest pause in milliseconds, unless the server asks for a longer one.");
    }

    @Override
    public final void start(Map<String, String> properties) {
        AbstractConfig settings = begin(properties);
        pauseMillis = settings.getLong(PAUSE);
        pauseMillisMax = Math.max(pauseMillis, settings.getLong(PAUSE_MAX));
        failures = 0;
        sent.clear();
    }

    /** Takes the settings; returns them parsed. Does not wait for the server. */
    protected abstract AbstractConfig begin(Map<String, String> properties);

    /**
     * Sends a record.
     *
     * @throws TemporaryFailure if it is to be tried again
     * @throws RecordRefused if the server will never take it
     */
    protected abstract void send(SinkRecord record) throws TemporaryFailure, RecordRefused;

    /**
     * Makes sure that the server has all that was sent since the last call. Does nothing where {@link #send} already did.
     *
     * @throws TemporaryFailure if all of it is to be sent again
     */
    protected void confirm() throws TemporaryFailure {}

    /** Returns whether the server has a record when {@link #send} returns; if not, it has it after {@link #confirm}. */
    protected boolean confirmsEach() {
        return true;
    }

    /** Closes the connection after a failure, if there is one; the next {@link #send} opens another. */
    protected void disconnect() {}

    @Override
    public final void put(Collection<SinkRecord> records) {
        if (records.isEmpty()) {
            return;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(openUntil - nanoTime.getAsLong());
        if (failures > 0 && left > 0) {
            context.timeout(left);
            throw new RetriableException("the server failed " + failures + " times; trying again in " + left + " ms");
        }
        try {
            for (SinkRecord record : records) {
                if (!sent.contains(Position.of(record))) {
                    sendOrReport(record);
                }
            }
            confirm();
        } catch (TemporaryFailure e) {
            throw open(e);
        }
        failures = 0;
        sent.clear();
    }

    private void sendOrReport(SinkRecord record) throws TemporaryFailure {
        try {
            send(record);
            if (confirmsEach()) {
                failures = 0;
                sent.add(Position.of(record));
            }
        } catch (RecordRefused e) {
            giveUp(record, e);
        }
    }

    /** Notes that the server has a record: it is not sent again, even if the rest of its batch is. */
    protected final void arrived(SinkRecord record) {
        sent.add(Position.of(record));
    }

    /** Makes a dead letter of a record, or lets the task fail if there is no place for dead letters. */
    protected final void giveUp(SinkRecord record, RecordRefused refused) {
        ErrantRecordReporter reporter = context.errantRecordReporter();
        if (reporter == null) {
            throw new ConnectException(refused.getMessage(), refused);
        }
        // The host waits for this future before it counts the record as done.
        Future<Void> reported = reporter.report(record, refused);
        if (reported.isCancelled()) {
            throw new ConnectException(refused.getMessage(), refused);
        }
        sent.add(Position.of(record));
    }

    private RetriableException open(TemporaryFailure failure) {
        disconnect();
        int doublings = Math.min(failures, DOUBLINGS_MAX);
        long own = pauseMillisMax >> doublings < pauseMillis ? pauseMillisMax : pauseMillis << doublings;
        long millis = Math.max(own, failure.pause().toMillis());
        failures++;
        openUntil = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        context.timeout(millis);
        return new RetriableException(failure.getMessage() + "; trying again in " + millis + " ms", failure);
    }

    /** Another task may take the partitions, and they may come back with other records at the same offsets. */
    @Override
    public final void close(Collection<TopicPartition> partitions) {
        sent.removeIf(each -> partitions.contains(each.partition()));
    }

    @Override
    public final void stop() {
        disconnect();
    }

    @Override
    public final String version() {
        return Versions.own();
    }
}
