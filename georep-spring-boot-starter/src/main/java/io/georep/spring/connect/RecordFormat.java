package io.georep.spring.connect;

import io.georep.codec.RecordEnvelope;
import io.georep.codec.RecordEnvelope.RawHeader;
import io.georep.spring.connect.Tolerance.Stage;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.jspecify.annotations.Nullable;

/** Makes records of entries and entries of records, with the converters of one task. For the thread of that task. */
final class RecordFormat {
    private final Converter keys;
    private final Converter values;
    private final HeaderConverter headers;
    private final Tolerance tolerance;
    private final @Nullable String idHeader;

    /**
     * Creates a format with these converters; {@code idHeader} is the header of sinks' records for the entry's id, null for
     * none.
     */
    RecordFormat(
            Converter keys, Converter values, HeaderConverter headers, Tolerance tolerance, @Nullable String idHeader) {
        this.keys = keys;
        this.values = values;
        this.headers = headers;
        this.tolerance = tolerance;
        this.idHeader = idHeader;
    }

    /** Returns the record of an entry that has its place in a partition. */
    SinkRecord read(SinkEntry entry, int partition) throws RecordFailedException {
        String topic = entry.topic();
        RecordEnvelope envelope = tolerance.run(
                Stage.VALUE_CONVERTER,
                RecordEnvelope.class,
                () -> RecordEnvelope.read(entry.payload(), entry.delivery().headers()));
        RecordHeaders raw = new RecordHeaders();
        envelope.headers().forEach(header -> raw.add(header.name(), header.value()));
        // In the order of Kafka Connect, so that of several faults the same one is told.
        SchemaAndValue key = tolerance.run(
                Stage.KEY_CONVERTER, keys.getClass(), () -> given(keys.toConnectData(topic, raw, envelope.key())));
        SchemaAndValue value = tolerance.run(
                Stage.VALUE_CONVERTER,
                values.getClass(),
                () -> given(values.toConnectData(topic, raw, envelope.value())));
        ConnectHeaders read = new ConnectHeaders();
        for (RawHeader header : envelope.headers()) {
            read.add(
                    header.name(),
                    tolerance.run(
                            Stage.HEADER_CONVERTER,
                            headers.getClass(),
                            () -> headers.toConnectHeader(topic, header.name(), header.value())));
        }
        if (idHeader != null) {
            read.addString(idHeader, entry.delivery().id().toString());
        }
        Long time = envelope.timestamp();
        return new SinkRecord(
                topic,
                partition,
                key.schema(),
                key.value(),
                value.schema(),
                value.value(),
                entry.offset(),
                time == null ? entry.delivery().enqueuedAt().toEpochMilli() : time,
                TimestampType.CREATE_TIME,
                read);
    }

    private static SchemaAndValue given(@Nullable SchemaAndValue converted) {
        if (converted == null) {
            throw new DataException("the converter returned null");
        }
        return converted;
    }

    /** Returns what the entry of a record carries. */
    RecordEnvelope write(SourceRecord record) throws RecordFailedException {
        String topic = record.topic();
        RecordHeaders raw = new RecordHeaders(); // converters may add to them
        for (Header header : record.headers()) {
            byte[] value = tolerance.run(
                    Stage.HEADER_CONVERTER,
                    headers.getClass(),
                    () -> headers.fromConnectHeader(topic, header.key(), header.schema(), header.value()));
            raw.add(header.key(), value);
        }
        byte[] key = tolerance.run(
                Stage.KEY_CONVERTER,
                keys.getClass(),
                () -> keys.fromConnectData(topic, raw, record.keySchema(), record.key()));
        byte[] value = tolerance.run(
                Stage.VALUE_CONVERTER,
                values.getClass(),
                () -> values.fromConnectData(topic, raw, record.valueSchema(), record.value()));
        List<RawHeader> list = new ArrayList<>();
        raw.forEach(header -> list.add(new RawHeader(header.key(), header.value())));
        return new RecordEnvelope(key, value, record.timestamp(), list);
    }
}
