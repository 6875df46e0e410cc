package io.georep;

import io.georep.codec.EntryEnvelope;
import io.georep.codec.MalformedException;
import io.georep.model.EntryId;
import io.georep.outbox.OutboxCommand;
import io.georep.outbox.OutboxEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler at work. Workers claim slices of what is ready and report what they forwarded in one command per slice; so
 * per entry there is neither a lock nor a task nor a command. A slow handler reports more often than per slice, because
 * what is not reported would be forwarded again after a crash.
 */
final class Forwarder<T> implements QueueConsumer, Forwarding {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    private static final int SLICE_MAX = 64;
    private static final long REPORT_AFTER_NANOS = 500_000;

    private final LocalQueue queue;
    private final NodePort node;
    private final ChangeLog changes;
    private final EntryReader<T> reader;
    private final HandlerCall<T> handler;
    private final BatchCalls<T> batches;
    private final Retry retry;
    private final RandomGenerator random;
    private final int sliceMax;
    private final Intake intake;
    private final Executor executor;
    private final @Nullable WorkerThreads ownThreads;
    private final ConcurrentLinkedQueue<Attempt> forwardedLater = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean reportScheduled = new AtomicBoolean();

    Forwarder(LocalQueue queue, EntryReader<T> reader, HandlerCall<T> handler, ForwardOptions options, int creditOut) {
        this.queue = queue;
        this.node = queue.node;
        this.changes = new ChangeLog(node.nodeName());
        this.reader = reader;
        this.handler = handler;
        this.batches = new BatchCalls<>(this, handler);
        this.retry = options.retry();
        RandomGenerator given = options.random();
        this.random = given == null ? new SplittableRandom() : given;
        this.sliceMax = handler.takesBatches() ? options.batchMax() : SLICE_MAX;
        this.intake = new Intake(options, creditOut);
        Executor supplied = options.executor();
        this.ownThreads = supplied == null
                ? new WorkerThreads("georep-" + node.nodeName() + "-" + queue.name, options.concurrency())
                : null;
        this.executor = supplied == null ? Objects.requireNonNull(ownThreads) : supplied;
    }

    /** Gives the first credit. */
    void begin() {
        carryOut(intake.time(node.nanos()));
    }

    Intake intake() {
        return intake;
    }

    @Override
    public void delivered(List<OutboxEvent.Delivered> entries) {
        carryOut(intake.delivered(entries, node.nanos()));
    }

