package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.examples.sms.tables.AccountRow;
import io.georep.model.EntryId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Posts receipts to the addresses that the settings give, never to one that a request or an answer names: redirects are not
 * followed. Thread-safe.
 */
@Component
class Webhooks {
    /**
     * What is posted.
     *
     * @param id id of the message, as the answer to its post said
     * @param state what became of it
     * @param last whether nothing else follows
     * @param error the operator's error
     * @param from who sent it
     * @param to who got it
     * @param repeated whether this receipt may have been posted before
     */
    record Body(String id, String state, boolean last, String error, String from, String to, boolean repeated) {}

    private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);

    /**
     * How long to wait beyond the timeout of a request, which the client itself keeps; also how long the body of the answer may
     * take.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final int BODY_BYTES_MAX = 65_536;

    /** Text of the error of a client whose thread has ended. */
    private static final String CLOSED = "selector manager closed";

    private static final int STATUS_OK = 200;
    private static final int STATUS_GONE = 410;
    private static final int STATUS_REDIRECTS = 300;

    /** Replaced when its thread has ended, for example for lack of memory. */
    private volatile HttpClient http;

    private final Accounts accounts;
    private final JsonMapper mapper;
    private final Duration within;

    @Autowired
    Webhooks(SmsProperties properties, Accounts accounts, JsonMapper mapper) {
        this(properties.receipts().postWithin(), accounts, mapper);
    }

    Webhooks(Duration within, Accounts accounts, JsonMapper mapper) {
        this.within = within;
        this.accounts = accounts;
        this.mapper = mapper;
        http = client(within);
    }

    private static HttpClient client(Duration within) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(within)
                .build();
    }

    /** Posts a receipt; only the status of the answer counts. */
    Delivered post(Receipt receipt, Route route, EntryId id, boolean repeated) throws InterruptedException {
        Account found = accounts.find(route.account());
        AccountRow account = found == null ? null : found.settings();
        if (account == null || account.receiptsUrl() == null) {
            // The address was taken out of the settings since.
            return Delivered.REFUSED;
        }
        byte[] body = mapper.writeValueAsBytes(new Body(
                route.id(),
                receipt.state().word(),
                receipt.last(),
                receipt.err(),
                route.from().number(),
                route.to().number(),
                repeated));
        HttpRequest.Builder request = HttpRequest.newBuilder(account.receiptsUrl())
                .timeout(within)
                .header("content-type", "application/json")
                .header("idempotency-key", id.toString())
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (!account.receiptsSecret().isEmpty()) {
            request.header(
                    "sms-signature",
                    signature(account.receiptsSecret(), Instant.now().getEpochSecond(), body));
        }
        int status = status(request.build(), account.receiptsUrl());
        if (status == STATUS_GONE) {
            return Delivered.REFUSED;
        }
        return status >= STATUS_OK && status < STATUS_REDIRECTS ? Delivered.TAKEN : Delivered.LATER;
    }

    /** Returns the status of the answer, 0 for none in time. The body is dropped; it may have no end. */
    private int status(HttpRequest request, URI url) throws InterruptedException {
        HttpClient client = http;
        CompletableFuture<Integer> status = new CompletableFuture<>();
        CompletableFuture<Void> over = new CompletableFuture<>();
        AtomicInteger bytes = new AtomicInteger();
        CompletableFuture<?> answer = over;
        try {
            answer = client.sendAsync(request, response -> {
                status.complete(response.statusCode());
                return HttpResponse.BodySubscribers.ofByteArrayConsumer(part -> {
                    if (bytes.addAndGet(part.map(array -> array.length).orElse(0)) > BODY_BYTES_MAX) {
                        over.complete(null);
                    }
                });
            });
            var unused = answer.whenComplete((response, error) -> {
                if (error != null) {
                    status.completeExceptionally(error);
                }
                over.complete(null);
            });
            int given = status.get(within.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
            over.completeOnTimeout(null, GRACE.toMillis(), TimeUnit.MILLISECONDS)
                    .get();
            return given;
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            LOG.debug("No answer from {}: {}", url.getHost(), cause.toString());
            if (!(cause instanceof IOException) || CLOSED.equals(cause.getMessage())) {
                LOG.warn("A receipt could not be posted to {}: {}", url.getHost(), cause.toString());
                replace(client);
            }
            return 0;
        } finally {
            // Ends the connection, unless the whole answer was read.
            answer.cancel(true);
        }
    }

    /** Replaces a client that did not even report the timeout. */
    private synchronized void replace(HttpClient client) {
        if (client == http) {
            http = client(within);
        }
    }

    /** {@code t=SECONDS,v1=HEX}: HMAC-SHA-256 over the seconds since 1970, a dot, and the body. */
    static String signature(String secret, long seconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
            return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has HMAC-SHA-256", e);
        }
    }
}
