package io.georep.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.connect.util.ConnectUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an entry that a task hands to Kafka Connect. */
final class RecordBytesTest {
    private static final Instant ENQUEUED = Instant.ofEpochMilli(1_700_000_000_000L);

    /** The task ends for good when Kafka Connect does not take a record: it would get the same entry after each start. */
    @ParameterizedTest
    @ValueSource(longs = {-1, -2, Long.MIN_VALUE})
    void aTimeThatKafkaDoesNotKnowIsThatOfTheEntry(long time) {
        EntryRecord record = RecordBytes.record(
                new UnconfirmedEntry(delivery(Map.of("connect.timestamp", "" + time)), new CompletableFuture<>()),
                "t",
                "");

        assertThat(ConnectUtils.checkAndConvertTimestamp(record.timestamp())).isEqualTo(ENQUEUED.toEpochMilli());
    }

    @SuppressWarnings("unchecked")
    private static Delivery<byte[]> delivery(Map<String, String> headers) {
        return (Delivery<byte[]>) Proxy.newProxyInstance(
                RecordBytesTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "headers" -> headers;
                    case "payload" -> "x".getBytes(UTF_8);
                    case "queue" -> "orders";
                    case "id" -> EntryId.parse("n1:1:0:0");
                    case "enqueuedAt" -> ENQUEUED;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
