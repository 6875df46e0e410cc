package io.georep.examples.sms.simulator;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.Tlv;
import io.georep.examples.sms.operator.OperatorSession;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.examples.sms.smpp.SmppListener;
import io.georep.examples.sms.smpp.SmppStatusException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
 * An operator that takes messages, forgets them, and sends receipts. It can be slow, throttle, and drop its sessions. It knows
 * which entries it got twice. Thread-safe.
 */
public final class OperatorSimulator implements AutoCloseable {
    /**
     * A message it took.
     *
     * @param messageId the operator's id of it
     * @param entryId the gateways' id of it, empty when it came without
     * @param sms the message
     * @param duplicate whether it took the same entry before
     */
    public record Received(String messageId, String entryId, Sms sms, boolean duplicate) {}

    private static final int REMEMBERED_MAX = 1_000_000;
    private static final int SESSIONS_MAX = 100;
    private static final int WINDOW = 10_000;
    private static final int RECEIPT_WANTED = 0x03;

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
    private final String[] gateways;
    private final Random random = new Random();
    private volatile boolean receipts;
    private volatile int refusal;
    private volatile long delayNanos;
    private volatile int ratePerSecond;
    private long second;
    private int inSecond;

    private OperatorSimulator(String host, int port, List<String> systemIds, String password, Consumer<Received> sink) {
        this.sink = sink;
        gateways = systemIds.toArray(String[]::new);
        SmppListener.Settings settings = new SmppListener.Settings(
                host,
                port,
                "operator",
                SESSIONS_MAX,
                SESSIONS_MAX,
                SESSIONS_MAX,
                WINDOW,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10));
        Map<String, SmsProperties.Account> known = new HashMap<>();
        for (String each : systemIds) {
            known.put(each, new SmsProperties.Account(password, SESSIONS_MAX, 0));
        }
        Accounts accounts = new Accounts(known);
        listener = SmppListener.open(settings, accounts, this::submit, threads);
    }

    /**
     * Opens its port.
     *
     * @param host name or address of the interface to listen on
     * @param port TCP port, 0 for any free one
     * @param systemIds names gateways bind with
     * @param password password gateways bind with
     * @param sink told about every message before it is answered; must not block
     */
    public static OperatorSimulator open(
            String host, int port, List<String> systemIds, String password, Consumer<Received> sink) {
        return new OperatorSimulator(host, port, systemIds, password, sink);
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

    /** Sends a receipt for each message that asks for one, while on: at once, and to any of the gateways. */
    public void receipts(boolean on) {
        receipts = on;
    }

    /**
     * Sends a receipt to a gateway.
     *
     * @param systemId name of the gateway
     * @param stat word for the state, for example DELIVRD
     * @param state SMPP's message_state for it
     * @return whether the gateway took it
     */
    public boolean receipt(String systemId, Received message, String stat, int state) {
        String words = String.format(
                "id:%s sub:001 dlvrd:%03d submit date:2611221200 done date:2611221201 stat:%s err:%03d text:%.20s",
                message.messageId(),
                state == 2 ? 1 : 0,
                stat,
                state == 2 ? 0 : 1,
                message.sms().text());
        Sms asked = message.sms();
        Sms receipt = new Sms(
                asked.to(),
                asked.from(),
                words.getBytes(StandardCharsets.ISO_8859_1),
                (byte) 0,
                (byte) (state == 1 || state == 6 ? 0x20 : 0x04),
                (byte) 0,
                (byte) 0,
                (byte) 0,
                "",
                "",
                "",
                List.of(
                        new Tlv((short) 0x001e, (message.messageId() + "\0").getBytes(StandardCharsets.US_ASCII)),
                        new Tlv((short) 0x0427, new byte[] {(byte) state})));
        return deliver(systemId, receipt) == Delivered.TAKEN;
    }

    /** Sends any deliver_sm to a gateway. */
    public Delivered deliver(String systemId, Sms sms) {
        return listener.deliver(systemId, sms);
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
        Received message = new Received(messageId, entryId, sms, duplicate);
        sink.accept(message);
        if (receipts && (sms.registeredDelivery() & RECEIPT_WANTED) != 0) {
            // The receipt may overtake the answer to the submit, and may go to any gateway.
            threads.execute(() -> receipt(gateways[random.nextInt(gateways.length)], message, "DELIVRD", 2));
        }
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