    @Override
    public void time(long nowNanos) {
        if (intake.nextDueNanos() <= nowNanos) {
            carryOut(intake.time(nowNanos));
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return intake.nextDueNanos();
    }

    @Override
    public void pause() {
        turn(true);
    }

    @Override
    public void resume() {
        // On the application thread, so that a direct executor never runs the handler on the caller's thread.
        node.execute(() -> turn(false));
    }

    private void turn(boolean pausing) {
        boolean before = intake.paused();
        carryOut(intake.pause(pausing, node.nanos()));
        if (before != pausing) {
            changes.paused(queue.name, pausing);
        }
    }

    @Override
    public boolean paused() {
        return intake.paused();
    }

    @Override
    public boolean running() {
        return !intake.stopped();
    }

    @Override
    public boolean stop(Duration atMost) {
        carryOut(intake.stop(node.nanos()));
        boolean ended = intake.awaitHandsEmpty(atMost.toMillis());
        if (ownThreads != null) {
            ownThreads.shutDown();
        }
        return ended;
    }

    private void carryOut(Intake.Orders orders) {
        if (!orders.giveBack().isEmpty()) {
            node.command(new OutboxCommand.Return(orders.giveBack()));
        }
        if (!orders.reread().isEmpty()) {
            node.command(new OutboxCommand.Reread(orders.reread()));
        }
        if (orders.credit() > 0) {
            node.command(new OutboxCommand.Credit(queue.name, orders.credit()));
        }
        for (int i = 0; i < orders.workers(); i++) {
            try {
                executor.execute(this::work);
            } catch (RejectedExecutionException e) {
                intake.workerLost();
                LOG.error(
                        "Queue {}: the executor refused the handler; entries wait for the next chance", queue.name, e);
            }
        }
        if (orders.wake()) {
            node.execute(() -> {});
        }
    }

    private void work() {
        for (List<Attempt> slice = intake.claim(sliceMax); slice != null; slice = intake.claim(sliceMax)) {
            Report report = new Report(slice.size());
            if (handler.takesBatches()) {
                batches.forward(slice, report);
            } else {
                forwardEach(slice, report);
            }
            report.send();
        }
    }

    private void forwardEach(List<Attempt> slice, Report report) {
        for (int i = 0; i < slice.size(); i++) {
            if (intake.holding()) {
                untouched(slice.subList(i, slice.size()));
                return;
            }
            Attempt attempt = slice.get(i);
            EntryDelivery<T> delivery = prepared(attempt, report);
            if (delivery != null) {
                try {
                    CompletionStage<?> stage = handler.one(delivery);
                    if (stage == null || isDoneWell(stage)) {
                        report.forwarded(attempt);
                    } else {
                        stage.whenComplete((ignored, error) -> ended(attempt, error));
                    }
                } catch (Throwable e) {
                    failed(attempt, e);
                }
                report.sendIfOld();
            }
        }
    }

    boolean holding() {
        return intake.holding();
    }

    /** Entries of a slice that the handler does not get now. */
    void untouched(List<Attempt> attempts) {
        carryOut(intake.untouched(attempts, node.nanos()));
    }

    private static boolean isDoneWell(CompletionStage<?> stage) {
        return stage instanceof CompletableFuture<?> future && future.isDone() && !future.isCompletedExceptionally();
    }

    /** What the handler gets; null when the entry is not for it now, then it was dealt with. */
    @Nullable
    EntryDelivery<T> prepared(Attempt attempt, Report report) {
        OutboxEvent.Delivered entry = Objects.requireNonNull(attempt.entry, "ready without payload");
        EntryEnvelope envelope;
        EntryDelivery<T> delivery;
        try {
            envelope = EntryReader.envelope(entry);
            if (envelope.lifeMillis() > 0 || envelope.delayMillis() > 0) {
                long wall = node.wallMillis();
                if (envelope.expiredAt(wall)) {
                    reader.announceExpiry(entry, envelope, attempt.failures + 1);
                    report.expired(attempt);
                    return null;
                }
                long wait = envelope.notBeforeMillis() - wall;
                if (envelope.delayMillis() > 0 && wait > 0) {
                    park(attempt, wait, envelope);
                    return null;
                }
            }
            // Asked now: the process may have stood still since the entry was handed over.
            delivery = reader.delivery(entry, envelope, attempt.failures + 1, entry.possiblySentAt(node.nanos()));
        } catch (Throwable e) {
            giveUp(
                    attempt,
                    e instanceof MalformedException ? e : new IllegalArgumentException("unreadable payload: " + e, e));
            return null;
        }
        if (entry.adoptedFrom() != null && !attempt.announced) {
            attempt.announced = true;
            reader.announceAdoption(entry, delivery, entry.adoptedFrom());
        }
        return delivery;
    }

    /** A stage completed, on whatever thread; reports gather until the application thread gets to them. */
    private void ended(Attempt attempt, @Nullable Throwable error) {
        if (error == null) {
            forwardedLater(attempt);
        } else {
            failed(attempt, unwrapped(error));
        }
    }

    static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    void forwardedLater(Attempt attempt) {
        forwardedLater.add(attempt);
        if (reportScheduled.compareAndSet(false, true)) {
            node.execute(this::reportLater);
        }
    }

    private void reportLater() {
        reportScheduled.set(false);
        Report report = new Report(16);
        for (Attempt next = forwardedLater.poll(); next != null; next = forwardedLater.poll()) {
            report.forwarded(next);
        }
        report.send();
    }

    /** This entry failed: the retry policy decides. */
    void failed(Attempt attempt, Throwable error) {
        if (error instanceof CancellationException && intake.stopped()) {
            long now = node.nanos();
            carryOut(intake.park(attempt, now, now)); // after a stop this gives it back
            return;
        }
        queue.counters.failedAttempts.increment();
        attempt.failures++;
        if (retry.again(attempt.failures, error)) {
            tryLater(attempt, error);
        } else {
            giveUp(attempt, error);
        }
    }

    /** This entry failed together with others: it is not given up before it failed for itself. */
    void failedTogether(Attempt attempt, Throwable error) {
        queue.counters.failedAttempts.increment();
        attempt.failures++;
        if (!retry.again(attempt.failures, error)) {
            Suspicion.suspectForGood(attempt);
        }
        tryLater(attempt, error);
    }

    private void tryLater(Attempt attempt, Throwable error) {
        Duration delay;
        synchronized (random) {
            delay = retry.delay(attempt.failures, random);
        }
        LOG.debug(
                "Queue {}: attempt {} of {} failed, next in {}",
                queue.name,
                attempt.failures,
                attempt.id,
                delay,
                error);
        OutboxEvent.Delivered entry = Objects.requireNonNull(attempt.entry);
        park(attempt, delay.toMillis(), EntryReader.envelope(entry));
    }

    private void park(Attempt attempt, long delayMillis, EntryEnvelope envelope) {
        long wait = delayMillis;
        if (envelope.lifeMillis() > 0) {
            long left = envelope.enqueuedAtMillis() + envelope.lifeMillis() - node.wallMillis();
            wait = Math.min(wait, Math.max(0, left));
        }
        long now = node.nanos();
        long waitNanos = Math.min(wait, Long.MAX_VALUE / 4_000_000L) * 1_000_000L;
        carryOut(intake.park(attempt, now + waitNanos, now));
    }

    private void giveUp(Attempt attempt, Throwable error) {
        int attempts = Math.max(1, attempt.failures);
        String reason = error.getMessage() == null ? error.getClass().getName() : error.toString();
        changes.deadLetter(queue.name, attempt.id, attempts, reason);
        queue.counters.deadLettered.increment();
        node.command(new OutboxCommand.DeadLetter(attempt.id, attempts, reason));
        carryOut(intake.finished(1, node.nanos()));
    }

    /** Ends of entries that one thread gathers for one command. */
    final class Report {
        private List<EntryId> ids;
        private final int capacity;
        private long since = node.nanos();
        private int expired;

        Report(int capacity) {
            this.capacity = capacity;
            this.ids = new ArrayList<>(capacity);
        }

        void forwarded(Attempt attempt) {
            ids.add(attempt.id);
        }

        void expired(Attempt attempt) {
            ids.add(attempt.id);
            expired++;
        }

        void sendIfOld() {
            if (!ids.isEmpty() && node.nanos() - since > REPORT_AFTER_NANOS) {
                send();
            }
        }

        void send() {
            since = node.nanos();
            if (ids.isEmpty()) {
                return;
            }
            List<EntryId> done = ids;
            queue.counters.forwarded.add(done.size() - expired);
            queue.counters.expired.add(expired);
            ids = new ArrayList<>(capacity);
            expired = 0;
            node.command(new OutboxCommand.Forwarded(done));
            carryOut(intake.finished(done.size(), since));
        }
    }
}
