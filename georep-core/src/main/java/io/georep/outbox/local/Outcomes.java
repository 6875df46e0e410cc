package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Retry;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.local.NodeHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what becomes of an entry after the handler had it: it is reported as forwarded, tried again, or given up.
 * Each time in the hands of the handler ends once, even if a stage completes twice. Thread-safe.
 */
final class Outcomes {
    /** Pause after an error that is neither the handler's nor the entry's. */
    static final Duration AFTER_BREAKDOWN = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);
    private static final long LOG_EVERY_NANOS = 60_000_000_000L;

    private final LocalQueue queue;
    private final NodeHandle<OutboxCommand> node;
    private final OutboxChanges changes;
    private final FailureLog failureLog;
    private final ForwardWindow forwardWindow;
    private final Consumer<ForwardWindow.Orders> carryOut;
    private final Retry retry;
    private final RandomGenerator random;
    private final ConcurrentLinkedQueue<EntryInHand> forwardedLater = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<OutboxCommand.Failure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean reportScheduled = new AtomicBoolean();
    private final AtomicLong loggedAt = new AtomicLong();

    Outcomes(
            LocalQueue queue,
            ForwardWindow forwardWindow,
            ForwardOptions.Values values,
            Consumer<ForwardWindow.Orders> carryOut) {
        this.queue = queue;
        this.node = queue.node;
        this.changes = new OutboxChanges(node.nodeName());
        this.failureLog = new FailureLog(queue.name, node::nanos);
        this.forwardWindow = forwardWindow;
        this.carryOut = carryOut;
        this.retry = values.retry();
        RandomGenerator given = values.random();
        this.random = given == null ? new SplittableRandom() : given;
    }

    /** For the ends that one thread gathers. */
    ForwardReport report(int capacity) {
        return new ForwardReport(
                queue, capacity, (count, bytes) -> carryOut.accept(forwardWindow.finished(count, bytes, node.nanos())));
    }

    /** The handler is done with an entry, on the thread of the report. */
    void forwarded(EntryInHand inHand, int hand, ForwardReport report) {
        if (inHand.ends(hand)) {
            report.forwarded(inHand);
        }
    }

    /** Sends a report from a thread of the application, which may swallow what is thrown. */
    void send(ForwardReport report) {
        try {
            report.send();
        } catch (OutOfMemoryError e) {
            node.fail(e);
            throw e;
        }
    }

    /** Ends an entry when its stage completes, on whatever thread. The stage would swallow what is thrown then. */
    void endWith(CompletionStage<?> stage, EntryInHand inHand, int hand, Consumer<@Nullable Throwable> end) {
        stage.whenComplete((ignored, error) -> {
            try {
                end.accept(error);
            } catch (OutOfMemoryError e) {
                node.fail(e);
            } catch (Throwable e) {
                failed(inHand, hand, e);
            }
        });
    }

    /** As {@link #forwarded}, on whatever thread. Reports gather until the application thread gets to them. */
    void forwardedLater(EntryInHand inHand, int hand) {
        if (!inHand.ends(hand)) {
            return;
        }
        forwardedLater.add(inHand);
        scheduleReport();
    }

    private void scheduleReport() {
        if (reportScheduled.compareAndSet(false, true)) {
            boolean scheduled = false;
            try {
                scheduled = node.execute(this::reportLater);
            } finally {
                if (!scheduled) {
                    reportScheduled.set(false);
                }
            }
        }
    }

    /** Called now and then: sends what has waited for long. */
    void sweep() {
        reportLater();
        failureLog.tellLeftOut();
    }

    /** Reports what stages said, and what failed, since the last time. */
    void reportLater() {
        reportScheduled.set(false);
        ForwardReport report = report(16);
        for (EntryInHand next = forwardedLater.poll(); next != null; next = forwardedLater.poll()) {
            report.forwarded(next);
        }
        report.send();
        List<OutboxCommand.Failure> failed = new ArrayList<>();
        for (OutboxCommand.Failure next = failures.poll(); next != null; next = failures.poll()) {
            failed.add(next);
        }
        if (!failed.isEmpty()) {
            node.command(new OutboxCommand.Failed(failed));
        }
    }

    /** This entry failed: the retry policy decides. */
    void failed(EntryInHand inHand, int hand, Throwable error) {
        if (!inHand.ends(hand)) {
            return;
        }
        if (error instanceof CancellationException && forwardWindow.stopped()) {
            long now = node.nanos();
            carryOut.accept(forwardWindow.park(inHand, now, now)); // after a stop this gives it back
            return;
        }
        queue.counters.failedAttempts.increment();
        inHand.failures++;
        if (retry.again(inHand.failures, error)) {
            tryLater(inHand, error);
        } else {
            giveUp(inHand, "", error);
        }
    }

    /** This entry failed together with others. It is not given up before it has failed alone. */
    void failedTogether(EntryInHand inHand, int hand, Throwable error) {
        if (!inHand.ends(hand)) {
            return;
        }
        queue.counters.failedAttempts.increment();
        inHand.failures++;
        if (!retry.again(inHand.failures, error)) {
            PoisonIsolation.suspectForGood(inHand);
        }
        tryLater(inHand, error);
    }

    private void tryLater(EntryInHand inHand, Throwable error) {
        failures.add(new OutboxCommand.Failure(inHand.id, inHand.failures));
        scheduleReport();
        Duration delay = delay(inHand);
        failureLog.failed(inHand, delay, error);
        park(inHand, delay.toMillis());
    }

    private Duration delay(EntryInHand inHand) {
        try {
            synchronized (random) {
                return retry.delay(inHand.failures, random);
            }
        } catch (Throwable e) {
            logOncePerMinute("Queue {}: the generator of random numbers failed", queue.name, e);
            return AFTER_BREAKDOWN;
        }
    }

    /** Lets an entry wait, at most until it expires. */
    void park(EntryInHand inHand, long delayMillis) {
        long wait = delayMillis;
        EntryEnvelope envelope = EntryReader.envelope(Objects.requireNonNull(inHand.entry));
        if (envelope.lifeMillis() > 0) {
            long left = envelope.enqueuedAtMillis() + envelope.lifeMillis() - node.wallMillis();
            wait = Math.min(wait, Math.max(0, left));
        }
        long now = node.nanos();
        long waitNanos = Math.min(wait, Long.MAX_VALUE / 4_000_000L) * 1_000_000L;
        carryOut.accept(forwardWindow.park(inHand, now + waitNanos, now));
    }

    void giveUp(EntryInHand inHand, String prefix, Throwable error) {
        int attempts = Math.max(1, inHand.failures);
        String reason = prefix + SafeLog.text(error);
        try {
            changes.deadLetter(queue.name, inHand.id, attempts, reason);
        } finally {
            queue.counters.deadLettered.increment();
            node.command(new OutboxCommand.MakeDeadLetter(inHand.id, attempts, reason));
            carryOut.accept(forwardWindow.finished(1, inHand.bytes, node.nanos()));
        }
    }

    static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Logs at most one line per minute: what is tried again every second fails every second. */
    void logOncePerMinute(String format, Object... arguments) {
        long now = node.nanos();
        long last = loggedAt.get();
        if ((last == 0 || now - last >= LOG_EVERY_NANOS) && loggedAt.compareAndSet(last, now)) {
            SafeLog.log(LOG, format, arguments);
        }
    }
}
