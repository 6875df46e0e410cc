package io.georep.spring.connect;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** Converts texts, except some for which it does what no converter should. */
public final class OddConverter implements Converter {
    /** How many are configured and not closed, predicates included. */
    public static final AtomicInteger OPEN = new AtomicInteger();

    /** What it does first when it is configured, as one that asks a registry. */
    public static volatile Runnable configuring = () -> {};

    private boolean configured;

    @Override
    public void configure(Map<String, ?> settings, boolean isKey) {
        configuring.run();
        configured = true;
        OPEN.incrementAndGet();
    }

    @Override
    public byte[] fromConnectData(String topic, Schema schema, Object value) {
        return String.valueOf(value).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public SchemaAndValue toConnectData(String topic, byte[] value) {
        String text = value == null ? "" : new String(value, StandardCharsets.UTF_8);
        return switch (text) {
            case "nothing" -> null;
            case "deep" -> new SchemaAndValue(null, depth(0));
            default -> new SchemaAndValue(Schema.STRING_SCHEMA, text);
        };
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int depth(int above) {
        return 1 + depth(above + 1);
    }

    @Override
    public void close() {
        if (configured) {
            configured = false;
            OPEN.decrementAndGet();
        }
    }

    /** A predicate that holds something, too. */
    public static final class Odd implements Predicate<SinkRecord> {
        @Override
        public ConfigDef config() {
            return new ConfigDef();
        }

        @Override
        public void configure(Map<String, ?> settings) {
            OPEN.incrementAndGet();
        }

        @Override
        public boolean test(SinkRecord record) {
            return true;
        }

        @Override
        public void close() {
            OPEN.decrementAndGet();
        }
    }

    /** A transformation that cannot be configured for a while. */
    public static final class Refusing<R extends ConnectRecord<R>> implements Transformation<R> {
        /** How often it refuses. */
        public static final AtomicInteger TIMES = new AtomicInteger();

        @Override
        public ConfigDef config() {
            return new ConfigDef();
        }

        @Override
        public void configure(Map<String, ?> settings) {
            if (TIMES.getAndDecrement() > 0) {
                throw new IllegalStateException("what it needs is away");
            }
        }

        @Override
        public R apply(R record) {
            return record;
        }

        @Override
        public void close() {}
    }
}
