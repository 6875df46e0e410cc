package io.georep.funnel.local;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.logging.SafeLog;
import io.georep.protocol.local.NodeHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Asks the master for the view and the lease: three times per lease, and at once when the protocol wants to know. Only
 * one question is open at a time. A question that is not answered within half a lease is given up, and a later answer
 * to it is not used. It has a thread of its own, and what the protocol tells it is urgent,
 * so that a slow callback of the application costs no lease.
 */
final class Renewals {
    /** The shortest time between two questions, however often the protocol wants to know. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long CLOSE_SECONDS = 5;

    private final NodeHandle<FunnelCommand> node;
    private final ViewMaster master;
    private final Logger log;
    private final long everyNanos;
    private final long patienceNanos;
    private final ScheduledThreadPoolExecutor thread;
    private final String whoIsMissing;
    private final CompletableFuture<Void> farewell = new CompletableFuture<>();

    /** Null before the protocol has said what to ask. Only the thread uses this and everything below. */
    private ViewMaster.@Nullable Renewal wanted;

    /** Number of the open question; 0 when none is. */
    private long open;

    /** Whether the newest question is the farewell. */
    private boolean isLast;

    private long asked;
    private long askedAtNanos;
    private long askedAtMillis;

    /** Whether the protocol has wanted to know since the open question was asked. */
    private boolean again;

    /** When to ask the next question, or to give up the open one. */
    private @Nullable Future<?> alarm;

    private boolean silent;
    private boolean closed;

    /**
     * Asks nobody yet.
     *
     * @param whoIsMissing words for the error if the master is silent
     */
    Renewals(
            NodeHandle<FunnelCommand> node,
            FunnelSettings settings,
            ViewMaster master,
            String whoIsMissing,
            Logger log) {
        this.whoIsMissing = whoIsMissing;
        this.node = node;
        this.log = log;
        this.master = master;
        this.everyNanos = settings.lease().toNanos() / 3;
        this.patienceNanos = settings.lease().toNanos() / 2;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "georep-" + node.nodeName() + "-views");
            made.setDaemon(true);
            return made;
        });
        thread.setRemoveOnCancelPolicy(true);
    }

    /** Says what to ask from now on. Any thread. */
    void ask(FunnelEvent.Ask ask) {
        execute(() -> {
            boolean first = wanted == null;
            wanted = ask.renewal();
            if (closed || (!first && !ask.now())) {
                return;
            }
            if (open != 0 && isLast == ask.renewal().left()) {
                again = true;
            } else {
                next(first ? 0 : Math.max(0, askedAtNanos + PAUSE_NANOS - node.nanos()));
            }
        });
    }

    /** Gives the master the operator's order. Any thread. */
    CompletionStage<ViewMaster.Restoration> restore(boolean dryRun) {
        return master.restore(dryRun);
    }

    private void execute(Runnable task) {
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // The node has ended.
        }
    }

    /** An error must not end the questions. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            SafeLog.log(log, "Node {}: asking the master of views failed", node.nodeName(), e);
            open = 0;
            next(everyNanos);
        }
    }

    private void next(long inNanos) {
        if (closed) {
            return;
        }
        alarm(this::question, inNanos);
    }

    private void alarm(Runnable task, long inNanos) {
        if (alarm != null) {
            alarm.cancel(false);
        }
        alarm = thread.schedule(() -> guarded(task), inNanos, TimeUnit.NANOSECONDS);
    }

    private void question() {
        ViewMaster.Renewal renewal = wanted;
        if (renewal == null || closed) {
            return;
        }
        long number = ++asked;
        open = number;
        isLast = renewal.left();
        again = false;
        askedAtNanos = node.nanos();
        askedAtMillis = node.wallMillis();
        alarm(
                () -> failed(
                        number,
                        "no answer within " + TimeUnit.NANOSECONDS.toMillis(patienceNanos) + " ms" + whoIsMissing),
                patienceNanos);
        try {
            master.renew(renewal)
                    .whenComplete((grant, error) -> execute(() -> {
                        if (error != null) {
                            failed(number, SafeLog.text(error));
                        } else if (grant == null) {
                            failed(number, "an answer that is null");
                        } else {
                            granted(number, grant);
                        }
                    }));
        } catch (RuntimeException e) {
            failed(number, SafeLog.text(e));
        }
    }

    private void granted(long number, ViewMaster.Grant grant) {
        if (number != open) {
            return;
        }
        if (silent) {
            silent = false;
            log.info("Node {}: the master of views answers again: {}", node.nodeName(), grant);
        }
        node.command(new FunnelCommand.Granted(grant, askedAtNanos, askedAtMillis));
        over();
        if (isLast) {
            farewell.complete(null);
        }
    }

    private void failed(long number, String reason) {
        if (number != open) {
            return;
        }
        if (!silent) {
            silent = true;
            log.warn(
                    "Node {}: the master of views does not answer: {}. When the lease ends, reads and writes of replicated"
                            + " maps are refused until it does",
                    node.nodeName(),
                    reason);
        }
        over();
    }

    private void over() {
        open = 0;
        boolean isFarewellDue = wanted != null && wanted.left() && !isLast;
        long pause = again || isFarewellDue ? PAUSE_NANOS : everyNanos;
        next(Math.max(0, askedAtNanos + pause - node.nanos()));
    }

    /**
     * Lets the protocol take no part in any view any more, and tells that to the master, so that nobody waits for the lease. If it does not
     * arrive, they wait for it.
     *
     * @return completes when the master has answered, or after a lease
     */
    CompletableFuture<Void> farewell() {
        if (!node.command(new FunnelCommand.Leave())) {
            farewell.complete(null);
        }
        return farewell.completeOnTimeout(null, 2 * patienceNanos, TimeUnit.NANOSECONDS);
    }

    /** Asks no more and closes the master, waiting for it a bounded time. */
    void close() {
        execute(() -> {
            if (alarm != null) {
                alarm.cancel(false);
            }
            closed = true;
            open = 0;
            farewell.complete(null);
            try {
                master.close();
            } catch (RuntimeException e) {
                SafeLog.log(log, "Node {}: closing the master of views failed", node.nodeName(), e);
            }
        });
        thread.shutdown();
        boolean interrupted = false;
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("Node {}: the master of views is not closed after {} s", node.nodeName(), CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
