package io.georep.examples.sms.simulator;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.operator.OperatorSession;
import io.georep.examples.sms.smpp.SmppListener;
import io.georep.examples.sms.smpp.SmppStatusException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jsmpp.SMPPConstant;

/**
 * An operator that takes messages and forgets them. It can be slow, throttle, and drop its sessions, and knows which entries
 * it got twice. Thread-safe.
 */
public final class OperatorSimulator implements AutoCloseable {
    /**
     * A message it took.
     *
     * @param entryId the gateways' id of it, empty when it came without
     * @param sms the message
     * @param duplicate whether it took the same entry before
     */
    public record Received(String entryId, Sms sms, boolean duplicate) {}

    private static final int REMEMBERED_MAX = 1_000_000;
    private static final int SESSIONS_MAX = 100;
    private static final int WINDOW = 10_000;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "operator");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<String> known = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    });
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong duplicates = new AtomicLong();
    private final AtomicLong throttled = new AtomicLong();
    private final Consumer<Received> sink;
    private final SmppListener listener;
    private volatile boolean throttling;
    private volatile int refusal;
    private volatile long delayNanos;
    private volatile int ratePerSecond;
    private long second;
    private int inSecond;

    private OperatorSimulator(String host, int port, String systemId, String password, Consumer<Received> sink) {
        this.sink = sink;
        SmppListener.Settings settings = new SmppListener.Settings(
                host,
                port,
                systemId,
                SESSIONS_MAX,
                SESSIONS_MAX,
                SESSIONS_MAX,
                WINDOW,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30));
        Accounts accounts = new Accounts(Map.of(systemId, new SmsProperties.Account(password, SESSIONS_MAX, 0)));
        listener = SmppListener.open(settings, accounts, this::submit, threads);
    }

    /**
     * Opens its port.
     *
     * @param host name or address of the interface to listen on
     * @param port TCP port, 0 for any free one
     * @param systemId name gateways bind with
     * @param password password gateways bind with
     * @param sink told about every message before it is answered; must not block
     */
    public static OperatorSimulator open(
            String host, int port, String systemId, String password, Consumer<Received> sink) {
        return new OperatorSimulator(host, port, systemId, password, sink);
    }

    /** The port in use. */
    public int port() {
        return listener.port();
    }

    /** Answers every submit with ESME_RTHROTTLED while on. */
    public void throttle(boolean on) {
        throttling = on;
    }

    /** Answers every submit with this status; 0 to take messages again. */
    public void refuse(int status) {
        refusal = status;
    }

    /** Answers submits only after this time. */
    public void delay(Duration delay) {
        delayNanos = delay.toNanos();
    }

    /** Takes so many messages per second and throttles the rest; 0 for no limit. */
    public void rate(int perSecond) {
        ratePerSecond = perSecond;
    }

    /** Breaks all connections. */
    public void dropSessions() {
        listener.dropSessions();
    }

    /** Connections now. */
    public int sessions() {
        return listener.sessions();
    }

    /** Messages taken, duplicates included. */
    public long received() {
        return received.get();
    }

    /** Messages taken again. */
    public long duplicates() {
        return duplicates.get();
    }

    /** Submits throttled. */
    public long throttled() {
        return throttled.get();
    }

    @Override
    public void close() {
        listener.close();
        threads.shutdown();
    }

    private CompletionStage<String> submit(Account gateway, Sms sms) {
        if (throttling || overRate()) {
            throttled.incrementAndGet();
            throw new SmppStatusException(SMPPConstant.STAT_ESME_RTHROTTLED, "throttled");
        }
        if (refusal != 0) {
            throw new SmppStatusException(refusal, "refused");
        }
        String entryId = entryId(sms);
        boolean duplicate = !entryId.isEmpty() && !remember(entryId);
        String messageId = Long.toString(received.incrementAndGet());
        if (duplicate) {
            duplicates.incrementAndGet();
        }
        sink.accept(new Received(entryId, sms, duplicate));
        CompletableFuture<String> answer = new CompletableFuture<>();
        return delayNanos == 0
                ? CompletableFuture.completedFuture(messageId)
                : answer.completeOnTimeout(messageId, delayNanos, TimeUnit.NANOSECONDS);
    }

    private boolean remember(String entryId) {
        synchronized (known) {
            return known.add(entryId);
        }
    }

    private synchronized boolean overRate() {
        int limit = ratePerSecond;
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
        if (now != second) {
            second = now;
            inSecond = 0;
        }
        return limit > 0 && ++inSecond > limit;
    }

    private static String entryId(Sms sms) {
        return sms.tlvs().stream()
                .filter(each -> each.tag() == OperatorSession.ENTRY_ID_TAG)
                .map(each -> new String(each.value(), StandardCharsets.US_ASCII))
                .findFirst()
                .orElse("");
    }
}
