package io.georep.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.comparison.Scenario.Message;
import io.georep.comparison.Scenario.Outcome;
import io.georep.comparison.Scenario.Session;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with one node that hosts the connector. */
final class GeoRepHost {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private GeoRepHost() {}

    /** An application without anything of its own. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static Outcome run(Scenario scenario) {
        Journal journal = Journal.of(scenario.name(), scenario.script());
        Map<String, String> settings = new HashMap<>(scenario.settings());
        settings.put("georep.poll.records.max", "1");
        settings.put("offset.flush.interval.ms", KafkaWorker.FLUSH_MILLIS);
        settings.put("georep.restart.delay.min.ms", scenario.restarted() ? "20" : "3600000");
        settings.put("georep.restart.delay.max.ms", scenario.restarted() ? "20" : "3600000");
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.f=0",
                        "georep.outboxes." + scenario.input() + ".f=0",
                        "georep.outboxes." + scenario.output() + ".f=0");
        for (Map.Entry<String, String> each : settings.entrySet()) {
            runner = runner.withPropertyValues(
                    "georep.connectors." + scenario.name() + "." + each.getKey() + "=" + each.getValue());
        }
        Outcome[] outcome = new Outcome[1];
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            InHost session = new InHost(context, scenario, journal);
            scenario.play().in(session);
            outcome[0] = new Outcome(journal.lines(), session.flushed(), session.messages(scenario.output(), 0));
        });
        return outcome[0];
    }

    private static final class InHost implements Session {
        private final Scenario scenario;
        private final Journal journal;
        private final Outbox<byte[]> input;
        private final Connectors connectors;
        private final List<Message> output = new CopyOnWriteArrayList<>();

        InHost(ApplicationContext context, Scenario scenario, Journal journal) {
            this.scenario = scenario;
            this.journal = journal;
            this.connectors = context.getBean(Connectors.class);
            Outboxes outboxes = context.getBean(Outboxes.class);
            this.input = outboxes.outbox(scenario.input(), byte[].class);
            outboxes.outbox(scenario.output(), byte[].class).forward(delivery -> output.add(message(delivery)));
        }

        private static Message message(io.georep.outbox.Delivery<byte[]> delivery) {
            Map<String, String> headers = new TreeMap<>(delivery.headers());
            String key = headers.remove("connect.key");
            boolean without = headers.remove("connect.value") != null;
            headers.remove("connect.timestamp");
            return new Message(key, without ? null : new String(delivery.payload(), StandardCharsets.UTF_8), headers);
        }

        @Override
        public Journal journal() {
            return journal;
        }

        @Override
        public void send(String key, String value, Map<String, String> headers) throws Exception {
            SendOptions options = SendOptions.defaults().headers(headers);
            if (key != null) {
                options = options.header("connect.key", key);
            }
            if (value == null) {
                options = options.header("connect.value", "null");
            }
            byte[] payload = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
            input.send(payload, options).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }

        private void awaitState(Connectors.State state) {
            await().atMost(PATIENCE)
                    .until(() -> connectors.byName(scenario.name()).state() == state);
        }

        @Override
        public void pause() {
            connectors.pause(scenario.name());
            awaitState(Connectors.State.PAUSED);
        }

        @Override
        public void resume() {
            connectors.resume(scenario.name());
            awaitState(Connectors.State.RUNNING);
        }

        @Override
        public void stop() {
            connectors.stop(scenario.name());
            awaitState(Connectors.State.STOPPED);
        }

        @Override
        public long flushed() {
            return input.statistics().forwarded() + input.statistics().deadLettered();
        }

        @Override
        public List<Message> messages(String topic, int count) {
            await().atMost(PATIENCE).until(() -> output.size() >= count);
            return List.copyOf(output);
        }
    }
}
