package io.georep.examples.sms.receipts;

import io.georep.GeoRepNode;
import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Replication;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which messages of this gateway still get receipts, by the operator's ids. Each is an entry of a queue that nobody forwards:
 * it has its copies at other sites, outlives a restart, is adopted when this gateway is gone, and ends with the last receipt
 * or when its time is over. Thread-safe.
 */
@Component
public class AwaitedReceipts implements DisposableBean {
    /** Name of the queue. */
    static final String QUEUE = "awaited-receipts";

    private static final Logger LOG = LoggerFactory.getLogger(AwaitedReceipts.class);
    private static final Duration COPIES_WITHIN = Duration.ofSeconds(10);
    private static final long SWEEP_SECONDS = 1;

    private final Replication replication;
    private final JsonMapper mapper;
    private final ReceiptMeters meters;
    private final int f;
    private final int max;
    private final ScheduledExecutorService sweeper;

    /** Guarded by this. */
    private final Map<String, Awaited> byOperatorId = new HashMap<>();

    /** The same, the first to be forgotten first. Guarded by this. */
    private final TreeSet<Awaited> byTime = new TreeSet<>(
            Comparator.comparingLong((Awaited each) -> each.what.route().untilMillis())
                    .thenComparing(each -> each.what.operatorId()));

    /** What is replicated. */
    private record What(String operatorId, Route route) {}

    /** With its entry; null when it could be kept in memory only. */
    private record Awaited(What what, @Nullable EntryId entry) {}

    AwaitedReceipts(
            GeoRepNode node,
            JsonMapper mapper,
            SmsProperties properties,
            ReceiptMeters meters,
            MeterRegistry registry) {
        this.mapper = mapper;
        this.meters = meters;
        f = properties.receipts().f();
        max = properties.receipts().awaitedMax();
        Gauge.builder("sms.receipts.awaited", this, AwaitedReceipts::size)
                .description("Messages whose receipts this gateway waits for")
                .register(registry);
        replication = node.replication(QUEUE).onAdopted(this::adopted).start();
        sweeper = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "awaited-receipts");
            thread.setDaemon(true);
            return thread;
        });
        var unused = sweeper.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Waits for the receipts of a message that the operator took. Returns when this is on disk at f + 1 sites; when they are
     * not in reach, here; and when there is no disk, in memory: the message is sent, and must not be sent again for this.
     */
    void add(String operatorId, Route route) throws InterruptedException {
        What what = new What(operatorId, route);
        byte[] bytes = mapper.writeValueAsBytes(what);
        EntryId entry = replicate(bytes, f);
        if (entry == null && f > 0) {
            entry = replicate(bytes, 0);
        }
        if (entry == null) {
            meters.count("unsafe");
            LOG.warn("The receipts of message {} are awaited in memory only", route.id());
        }
        put(new Awaited(what, entry));
    }

    private @Nullable EntryId replicate(byte[] bytes, int copies) throws InterruptedException {
        CompletionStage<EntryId> stored = replication.replicate(bytes, copies);
        try {
            return stored.toCompletableFuture().get(COPIES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            LOG.debug("No {} copies of what receipts need: {}", copies, cause.toString());
            if (!(cause instanceof RejectedException)) {
                // It may be there nevertheless, and must not stay for ever.
                stored.thenAccept(replication::forwarded);
            }
            return null;
        }
    }

    private void adopted(Replication.Entry entry) {
        try {
            put(new Awaited(mapper.readValue(entry.payload(), What.class), entry.id()));
        } catch (JacksonException e) {
            LOG.error("Entry {} of queue {} cannot be read and is dropped", entry.id(), QUEUE, e);
            replication.forwarded(entry.id());
        }
    }

    private void put(Awaited awaited) {
        List<Awaited> gone = new ArrayList<>();
        synchronized (this) {
            Awaited before = byOperatorId.put(awaited.what.operatorId(), awaited);
            if (before != null) {
                byTime.remove(before);
                if (!awaited.equals(before)) {
                    gone.add(before);
                }
            }
            byTime.add(awaited);
            while (byTime.size() > max) {
                Awaited first = byTime.pollFirst();
                if (first != null) {
                    byOperatorId.remove(first.what.operatorId());
                    meters.count("forgotten");
                    gone.add(first);
                }
            }
        }
        end(gone);
    }

    /** Where the receipts of a message go; null when this gateway does not know it. */
    synchronized @Nullable Route find(String operatorId) {
        Awaited awaited = byOperatorId.get(operatorId);
        return awaited == null ? null : awaited.what.route();
    }

    /** The last receipt of a message has reached its client. */
    void done(String operatorId, String messageId) {
        Awaited awaited;
        synchronized (this) {
            awaited = byOperatorId.get(operatorId);
            // An operator may use an id again.
            if (awaited == null || !awaited.what.route().id().equals(messageId)) {
                return;
            }
            byOperatorId.remove(operatorId);
            byTime.remove(awaited);
        }
        end(List.of(awaited));
    }

    /** Messages whose receipts are awaited here. */
    public synchronized int size() {
        return byOperatorId.size();
    }

    private void sweep() {
        List<Awaited> gone = new ArrayList<>();
        long now = System.currentTimeMillis();
        synchronized (this) {
            while (!byTime.isEmpty() && byTime.first().what.route().untilMillis() <= now) {
                Awaited first = byTime.pollFirst();
                if (first != null) {
                    byOperatorId.remove(first.what.operatorId());
                    meters.count("never_came");
                    gone.add(first);
                }
            }
        }
        end(gone);
    }

    private void end(List<Awaited> gone) {
        List<EntryId> entries = new ArrayList<>();
        for (Awaited each : gone) {
            if (each.entry != null) {
                entries.add(each.entry);
            }
        }
        if (!entries.isEmpty()) {
            replication.forwarded(entries);
        }
    }

    @Override
    public void destroy() {
        sweeper.shutdownNow();
    }
}
