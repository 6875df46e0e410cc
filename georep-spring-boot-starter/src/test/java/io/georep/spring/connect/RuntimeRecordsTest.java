package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.outbox.Delivery;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records have the class of Kafka Connect's runtime where a plugin has it; the real one is in the connector host's DebeziumIT. */
class RuntimeRecordsTest {
    private static final SinkRecord RECORD = new SinkRecord("renamed", 3, null, null, null, "value", 7);

    @TempDir
    Path directory;

    private URLClassLoader runtime(String context) throws Exception {
        Path record = Files.writeString(directory.resolve("InternalSinkRecord.java"), """
                package org.apache.kafka.connect.runtime;
                import org.apache.kafka.connect.runtime.errors.ProcessingContext;
                import org.apache.kafka.connect.sink.SinkRecord;
                public class InternalSinkRecord extends SinkRecord {
                    public final Object original;
                    public InternalSinkRecord(ProcessingContext context, SinkRecord record) {
                        super(record.topic(), record.kafkaPartition(), null, null, null, record.value(), record.kafkaOffset());
                        original = context.original;
                    }
                }
                """);
        Path given = Files.writeString(directory.resolve("ProcessingContext.java"), """
                package org.apache.kafka.connect.runtime.errors;
                public class ProcessingContext {
                    public Object original;
                    %s
                }
                """.formatted(context));
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-d",
                        directory.toString(),
                        record.toString(),
                        given.toString());
        assertThat(result).isZero();
        return new URLClassLoader(new URL[] {directory.toUri().toURL()}, RuntimeRecordsTest.class.getClassLoader());
    }

    private static SinkEntry entry() {
        Delivery<?> delivery = (Delivery<?>) Proxy.newProxyInstance(
                RuntimeRecordsTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> method.getName().equals("queue") ? "orders" : null);
        SinkEntry entry = new SinkEntry(delivery, "payload".getBytes(StandardCharsets.UTF_8), new Endings());
        entry.offset(7);
        return entry;
    }

    @Test
    void aTaskThatKnowsTheRuntimeFindsWhereItsRecordComesFrom() throws Exception {
        try (URLClassLoader plugin = runtime("public ProcessingContext(Object of) { original = of; }")) {
            SinkRecord record = RuntimeRecords.of(plugin).of(RECORD, entry(), 3);

            assertThat(record.getClass().getName()).isEqualTo("org.apache.kafka.connect.runtime.InternalSinkRecord");
            assertThat(record.value()).isEqualTo("value");
            ConsumerRecord<?, ?> original = (ConsumerRecord<?, ?>)
                    record.getClass().getField("original").get(record);
            assertThat(original.topic()).isEqualTo("orders");
            assertThat(original.partition()).isEqualTo(3);
            assertThat(original.offset()).isEqualTo(7);
        }
    }

    @Test
    void othersGetTheRecordAsItIs() {
        assertThat(RuntimeRecords.of(RuntimeRecordsTest.class.getClassLoader()).of(RECORD, entry(), 3))
                .isSameAs(RECORD);
    }

    /** Such a task would take failed records for written ones. */
    @Test
    void aRuntimeThatIsNotKnownIsRefused() throws Exception {
        try (URLClassLoader plugin = runtime("")) {
            assertThatThrownBy(() -> RuntimeRecords.of(plugin))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("org.apache.kafka:connect-runtime");
        }
    }
}
