package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Outbox;
import io.georep.spi.TransportFactory;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.actuate.OwnOperations;
import io.georep.testing.LocalNetwork;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Changes of state are single lines with ids in the text and as fields. */
class StructuredLogTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    static class Receiver {
        @OutboxListener(queue = "mail", id = "letters")
        void forward(String payload) {
            throw new DeadLetterException("no such number");
        }
    }

    private static ApplicationContextRunner node(LocalNetwork network, String id, int port) {
        return TestApplication.runner()
                .withUserConfiguration(OwnOperations.class)
                .withBean(TransportFactory.class, network::transports)
                .withPropertyValues(
                        "georep.node-id=" + id,
                        "georep.site=site-" + id,
                        "georep.durability=memory",
                        "georep.host=local",
                        "georep.port=" + port,
                        "georep.seeds=local:1001,local:1002",
                        "georep.protocol.heartbeat=50ms",
                        "georep.protocol.suspect-after=500ms",
                        "georep.protocol.terminate-after=500ms",
                        "georep.protocol.put-timeout=400ms");
    }

    @Test
    void tellsTheLifeOfANodeOnce() {
        try (CapturedChanges changes = new CapturedChanges()) {
            TestApplication.alone().withBean(Receiver.class).run(context -> {
                changes.await(Map.of("georep.event", "ready", "georep.node", "n1", "georep.f", "0"));
                OutboxListeners.Container listener =
                        context.getBean(OutboxListeners.class).byId("letters");
                listener.pause();
                listener.pause();
                context.getBean(Outboxes.class).outbox("mail", String.class).resume();
                changes.await(Map.of("georep.event", "resumed"));
                EntryId id = context.getBean(Outboxes.class)
                        .outbox("mail", String.class)
                        .sendAndWait("x", SOON);
                ILoggingEvent letter =
                        changes.await(Map.of("georep.event", "dead-letter", "georep.entry", id.toString()));
                assertThat(letter.getFormattedMessage()).contains(id.toString(), "mail", "no such number");
            });

            assertThat(changes.all())
                    .extracting(event -> CapturedChanges.fields(event).get("georep.event"))
                    .containsExactly("started", "ready", "paused", "resumed", "dead-letter", "leaving", "stopped");
            assertThat(changes.all())
                    .allSatisfy(
                            event -> assertThat(CapturedChanges.fields(event)).containsEntry("georep.node", "n1"));
        }
    }

    @Test
    void tellsPeersReadinessAndDrains() {
        LocalNetwork network = new LocalNetwork();
        NodeId n1 = NodeId.of("n1");
        NodeId n2 = NodeId.of("n2");
        try (CapturedChanges changes = new CapturedChanges()) {
            node(network, "n1", 1001)
                    .run(first -> node(network, "n2", 1002).run(second -> {
                        changes.await(Map.of("georep.event", "ready", "georep.node", "n1", "georep.f", "1"));
                        changes.await(Map.of("georep.event", "ready", "georep.node", "n2"));
                        changes.await(Map.of(
                                "georep.event", "peer-state",
                                "georep.node", "n1",
                                "georep.peer", "n2",
                                "georep.after", "ACTIVE"));

                        first.getBean(GeoRepNode.class).drain(n2);
                        changes.await(Map.of("georep.event", "drained", "georep.node", "n1", "georep.peer", "n2"));
                        changes.await(Map.of("georep.event", "drained", "georep.node", "n2", "georep.peer", "n2"));
                        changes.await(Map.of("georep.event", "not-ready", "georep.node", "n1"));
                        first.getBean(GeoRepNode.class).undrain(n2);
                        changes.await(Map.of("georep.event", "undrained", "georep.node", "n2", "georep.peer", "n2"));

                        network.cut(n1, n2);
                        changes.await(Map.of(
                                "georep.node", "n2",
                                "georep.peer", "n1",
                                "georep.site", "site-n1",
                                "georep.after", "TERMINATED"));
                        first.getBean(GeoRepNode.class).remove(n2);
                        changes.await(Map.of("georep.event", "removed", "georep.node", "n1", "georep.peer", "n2"));
                    }));
        }
    }

    @Test
    void tellsAdoptions() {
        LocalNetwork network = new LocalNetwork();
        try (CapturedChanges changes = new CapturedChanges()) {
            node(network, "n1", 1001)
                    .run(first -> node(network, "n2", 1002).run(second -> {
                        changes.await(Map.of("georep.event", "ready", "georep.node", "n1"));
                        Outbox<String> outbox = first.getBean(Outboxes.class).outbox("sms", String.class);
                        outbox.sendAndWait("x", SOON);

                        first.getBean(GeoRepNode.class).halt();

                        changes.await(Map.of(
                                "georep.event", "adopted",
                                "georep.node", "n2",
                                "georep.queue", "sms",
                                "georep.peer", "n1",
                                "georep.entries", "1"));
                        changes.await(Map.of("georep.event", "unopened", "georep.node", "n2", "georep.queue", "sms"));
                    }));
        }
    }

    /** The lines as {@code logging.structured.format.console} writes them. */
    @ParameterizedTest
    @ValueSource(strings = {"ecs", "logstash"})
    void areFieldsInTheStructuredFormatsOfBoot(String format) {
        List<JsonNode> lines = new ArrayList<>();
        try (CapturedChanges changes = new CapturedChanges()) {
            TestApplication.alone().withBean(Receiver.class).run(context -> {
                context.getBean(Outboxes.class).outbox("mail", String.class).sendAndWait("x", SOON);
                changes.await(Map.of("georep.event", "dead-letter"));
            });
            changes.all().forEach(event -> lines.add(json(format, event)));
        }

        assertThat(lines)
                .extracting(line -> field(format, line, "event"))
                .contains("started", "dead-letter", "stopped");
        JsonNode letter = lines.stream()
                .filter(line -> field(format, line, "event").equals("dead-letter"))
                .findFirst()
                .orElseThrow();
        assertThat(field(format, letter, "node")).isEqualTo("n1");
        assertThat(field(format, letter, "queue")).isEqualTo("mail");
        assertThat(EntryId.parse(field(format, letter, "entry")).origin()).isEqualTo(NodeId.of("n1"));
        assertThat(letter.get("message").asString()).contains(field(format, letter, "entry"), "no such number");
    }

    private static JsonNode json(String format, ILoggingEvent event) {
        LoggerContext context = new LoggerContext();
        context.putObject(Environment.class.getName(), new MockEnvironment());
        StructuredLogEncoder encoder = new StructuredLogEncoder();
        encoder.setContext(context);
        encoder.setFormat(format);
        encoder.start();
        String line = new String(encoder.encode(event), StandardCharsets.UTF_8);
        assertThat(line).endsWith("\n");
        assertThat(line.strip()).as("one line").doesNotContain("\n");
        return JsonMapper.builder().build().readTree(line);
    }

    /** ECS nests what has dots in its name. */
    private static String field(String format, JsonNode line, String name) {
        return format.equals("ecs")
                ? line.path("georep").path(name).asString("")
                : line.path("georep." + name).asString("");
    }
}
