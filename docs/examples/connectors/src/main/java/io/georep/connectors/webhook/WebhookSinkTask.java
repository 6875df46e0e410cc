package io.georep.connectors.webhook;

import static java.util.Objects.requireNonNull;

import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import io.georep.connectors.TemporaryFailure;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Posts records, one after the other. */
public final class WebhookSinkTask extends SendingTask {
    private final Clock clock;
    private @Nullable WebhookSettings settings;
    private @Nullable HttpClient client;
    private @Nullable Signature signature;

    /** Called by Kafka Connect. */
    public WebhookSinkTask() {
        this(Clock.systemUTC());
    }

    WebhookSinkTask(Clock clock) {
        this.clock = clock;
    }

    @Override
    protected AbstractConfig begin(Map<String, String> properties) {
        WebhookSettings parsed = new WebhookSettings(properties);
        byte[] secret = parsed.secret();
        settings = parsed;
        signature = secret == null ? null : new Signature(secret);
        // A redirection would send the record and its signature to an address that the answer names.
        client = HttpClient.newBuilder()
                .connectTimeout(parsed.timeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        return parsed;
    }

    @Override
    protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
        HttpRequest request = request(record);
        HttpResponse<Void> response = answer(request);
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            return;
        }
        String answer = request.uri().getHost() + " answered " + status;
        if (status == 408 || status == 425 || status == 429 || status >= 500) {
            Duration pause = response.headers()
                    .firstValue("Retry-After")
                    .map(each -> RetryAfter.pause(each, clock.instant()))
                    .orElse(Duration.ZERO);
            throw new TemporaryFailure(answer, pause, null);
        }
        throw new RecordRefused(answer, null);
    }

    /** Waits for the whole answer. A timeout of the request would end with the head of the answer, and a body may never end. */
    private HttpResponse<Void> answer(HttpRequest request) throws TemporaryFailure {
        String host = request.uri().getHost();
        CompletableFuture<HttpResponse<Void>> answer =
                client().sendAsync(request, HttpResponse.BodyHandlers.discarding());
        try {
            return answer.get(settings().timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new TemporaryFailure("no answer from " + host + ": " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new TemporaryFailure("no whole answer from " + host + " in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while waiting for " + host, e);
        } finally {
            // Ends the exchange if it is not over.
            answer.cancel(true);
        }
    }

    private HttpRequest request(SinkRecord record) throws RecordRefused {
        WebhookSettings set = settings();
        byte[] body = SentRecord.bytes(record);
        String id = SentRecord.id(record, SentRecord.idHeader(set));
        String type = SentRecord.header(record, "content-type");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(set.url()).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        try {
            request.header("Content-Type", type == null ? set.contentType() : type);
            request.header(set.keyHeader(), id);
            for (String name : set.headers()) {
                String value = SentRecord.header(record, name);
                if (value != null) {
                    request.header(name, value);
                }
            }
            if (signature != null) {
                long seconds = clock.instant().getEpochSecond();
                request.header("webhook-id", id)
                        .header("webhook-timestamp", Long.toString(seconds))
                        .header("webhook-signature", signature.of(id, seconds, body));
            }
        } catch (IllegalArgumentException e) {
            // The exception's own text shows the header.
            throw new RecordRefused("a header of the record cannot be a header of a request", null);
        }
        return request.build();
    }

    private WebhookSettings settings() {
        return requireNonNull(settings, "not started");
    }

    private HttpClient client() {
        return requireNonNull(client, "not started");
    }
}
