package io.georep.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of applications and tasks of workers are one cluster: what one of them sends, the other forwards. */
final class OtherNodesTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @TempDir
    Path directory;

    private GeoRepNode application(Carriage carriage) {
        Map<String, String> settings = carriage.settings("application", "w9", 0);
        settings.put("topics", "orders");
        NodeSettings node =
                new NodeSettings(new AbstractConfig(SinkSettings.CONFIG, settings, false), TaskName.Role.SINK);
        return TaskNode.startOnFreePort(node, "billing-1");
    }

    /** As {@code @OutboxListener} gets it: payload, key and headers by their names. */
    @Test
    void anApplicationForwardsWhatASinkSent() {
        try (Carriage carriage = new Carriage(directory);
                GeoRepNode application = application(carriage)) {
            ConcurrentLinkedQueue<Delivery<String>> forwarded = new ConcurrentLinkedQueue<>();
            application.outbox("orders", String.class).forward(forwarded::add);
            GeoRepSinkTask sink = carriage.sink("w1", 0);

            sink.put(List.of(Carriage.record(0, "paid")));

            await().atMost(LONG).until(() -> {
                sink.put(List.of());
                return !forwarded.isEmpty();
            });
            Delivery<String> delivery = forwarded.remove();
            assertThat(delivery.payload()).isEqualTo("paid");
            assertThat(delivery.headers())
                    .containsEntry("connect.key", "key 0")
                    .containsEntry("connect.timestamp", "1700000000000")
                    .containsEntry("tenant", "acme");
            assertThat(delivery.producerKey()).isEqualTo("orders-0@0");
        }
    }

    @Test
    void aSourceForwardsWhatAnApplicationSent() {
        try (Carriage carriage = new Carriage(directory);
                GeoRepNode application = application(carriage)) {
            Outbox<String> outbox = application.outbox(
                    "orders",
                    String.class,
                    options -> options.handOver(node -> node.id().value().startsWith("source.")));
            GeoRepSourceTask source = carriage.source("w2", 0);
            assertThat(application.awaitReady(1, LONG)).isTrue();

            outbox.sendAndWait("plain", LONG);
            outbox.send(
                    "with a key",
                    SendOptions.defaults().header("connect.key", "k").header("tenant", "acme"));

            ArrayList<SourceRecord> records = new ArrayList<>();
            await().atMost(LONG).until(() -> {
                List<SourceRecord> some = source.poll();
                records.addAll(some == null ? List.of() : some);
                return records.size() == 2;
            });
            records.sort(Comparator.comparing(Carriage::value));
            assertThat(records).extracting(Carriage::value).containsExactly("plain", "with a key");
            assertThat(records.get(0).key()).isNull();
            assertThat(records.get(0).timestamp()).isPositive();
            assertThat((byte[]) records.get(1).key()).isEqualTo("k".getBytes(UTF_8));
            assertThat((byte[]) records.get(1).headers().lastWithName("tenant").value())
                    .isEqualTo("acme".getBytes(UTF_8));
        }
    }
}
