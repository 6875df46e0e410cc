package io.georep.connectors.webhook;

import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.georep.connectors.TaskBench;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.RetriableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WebhookSinkTaskTest {
    private static final Instant NOW = Instant.ofEpochSecond(1614265330);

    private record Request(Headers headers, String body) {}

    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private final TaskBench bench = new TaskBench(true);
    private HttpServer server;
    private volatile int status = 204;
    private volatile Map<String, String> answer = Map.of();

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(new Request(exchange.getRequestHeaders(), body));
            answer.forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private WebhookSinkTask start(String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "webhook.url", "http://127.0.0.1:" + server.getAddress().getPort() + "/hook", "retry.backoff.ms", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return bench.start(new WebhookSinkTask(Clock.fixed(NOW, ZoneOffset.UTC)), all);
    }

    @Test
    void postsTheValueWithTheIdOfItsRecordAndTheHeadersAskedFor() {
        WebhookSinkTask task = start("webhook.headers", "traceparent,absent", "webhook.content.type", "text/csv");

        task.put(List.of(
                record(7, "caf\u00e9", Map.of("traceparent", "00-1", "other", "no")),
                record(
                        8,
                        new byte[] {'{', '}'},
                        Map.of("georep.id", "ams-1/3/9", "content-type", "application/json"))));

        assertThat(requests).extracting(Request::body).containsExactly("caf\u00e9", "{}");
        Request first = requests.remove();
        assertThat(first.headers.getFirst("Content-Type")).isEqualTo("text/csv");
        assertThat(first.headers.getFirst("Idempotency-Key")).isEqualTo("mails-0-7");
        assertThat(first.headers.getFirst("traceparent")).isEqualTo("00-1");
        assertThat(first.headers).doesNotContainKeys("Other", "Absent", "Webhook-signature");
        Request second = requests.remove();
        assertThat(second.headers.getFirst("Content-Type")).isEqualTo("application/json");
        assertThat(second.headers.getFirst("Idempotency-Key")).isEqualTo("ams-1/3/9");
    }

    /** The values are the example of the specification of Standard Webhooks. */
    @Test
    void signsAsStandardWebhooksDo() {
        WebhookSinkTask task = start("webhook.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

        task.put(List.of(record(1, "{\"test\": 2432232314}", Map.of("georep.id", "msg_p5jXN8AQM9LWM0D4loKWxJek"))));

        Headers headers = requests.remove().headers;
        assertThat(headers.getFirst("webhook-id")).isEqualTo("msg_p5jXN8AQM9LWM0D4loKWxJek");
        assertThat(headers.getFirst("webhook-timestamp")).isEqualTo("1614265330");
        assertThat(headers.getFirst("webhook-signature")).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void triesAgainWhatTheServerMayTakeLaterAndWaitsAsLongAsItAsks() {
        WebhookSinkTask task = start();
        answer = Map.of("Retry-After", "17");
        for (int each : new int[] {408, 425, 429, 500, 503}) {
            status = each;
            assertThatThrownBy(() -> start().put(List.of(record(1, "text"))))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("127.0.0.1 answered " + each);
            assertThat(bench.timeout).isEqualTo(17_000);
        }
        requests.clear();
        status = 200;

        task.put(List.of(record(1, "text")));

        assertThat(requests).hasSize(1);
        assertThat(bench.refused).isEmpty();
    }

    @Test
    void givesUpWhatTheServerWillNeverTakeAndFollowsNoRedirection() {
        WebhookSinkTask task = start();
        answer = Map.of("Location", "http://127.0.0.1:" + server.getAddress().getPort() + "/elsewhere");
        for (int each : new int[] {301, 307, 400, 404, 410, 413}) {
            status = each;
            task.put(List.of(record(each, "text")));
        }

        assertThat(requests).hasSize(6);
        assertThat(bench.refused)
                .containsExactlyElementsOf(Stream.of(301, 307, 400, 404, 410, 413)
                        .map(each -> each + ": 127.0.0.1 answered " + each)
                        .toList());
    }

    @Test
    void aServerThatDoesNotAnswerInTimeOrIsAwayIsTriedAgain() {
        WebhookSinkTask task = start("webhook.timeout.ms", "150");
        server.removeContext("/");
        server.createContext("/", exchange -> {
            requests.add(new Request(exchange.getRequestHeaders(), ""));
            // No answer: the exchange stays open until the server stops.
        });
        assertThatThrownBy(() -> task.put(List.of(record(1, "text")))).isInstanceOf(RetriableException.class);
        assertThat(requests).hasSize(1);
        server.stop(0);

        assertThatThrownBy(() -> start().put(List.of(record(1, "text"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("no answer from 127.0.0.1");
    }

    @Test
    void anAnswerThatNeverEndsIsNotWaitedFor() {
        server.removeContext("/");
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            requests.add(new Request(exchange.getRequestHeaders(), ""));
            // The exchange stays open until the server stops.
        });
        WebhookSinkTask task = start("webhook.timeout.ms", "500");

        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("no whole answer from 127.0.0.1 in time");
        assertThat(requests).hasSize(1);
    }

    @Test
    void aRecordCannotForgeHeadersAndIsNotShownInErrors() {
        WebhookSinkTask task = start("webhook.headers", "x-note");

        task.put(List.of(
                record(1, "text", Map.of("x-note", "a\r\nX-Forged: secret-note")),
                record(2, 42),
                record(3, null),
                record(4, "text")));

        assertThat(requests).hasSize(1);
        assertThat(bench.refused)
                .containsExactly(
                        "1: a header of the record cannot be a header of a request",
                        "2: the record's value is neither bytes nor text but a Integer: set value.converter to a"
                                + " converter for bytes or text",
                        "3: the record has no value");
    }

    @Test
    void saysAllThatIsWrongWithItsSettingsAndShowsNoSecret() {
        List<ConfigValue> checked = new WebhookSinkConnector()
                .validate(Map.of("webhook.url", "ftp://example.com", "webhook.secret", "too-short"))
                .configValues();

        assertThat(checked.stream().flatMap(each -> each.errorMessages().stream()))
                .containsExactlyInAnyOrder(
                        "webhook.url must be a URL such as https://example.com/path",
                        "webhook.secret must have at least 16 bytes");
        assertThatThrownBy(() -> start("webhook.secret", "whsec_?not-base-64?"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("webhook.secret must be in Base64 behind whsec_");
    }

    @Test
    void understandsWhatServersSayAboutWaiting() {
        Map<String, Duration> pauses = Map.of(
                "0", Duration.ZERO,
                "120", Duration.ofMinutes(2),
                " 5 ", Duration.ofSeconds(5),
                "Thu, 25 Feb 2021 15:03:10 GMT", Duration.ofMinutes(1),
                "Thu, 25 Feb 2021 14:00:00 GMT", Duration.ZERO,
                "99999999999999999999", RetryAfter.MAX,
                "-5", Duration.ZERO,
                "soon", Duration.ZERO,
                "", Duration.ZERO);

        pauses.forEach((value, pause) ->
                assertThat(RetryAfter.pause(value, NOW)).as(value).isEqualTo(pause));
        assertThat(RetryAfter.pause("7200", NOW)).isEqualTo(Duration.ofHours(1));
    }
}
