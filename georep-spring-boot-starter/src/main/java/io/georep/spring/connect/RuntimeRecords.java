package io.georep.spring.connect;

import java.lang.reflect.Constructor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/**
 * Gives records the class of Kafka Connect's own runtime, if a plugin brings that class along. Debezium's JDBC sink
 * asks it where a record comes from, and counts other records as written although they failed. For the thread of one
 * task.
 */
final class RuntimeRecords {
    private static final String RECORD = "org.apache.kafka.connect.runtime.InternalSinkRecord";
    private static final String CONTEXT = "org.apache.kafka.connect.runtime.errors.ProcessingContext";

    /** Used for plugins that need no such class. */
    static final RuntimeRecords NONE = new RuntimeRecords(null, null);

    private final @Nullable Constructor<? extends SinkRecord> record;
    private final @Nullable Constructor<?> context;

    private RuntimeRecords(@Nullable Constructor<? extends SinkRecord> record, @Nullable Constructor<?> context) {
        this.record = record;
        this.context = context;
    }

    /**
     * For a plugin.
     *
     * @throws ConnectException if its runtime is of a version that is not known here
     */
    static RuntimeRecords of(ClassLoader plugin) {
        Class<?> type;
        try {
            type = Class.forName(RECORD, true, plugin);
        } catch (ClassNotFoundException e) {
            return NONE;
        } catch (LinkageError e) {
            throw unknown(e);
        }
        try {
            Class<?> given = Class.forName(CONTEXT, true, plugin);
            return new RuntimeRecords(
                    type.asSubclass(SinkRecord.class).getConstructor(given, SinkRecord.class),
                    given.getConstructor(Object.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            throw unknown(e);
        }
    }

    private static ConnectException unknown(Throwable cause) {
        return new ConnectException(
                "the plugin comes with a connect-runtime of a version that this host does not know: put"
                        + " org.apache.kafka:connect-runtime of the version of the application's connect-api in its place",
                cause);
    }

    /** Returns the record for the task; made of this entry, which has its place in the partition. */
    SinkRecord of(SinkRecord made, SinkEntry entry, int partition) {
        if (record == null || context == null) {
            return made;
        }
        try {
            return record.newInstance(
                    context.newInstance(new ConsumerRecord<byte @Nullable [], byte[]>(
                            entry.topic(), partition, entry.offset(), null, entry.payload())),
                    made);
        } catch (ReflectiveOperationException e) {
            throw unknown(e);
        }
    }
}
