package io.georep.spring.connect;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.jspecify.annotations.Nullable;

/**
 * Leaves bytes as they are. It is for payloads that a connector reads and writes as bytes. It stands in for {@code
 * org.apache.kafka.connect.converters.ByteArrayConverter}, which is part of Kafka Connect's runtime. Thread-safe.
 */
public final class ByteArrayConverter implements Converter, HeaderConverter {
    /** Converts without any settings. */
    public ByteArrayConverter() {}

    /**
     * Returns the version of this library. From Kafka 4.3 on both interfaces have such a method, and without this one nobody could
     * call it.
     */
    public String version() {
        String version = ByteArrayConverter.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    /** Has no settings. */
    @Override
    public void configure(Map<String, ?> settings) {}

    /** Has no settings. */
    @Override
    public void configure(Map<String, ?> settings, boolean isKey) {}

    /**
     * Returns the bytes of a value.
     *
     * @throws DataException if the value is anything but bytes
     */
    @Override
    public byte @Nullable [] fromConnectData(String topic, @Nullable Schema schema, @Nullable Object value) {
        if (schema != null && schema.type() != Schema.Type.BYTES) {
            throw new DataException("ByteArrayConverter takes bytes, but the record of topic " + topic + " has "
                    + schema.type() + ": choose another converter");
        }
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        throw new DataException("ByteArrayConverter takes bytes, but the record of topic " + topic + " has a "
                + value.getClass().getName() + ": choose another converter");
    }

    @Override
    public SchemaAndValue toConnectData(String topic, byte @Nullable [] value) {
        return new SchemaAndValue(Schema.OPTIONAL_BYTES_SCHEMA, value);
    }

    @Override
    public byte @Nullable [] fromConnectHeader(
            String topic, String name, @Nullable Schema schema, @Nullable Object value) {
        return fromConnectData(topic, schema, value);
    }

    @Override
    public SchemaAndValue toConnectHeader(String topic, String name, byte @Nullable [] value) {
        return toConnectData(topic, value);
    }

    @Override
    public void close() {}
}
