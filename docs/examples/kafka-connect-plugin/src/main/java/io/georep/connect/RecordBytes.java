package io.georep.connect;

import io.georep.codec.RecordEnvelope;
import io.georep.codec.RecordEnvelope.RawHeader;
import io.georep.outbox.Delivery;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Records whose parts converters left as bytes or texts, and the entries that carry them. */
final class RecordBytes {
    private RecordBytes() {}

    /**
     * What the entry of a record carries.
     *
     * @throws DataException if a part is anything but bytes or a text
     */
    static RecordEnvelope envelope(SinkRecord record) {
        List<RawHeader> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(new RawHeader(header.key(), bytes("header " + header.key(), record, header.value())));
        }
        return new RecordEnvelope(
                bytes("key", record, record.key()),
                bytes("value", record, record.value()),
                record.timestamp(),
                headers);
    }

    private static byte @Nullable [] bytes(String part, SinkRecord record, @Nullable Object value) {
        if (value == null) {
            return null;
        } else if (value instanceof byte[] bytes) {
            return bytes;
        } else if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        } else if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        throw new DataException("the " + part + " of a record of topic " + record.topic() + " is a "
                + value.getClass().getName() + ": let the converters be " + ConnectorChecks.BYTES
                + ", and let transformations leave bytes or texts");
    }

    /**
     * The record of an entry.
     *
     * @param idHeader header for the id of the entry; empty for none
     * @throws io.georep.codec.MalformedException if the entry carries something else
     */
    static EntryRecord record(UnconfirmedEntry entry, String topic, String idHeader) {
        Delivery<byte[]> delivery = entry.delivery();
        RecordEnvelope envelope = RecordEnvelope.read(delivery.payload(), delivery.headers());
        ConnectHeaders headers = new ConnectHeaders();
        envelope.headers().forEach(each -> headers.add(each.name(), each.value(), Schema.OPTIONAL_BYTES_SCHEMA));
        if (!idHeader.isEmpty()) {
            headers.add(
                    idHeader, delivery.id().toString().getBytes(StandardCharsets.UTF_8), Schema.OPTIONAL_BYTES_SCHEMA);
        }
        Long time = envelope.timestamp();
        return new EntryRecord(
                entry,
                Map.of("queue", delivery.queue()),
                Map.of("entry", delivery.id().toString()),
                topic,
                envelope.key(),
                envelope.value(),
                // Kafka Connect fails a task whose record is from before 1970, and it would get the same entry again.
                time == null || time < 0 ? delivery.enqueuedAt().toEpochMilli() : time,
                headers);
    }
}
