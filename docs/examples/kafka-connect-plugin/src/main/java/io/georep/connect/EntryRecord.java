package io.georep.connect;

import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** A record that knows its entry. Kafka Connect commits the very record that it was given, also if it was transformed. */
final class EntryRecord extends SourceRecord {
    private final UnconfirmedEntry entry;

    EntryRecord(
            UnconfirmedEntry entry,
            Map<String, ?> partition,
            Map<String, ?> offset,
            String topic,
            byte @Nullable [] key,
            byte @Nullable [] value,
            long timestamp,
            Iterable<Header> headers) {
        super(
                partition,
                offset,
                topic,
                null,
                Schema.OPTIONAL_BYTES_SCHEMA,
                key,
                Schema.OPTIONAL_BYTES_SCHEMA,
                value,
                timestamp,
                headers);
        this.entry = entry;
    }

    UnconfirmedEntry entry() {
        return entry;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
