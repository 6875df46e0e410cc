package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** A listener whose submits wait until the test says what becomes of them. */
abstract class SubmitsWait {
    static final Duration PATIENCE = Duration.ofSeconds(Await.SECONDS_MAX);
    static final int WINDOW = 8;
    static final SmppListener.Settings SETTINGS = new SmppListener.Settings(
            "localhost", 0, "gateway", 5, 8, 4, WINDOW, Duration.ofSeconds(5), Duration.ofSeconds(30), PATIENCE);

    final ExecutorService threads = Executors.newCachedThreadPool();
    final Queue<CompletableFuture<String>> waiting = new ConcurrentLinkedQueue<>();
    final SmppListener listener = SmppListener.open(
            SETTINGS,
            new Accounts(Map.of(
                    "client", new SmsProperties.Account("secret", 5, 0),
                    "small", new SmsProperties.Account("secret", 1, 0))),
            this::submitted,
            threads);

    final CompletableFuture<String> submitted(Account account, Sms sms) {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        waiting.add(outcome);
        return outcome;
    }

    @AfterEach
    void stop() {
        listener.close();
        threads.shutdownNow();
    }
}
