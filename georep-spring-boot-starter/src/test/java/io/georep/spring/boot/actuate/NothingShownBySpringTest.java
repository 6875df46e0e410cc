package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.georep.model.Slice;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spi.PayloadCodec;
import io.georep.spring.EntryHeader;
import io.georep.spring.OutboxListener;
import io.georep.spring.outbox.JacksonCodecs;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the starter adds to the places that could show payloads, headers, secrets or keys: JSON, listeners, endpoints, meters and
 * properties. Each of them holds a mark here, and nothing that comes out has it.
 */
@ExtendWith(OutputCaptureExtension.class)
class NothingShownBySpringTest {
    private static final String MARK = "zq7xwk9j";
    private static final byte[] SECRET = Arrays.copyOf((MARK + " secret").getBytes(StandardCharsets.US_ASCII), 32);

    @TempDir
    Path directory;

    /** A payload that is written as one thing and read as another. */
    static final class Odd {
        public String getCents() {
            return MARK;
        }

        public void setCents(int cents) {}
    }

    record Order(String to, int cents) {
        @Override
        public String toString() {
            return "order for " + to;
        }
    }

    static final class Receiver {
        @OutboxListener("good")
        void good(Order order, @EntryHeader("trace") String trace) {
            assertThat(order.to() + trace).contains(MARK);
        }

        @OutboxListener("failing")
        void failing(Order order) {
            throw new IllegalStateException("the operator is down");
        }

        @OutboxListener("headless")
        void headless(Order order, @EntryHeader("absent") String absent) {}

        @OutboxListener("unreadable")
        void unreadable(Odd odd) {}
    }

    /** Everything that the library logs, with the traces of errors. */
    private static final class AllLogs extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger("io.georep");
        private final Level before = logger.getLevel();
        private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

        AllLogs() {
            setContext(logger.getLoggerContext());
            start();
            logger.addAppender(this);
            logger.setLevel(Level.TRACE);
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage() + " " + event.getKeyValuePairs() + " "
                    + event.getMDCPropertyMap()
                    + (event.getThrowableProxy() == null
                            ? ""
                            : ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }

        @Override
        public void close() {
            logger.detachAppender(this);
            logger.setLevel(before);
        }
    }

    @Test
    void ofEntriesOnAnyWayThroughAnApplication(CapturedOutput output) throws Exception {
        Path keys = Files.writeString(
                directory.resolve("keys"), "2026-07 " + Base64.getEncoder().encodeToString(SECRET));
        List<String> shown = new ArrayList<>();
        List<String> logged;
        try (HttpNode node = new HttpNode(
                        List.of(Receiver.class),
                        "georep.node-id=n1",
                        "georep.durability=os",
                        "georep.data-dir=" + directory.resolve("data"),
                        "georep.f=0",
                        "georep.port=0",
                        "georep.security.secret=" + Base64.getEncoder().encodeToString(SECRET),
                        "georep.store.encryption.key-file=" + keys,
                        "georep.listener.retry.delay-min=1ms",
                        "georep.listener.retry.delay-max=1ms",
                        "georep.listener.retry.attempts=3",
                        "management.endpoint.env.show-values=always",
                        "management.endpoint.configprops.show-values=always",
                        "management.endpoints.web.exposure.include=georep,health,metrics,env,configprops",
                        "logging.level.io.georep=trace");
                // Later than the application, which sets up the log anew.
                AllLogs logs = new AllLogs()) {
            sendAndSettle(node, shown);
            for (String path : List.of(
                    "georep",
                    "georep/node",
                    "georep/outboxes",
                    "georep/outboxes/good",
                    "georep/adoptions",
                    "georep/dead-letters/failing",
                    "georep/dead-letters/headless",
                    "georep/dead-letters/unreadable",
                    "health",
                    "env",
                    "configprops")) {
                HttpNode.Answer answer = node.get(path);
                assertThat(answer.status()).as(path).isEqualTo(200);
                shown.add(path + ": " + answer.body());
            }
            node.context.getBean(MeterRegistry.class).getMeters().forEach(meter -> {
                shown.add(meter.getId() + " " + meter.getId().getDescription());
                meter.measure().forEach(measurement -> shown.add(measurement.toString()));
            });
            node.context.getBeansOfType(Object.class, false, false).forEach((name, bean) -> {
                if (bean.getClass().getName().startsWith("io.georep.") && !(bean instanceof Receiver)) {
                    shown.add(name + ": " + bean);
                }
            });
            logged = logs.lines;
        }
        assertThat(logged)
                .as("so that the test could fail")
                .anyMatch(line -> line.startsWith("DEBUG") && line.contains("the operator is down"));
        shown.addAll(logged);
        shown.add(output.getAll());
        assertNoMark(shown);
    }

