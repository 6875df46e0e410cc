package io.georep.examples.sms.receipts;

import io.georep.GeoRepNode;
import io.georep.examples.sms.SmsProperties;
import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Replication;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages of this gateway that still get receipts, by the operator's ids. Each is an entry of a queue without forwarding: it
 * has copies at other sites, outlives a restart, and is adopted when this gateway is gone. It ends with the last receipt, or
 * when its time is over. Thread-safe.
 */
@Component
public class AwaitedReceipts implements DisposableBean {
    /** Name of the queue. */
    static final String QUEUE = "awaited-receipts";

    private static final Logger LOG = LoggerFactory.getLogger(AwaitedReceipts.class);
    private static final Duration COPIES_WITHIN = Duration.ofSeconds(10);
    private static final long SWEEP_SECONDS = 1;

    private final LimitedLog troubles = new LimitedLog(LOG);
    private final Replication replication;
    private final JsonMapper mapper;
    private final ReceiptMeters meters;
    private final int f;
    private final int max;
    private final ScheduledExecutorService sweeper;

    /** Guarded by this. */
    private final Map<String, Awaited> byOperatorId = new HashMap<>();

    /** The same by account, the first to be forgotten first. Guarded by this. */
    private final Map<String, TreeSet<Awaited>> byAccount = new HashMap<>();

    /** What is replicated. */
    private record What(String operatorId, Route route) {}

    /** A message with its entry; the entry is null if the message is kept in memory only. */
    private record Awaited(What what, @Nullable EntryId entry) {
        static final Comparator<Awaited> BY_TIME = Comparator.comparingLong(
                        (Awaited each) -> each.what.route().untilMillis())
                .thenComparing(each -> each.what.operatorId());

        String account() {
            return what.route().account();
        }
    }

    @Autowired
    AwaitedReceipts(
            GeoRepNode node,
            JsonMapper mapper,
            SmsProperties properties,
            ReceiptMeters meters,
            MeterRegistry registry) {
        this(node, mapper, properties.receipts().f(), properties.receipts().awaitedMax(), meters, registry);
    }

    AwaitedReceipts(GeoRepNode node, JsonMapper mapper, int f, int max, ReceiptMeters meters, MeterRegistry registry) {
        this.mapper = mapper;
        this.meters = meters;
        this.f = f;
        this.max = max;
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
     * Notes a message that the operator took, so that its receipts find their way. Returns when the note is on disk at f + 1
     * sites; if they are out of reach, on disk here; if that fails as well, in memory. It does not fail: the message is sent
     * and must not be sent again.
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
            troubles.warn("The receipts of message " + route.id() + " are awaited in memory only");
        }
        put(new Awaited(what, entry));
    }

    private @Nullable EntryId replicate(byte[] bytes, int copies) throws InterruptedException {
        CompletionStage<EntryId> stored;
        try {
            stored = replication.replicate(bytes, copies);
        } catch (RuntimeException e) {
            // For example, the node is alone.
            LOG.debug("No {} copies of what receipts need", copies, e);
            return null;
        }
        try {
            return stored.toCompletableFuture().get(COPIES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            LOG.debug("No {} copies of what receipts need: {}", copies, cause.toString());
            if (!(cause instanceof RejectedException)) {
                // The entry may be stored all the same; it must not stay for ever.
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
            Awaited before = remove(awaited.what.operatorId());
            if (before != null && !awaited.equals(before)) {
                gone.add(before);
            }
            byOperatorId.put(awaited.what.operatorId(), awaited);
            byAccount
                    .computeIfAbsent(awaited.account(), none -> new TreeSet<>(Awaited.BY_TIME))
                    .add(awaited);
            if (byOperatorId.size() > max) {
                gone.add(forgetOne());
            }
        }
        end(gone);
    }

    /**
     * Forgets the first one of the account that has the most, so that no account loses one to another that sends more or with
     * longer validity.
     */
    private Awaited forgetOne() {
        Awaited first = Collections.max(byAccount.values(), Comparator.comparingInt(TreeSet::size))
                .first();
        remove(first.what.operatorId());
        meters.count("forgotten");
        return first;
    }

    private @Nullable Awaited remove(String operatorId) {
        Awaited awaited = byOperatorId.remove(operatorId);
        TreeSet<Awaited> others = awaited == null ? null : byAccount.get(awaited.account());
        if (awaited != null && others != null) {
            others.remove(awaited);
            if (others.isEmpty()) {
                byAccount.remove(awaited.account());
            }
        }
        return awaited;
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
            remove(operatorId);
        }
        end(List.of(awaited));
    }

    /** Messages whose receipts are awaited here. */
    public synchronized int size() {
        return byOperatorId.size();
    }

    private void sweep() {
        try {
            sweep(System.currentTimeMillis());
        } catch (Throwable e) {
            // A task that throws would not be called again.
            LOG.warn("Receipts whose time is over could not be cleared: {}", e.toString());
        }
    }

    private void sweep(long now) {
        List<Awaited> gone = new ArrayList<>();
        synchronized (this) {
            byAccount.values().forEach(each -> {
                for (Awaited next : each) {
                    if (next.what.route().untilMillis() > now) {
                        break;
                    }
                    gone.add(next);
                }
            });
            for (Awaited each : gone) {
                remove(each.what.operatorId());
                meters.count("never_came");
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
