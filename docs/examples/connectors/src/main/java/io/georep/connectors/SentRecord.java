package io.georep.connectors;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.connect.data.Values;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** How connectors that send bytes or text see a record. */
public final class SentRecord {
    private static final String ID_HEADER = "id.header";

    private SentRecord() {}

    /** Adds the setting that says where a record's id is. */
    public static ConfigDef withId(ConfigDef config) {
        return config.define(
                ID_HEADER,
                ConfigDef.Type.STRING,
                "georep.id",
                Importance.LOW,
                "Header of a record that has its id. The id of a record without this header is"
                        + " <topic>-<partition>-<offset>.");
    }

    /**
     * The setting made by {@link #withId}.
     *
     * @param settings parsed settings
     */
    public static String idHeader(org.apache.kafka.common.config.AbstractConfig settings) {
        return settings.getString(ID_HEADER);
    }

    /**
     * Returns the id of a record, the same at each repetition: from the header, or else its place in the topic that it was read
     * from.
     */
    public static String id(SinkRecord record, String idHeader) {
        String given = header(record, idHeader);
        return given == null || given.isEmpty()
                ? record.originalTopic() + "-" + record.originalKafkaPartition() + "-" + record.originalKafkaOffset()
                : given;
    }

    /** The last header of this name as text; null if there is none, or none with a value. */
    public static @Nullable String header(SinkRecord record, String name) {
        Header header = record.headers().lastWithName(name);
        if (header == null || header.value() == null) {
            return null;
        }
        return header.value() instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.UTF_8)
                : Values.convertToString(header.schema(), header.value());
    }

    /**
     * The value as bytes, text in UTF-8.
     *
     * @throws RecordRefused if it is neither bytes nor text
     */
    public static byte[] bytes(SinkRecord record) throws RecordRefused {
        Object value = record.value();
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        throw new RecordRefused(
                value == null
                        ? "the record has no value"
                        : "the record's value is neither bytes nor text but a "
                                + value.getClass().getSimpleName()
                                + ": set value.converter to a converter for bytes or text",
                null);
    }
}