    /** Sends one entry for each way; all but the good one end as dead letters. */
    private static void sendAndSettle(HttpNode node, List<String> shown) throws Exception {
        SendOptions options =
                SendOptions.defaults().header("trace", MARK + " header").producerKey(MARK + " key");
        Outbox<Object> good = outbox(node, "good");
        send(good, new Order(MARK, 1), options);
        for (String queue : List.of("failing", "headless", "unreadable")) {
            Outbox<Object> outbox = outbox(node, queue);
            send(outbox, queue.equals("unreadable") ? new Odd() : new Order(MARK, 1), options);
            DeadLetters.Page<Object> page = Awaitility.await()
                    .atMost(HttpNode.SOON)
                    .until(
                            () -> outbox.deadLetters()
                                    .list(null, 10)
                                    .toCompletableFuture()
                                    .get(20, TimeUnit.SECONDS),
                            found -> !found.letters().isEmpty());
            shown.add(page.toString());
        }
        Throwable refused = catchThrowable(() -> send(good, new Order(MARK.repeat(200_000), 1), options));
        assertThat(refused).isNotNull();
        shown.add(trace(refused));
        Awaitility.await().atMost(HttpNode.SOON).until(() -> good.statistics().forwarded() == 1);
    }

    @SuppressWarnings("unchecked")
    private static Outbox<Object> outbox(HttpNode node, String queue) {
        return (Outbox<Object>) node.outboxes().opened(queue);
    }

    private static void send(Outbox<Object> outbox, Object payload, SendOptions options) throws Exception {
        outbox.send(payload, options).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Test
    void ofJsonThatIsNotWhatTheTypeNeeds() {
        PayloadCodec<?> codec =
                new JacksonCodecs(JsonMapper.builder().build()).codec(ResolvableType.forClass(Order.class));
        List<String> shown = new ArrayList<>();
        for (String json : List.of(
                "{\"to\": \"x\",\n \"cents\": \"" + MARK + "\"}", MARK, "{\"" + MARK + "\": 1}", "[\"" + MARK, "")) {
            Throwable failure = catchThrowable(() -> codec.decode(Slice.utf8(json)));
            assertThat(failure).as(json).hasMessageStartingWith("the payload cannot be read as JSON: ");
            shown.add(trace(failure));
        }

        assertThat(shown.get(0)).contains("InvalidFormatException at line 2, column 11");
        assertNoMark(shown);
    }

    @Test
    void ofWhatCannotBeWrittenButItsField() {
        record Amount(Object cents) {}
        record Invoice(Map<String, Amount> amounts) {}
        PayloadCodec<Object> codec = objects(Invoice.class);

        Throwable failure = catchThrowable(() -> codec.encode(new Invoice(Map.of(MARK, new Amount(new Object() {
            @SuppressWarnings("unused")
            public String getText() {
                throw new IllegalStateException(MARK);
            }
        })))));

        assertThat(failure).hasMessageEndingWith(" in field amounts[].cents.text");
        assertNoMark(List.of(trace(failure)));
    }

    @SuppressWarnings("unchecked")
    private static PayloadCodec<Object> objects(Class<?> type) {
        return (PayloadCodec<Object>)
                new JacksonCodecs(JsonMapper.builder().build()).codec(ResolvableType.forClass(type));
    }

    private static String trace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static void assertNoMark(List<String> shown) {
        String secret = Base64.getEncoder().encodeToString(SECRET);
        assertThat(shown)
                .isNotEmpty()
                .noneMatch(text -> text.toLowerCase(Locale.ROOT).contains(MARK) || text.contains(secret));
    }
}
