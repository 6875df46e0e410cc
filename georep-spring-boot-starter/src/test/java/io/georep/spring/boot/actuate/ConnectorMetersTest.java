package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.RecordingSink;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The meters of connectors, and what dashboard and alerts make of them. */
@Timeout(180)
class ConnectorMetersTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Path PAGES = Path.of("..", "docs");
    private static final Path MONITORING = PAGES.resolve("examples/monitoring");

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private ApplicationContextRunner archive(String file) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.outboxes.sms.f=0",
                        "georep.connectors.archive.connector.class=FileStreamSink",
                        "georep.connectors.archive.topics=sms",
                        "georep.connectors.archive.file=" + directory.resolve(file),
                        "georep.connectors.archive.offset.flush.interval.ms=3600000",
                        "georep.connectors.archive.value.converter=org.apache.kafka.connect.storage.StringConverter");
    }

    @Test
    void tellStateTasksAndWhatIsInTheirHands() {
        archive("out.txt").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            var outbox = context.getBean(Outboxes.class).outbox("sms", byte[].class);
            for (int i = 0; i < 3; i++) {
                outbox.sendAndWait("x".getBytes(StandardCharsets.UTF_8), SOON);
            }

            await().atMost(SOON).until(() -> value(registry, "pending") == 3);
            assertThat(value(registry, "tasks", "state", "running")).isEqualTo(1);
            // A task may have taken entries before the thread of its connector looks again.
            await().atMost(SOON).until(() -> value(registry, "state", "state", "running") == 1);
            assertThat(value(registry, "state", "state", "paused")).isZero();
            assertThat(value(registry, "troubled")).isZero();

            context.getBean(Connectors.class).stop("archive");
            await().atMost(SOON).until(() -> value(registry, "state", "state", "stopped") == 1);
            assertThat(value(registry, "tasks", "state", "running")).isZero();
            assertThat(value(registry, "pending")).isZero();
            await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 3);
        });
    }

    @Test
    void tellTrouble() {
        archive("no-such-directory/out.txt").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);

            await().atMost(SOON).until(() -> value(registry, "troubled") == 1);
        });
    }

    /** It makes progress after each start, so nothing but this tells how often it is started. */
    @Test
    void countFailuresWhateverComesBetween() {
        AtomicInteger calls = new AtomicInteger();
        RecordingSink.diary("archive").put = (task, records) -> {
            if (!records.isEmpty() && calls.incrementAndGet() % 2 == 1) {
                throw new IllegalStateException("the target is away");
            }
        };
        archive("out.txt")
                .withPropertyValues(
                        "georep.connectors.archive.connector.class=" + RecordingSink.class.getName(),
                        "georep.connectors.archive.offset.flush.interval.ms=10",
                        "georep.connectors.archive.georep.restart.delay.min.ms=10",
                        "georep.connectors.archive.georep.restart.delay.max.ms=10")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    var outbox = context.getBean(Outboxes.class).outbox("sms", byte[].class);
                    for (int i = 1; i <= 3; i++) {
                        int sent = i;
                        outbox.sendAndWait("x".getBytes(StandardCharsets.UTF_8), SOON);
                        await().atMost(SOON).until(() -> outbox.statistics().forwarded() == sent);
                    }
                    await().atMost(SOON).until(() -> value(registry, "troubled") == 0);

                    assertThat(registry.get("georep.connector.failures")
                                    .tags("connector", "archive", "type", "sink")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(3);
                    context.getBean(Connectors.class).restart("archive");
                    assertThat(context.getBean(Connectors.class).all().get(0).failures())
                            .isEqualTo(3);
                });
    }

    @Test
    void areThoseOfThePageTheDashboardAndTheAlerts() {
        archive("out.txt").run(context -> {
            Set<Meter.Id> bound = context.getBean(MeterRegistry.class).getMeters().stream()
                    .map(Meter::getId)
                    .filter(id -> id.getName().startsWith("georep.connector."))
                    .collect(Collectors.toSet());
            Set<String> names = bound.stream().map(Meter.Id::getName).collect(Collectors.toCollection(TreeSet::new));
            Set<String> inPrometheus = bound.stream()
                    .map(ConnectorMetersTest::inPrometheus)
                    .collect(Collectors.toCollection(TreeSet::new));

            assertThat(found("`(georep\\.connector\\.\\w+)`", PAGES.resolve("use/connectors.md")))
                    .isEqualTo(names)
                    .hasSize(5);
            String figures = "(georep_connector_\\w+)";
            assertThat(found(figures, MONITORING.resolve("dashboards/connectors.json")))
                    .isEqualTo(inPrometheus);
            assertThat(inPrometheus)
                    .containsAll(found(figures, MONITORING.resolve("rules.yml")))
                    .containsAll(found(figures, MONITORING.resolve("rules-test.yml")));
        });
    }

    /** As Prometheus' convention has it: the unit last, and not twice, and then what tells a counter. */
    private static String inPrometheus(Meter.Id id) {
        String name = id.getName().replace('.', '_');
        String withUnit = name.endsWith("_" + id.getBaseUnit()) ? name : name + "_" + id.getBaseUnit();
        return id.getType() == Meter.Type.COUNTER ? withUnit + "_total" : withUnit;
    }

    private static Set<String> found(String pattern, Path file) throws Exception {
        return Pattern.compile(pattern)
                .matcher(Files.readString(file))
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static double value(MeterRegistry registry, String name, String... tags) {
        return registry.get("georep.connector." + name)
                .tags("connector", "archive", "type", "sink")
                .tags(tags)
                .gauge()
                .value();
    }
}
