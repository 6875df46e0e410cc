package io.georep.spring.transaction;

import io.georep.logging.LimitedLog;
import io.georep.logging.SafeLog;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import io.georep.spring.TransactionCheck;
import io.georep.spring.outbox.OpenListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles entries that a crash left between their copies and the end of their transaction. They are found at a restart or
 * adopted from another node; the application's {@link TransactionCheck}s decide, and what they do not know stays held,
 * is reported, and is asked about again.
 */
public final class UndecidedEntries implements OpenListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UndecidedEntries.class);
    private static final Logger CHANGES = LoggerFactory.getLogger("io.georep.changes");
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final int LOGGED_MAX = 10;

    /** Their payloads are in memory together. */
    private static final int PAGE = 16;

    private final LimitedLog failures = new LimitedLog(LOG);
    private final NodeId self;
    private final TransactionSettings settings;
    private final TransactionalSends transactions;
    private final Supplier<List<TransactionCheck>> checks;
    private final Map<String, Long> unknown = new ConcurrentHashMap<>();
    private final Map<String, Boolean> scheduled = new ConcurrentHashMap<>();
    /** Timers by queue: a check that does not return holds up its own queue only. */
    private final Map<String, ScheduledExecutorService> timers = new HashMap<>();

    private boolean closed;

    /**
     * Nothing is checked yet.
     *
     * @param self this node
     * @param checks who may know how transactions ended, in the order of asking
     */
    public UndecidedEntries(
            NodeId self,
            TransactionSettings settings,
            TransactionalSends transactions,
            Supplier<List<TransactionCheck>> checks) {
        this.self = self;
        this.settings = settings;
        this.transactions = transactions;
        this.checks = checks;
        transactions.onAbandoned(outbox -> later(outbox, settings.checkAfter()));
    }

    /** Returns how many entries had an unknown outcome at the last check, by queue. */
    public Map<String, Long> unknown() {
        return new TreeMap<>(unknown);
    }

    @Override
    public <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        outbox.onUndecided(entries -> later(outbox, settings.checkAfter()));
    }

    /** The future is of no use: {@link #run} lets nothing escape. */
    @SuppressWarnings("FutureReturnValueIgnored")
    private synchronized void later(Outbox<?> outbox, Duration delay) {
        if (closed || scheduled.putIfAbsent(outbox.name(), true) != null) {
            return;
        }
        try {
            timers.computeIfAbsent(outbox.name(), UndecidedEntries::timer)
                    .schedule(() -> run(outbox), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Throwable e) {
            scheduled.remove(outbox.name()); // no thread for it, perhaps: the next ones try again
            throw e;
        }
    }

    /** Its thread ends when there is nothing to check. */
    private static ScheduledExecutorService timer(String queue) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "georep-transaction-check-" + queue);
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    private void run(Outbox<?> outbox) {
        scheduled.remove(outbox.name());
        long left = 1;
        try {
            left = settle(outbox);
        } catch (Throwable e) {
            SafeLog.log(LOG, "Queue {}: undecided entries could not be checked", outbox.name(), e);
        } finally {
            if (left > 0) {
                later(outbox, settings.checkInterval());
            }
        }
    }

    /** Checks all undecided entries of a queue once; returns how many are to be checked again. */
    private <T> long settle(Outbox<T> outbox) throws InterruptedException, ExecutionException, TimeoutException {
        Verdicts verdicts = new Verdicts();
        EntryId after = null;
        List<Delivery<T>> page;
        do {
            page = outbox.undecided(after, PAGE)
                    .toCompletableFuture()
                    .get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            for (Delivery<T> entry : page) {
                after = entry.id();
                if (!after.origin().equals(self) || !transactions.willDecide(after)) {
                    verdicts.add(entry, outcome(outbox.name(), entry));
                } else if (!transactions.knowsItsEntries()) {
                    verdicts.young++;
                }
            }
        } while (!page.isEmpty()); // a page may be short because entries ended meanwhile
        transactions.decide(outbox, verdicts.committed, true);
        transactions.decide(outbox, verdicts.rolledBack, false);
        report(outbox.name(), verdicts);
        return verdicts.unknown + verdicts.young;
    }

    private TransactionCheck.@Nullable Outcome outcome(String queue, Delivery<?> entry) {
        Instant due = entry.enqueuedAt().plus(settings.checkAfter());
        if (Instant.now().isBefore(due)) {
            return null;
        }
        for (TransactionCheck check : checks.get()) {
            CompletableFuture<Boolean> returned = tellsIfNot(queue, check);
            try {
                TransactionCheck.@Nullable Outcome outcome = check.check(queue, entry);
                if (outcome == TransactionCheck.Outcome.COMMITTED || outcome == TransactionCheck.Outcome.ROLLED_BACK) {
                    return outcome;
                }
                if (outcome == null) {
                    failures.warn(
                            "Queue " + queue + ": the transaction check " + check + " returned null for " + entry.id());
                }
            } catch (Throwable e) {
                failures.error("Queue {}: the transaction check failed for {}", queue, entry.id(), e);
            } finally {
                returned.complete(true);
                forgetInterruption();
            }
        }
        return TransactionCheck.Outcome.UNKNOWN;
    }

    /** The log says where the thread is, if the check has not returned when it should be asked again. */
    private CompletableFuture<Boolean> tellsIfNot(String queue, TransactionCheck check) {
        Thread asks = Thread.currentThread();
        long millis = settings.checkInterval().toMillis();
        CompletableFuture<Boolean> returned =
                new CompletableFuture<Boolean>().completeOnTimeout(false, millis, TimeUnit.MILLISECONDS);
        CompletableFuture<Void> unused = returned.thenAccept(inTime -> {
            if (!inTime) {
                Throwable where = new Throwable("the thread is here");
                where.setStackTrace(asks.getStackTrace());
                LOG.warn(
                        "Queue {}: the transaction check has not returned for {} ms, the entries of this queue stay held: {}",
                        queue,
                        millis,
                        check.getClass().getName(),
                        where);
            }
        });
        return returned;
    }

    /** A check that leaves its thread interrupted must not end the reading of the next page, each time anew. */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static void forgetInterruption() {
        Thread.interrupted();
    }

    private void report(String queue, Verdicts verdicts) {
        if (!verdicts.committed.isEmpty() || !verdicts.rolledBack.isEmpty()) {
            CHANGES.atInfo()
                    .addKeyValue("georep.event", "checked")
                    .addKeyValue("georep.queue", queue)
                    .addKeyValue("georep.released", verdicts.committed.size())
                    .addKeyValue("georep.withdrawn", verdicts.rolledBack.size())
                    .log(
                            "Queue {}: released {} and withdrew {} entries after a transaction check",
                            queue,
                            verdicts.committed.size(),
                            verdicts.rolledBack.size());
        }
        Long before = verdicts.unknown == 0 ? unknown.remove(queue) : unknown.put(queue, verdicts.unknown);
        if (verdicts.unknown > 0 && (before == null || before != verdicts.unknown)) {
            CHANGES.atWarn()
                    .addKeyValue("georep.event", "unsettled")
                    .addKeyValue("georep.queue", queue)
                    .addKeyValue("georep.entries", verdicts.unknown)
                    .log(
                            "Queue {}: {} entries stay held, because nobody knows how their transactions ended: {}; declare a"
                                    + " TransactionCheck bean, or decide with the georep endpoint",
                            queue,
                            verdicts.unknown,
                            verdicts.examples);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        timers.values().forEach(ExecutorService::shutdownNow);
    }

    private static final class Verdicts {
        final List<EntryId> committed = new ArrayList<>();
        final List<EntryId> rolledBack = new ArrayList<>();
        final List<EntryId> examples = new ArrayList<>();
        long unknown;
        long young;

        void add(Delivery<?> entry, TransactionCheck.@Nullable Outcome outcome) {
            if (outcome == null) {
                young++;
                return;
            }
            switch (outcome) {
                case COMMITTED -> committed.add(entry.id());
                case ROLLED_BACK -> rolledBack.add(entry.id());
                case UNKNOWN -> {
                    unknown++;
                    if (examples.size() < LOGGED_MAX) {
                        examples.add(entry.id());
                    }
                }
            }
        }
    }
}
