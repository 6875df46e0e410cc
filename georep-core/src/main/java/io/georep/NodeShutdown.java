package io.georep;

import io.georep.logging.SafeLog;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.BestEffort;
import io.georep.runtime.NodeDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a node, whoever causes it, and the state that shows it. Thread-safe. */
final class NodeShutdown {
    private static final Logger LOG = LoggerFactory.getLogger(NodeShutdown.class);
    private static final long DRIVER_END_MILLIS = 30_000;
    private static final long GOODBYE_SLACK_MILLIS = 1_000;

    private final NodeSettings settings;
    private final NodeDriver driver;
    private final EventRouter router;
    private final ChangeLog changes;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final Object closing = new Object();
    private volatile NodeState state = NodeState.RUNNING;
    private volatile @Nullable Throwable failure;
    private volatile boolean hadStarted;
    private final BestEffort tellStopped = new BestEffort(this::tellStopped);

    NodeShutdown(NodeSettings settings, NodeDriver driver, EventRouter router) {
        this.settings = settings;
        this.driver = driver;
        this.router = router;
        this.changes = new ChangeLog(settings.nodeId().value());
        var unused = router.ended.thenAccept(this::driverEnded);
    }

    NodeState state() {
        return state;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    CompletableFuture<Void> stopped() {
        return stopped;
    }

    void close(Duration expectedAway) {
        if (expectedAway.isNegative()) {
            throw new IllegalArgumentException("expectedAway is " + expectedAway + ", must not be negative");
        }
        if (router.onApplicationThread()) {
            throw new IllegalStateException("a callback of the node cannot close it: close from another thread");
        }
        boolean interrupted = Thread.interrupted(); // otherwise every wait below would end at once
        try {
            closeInOrder(expectedAway);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeInOrder(Duration expectedAway) {
        synchronized (closing) {
            if (leaves()) {
                guarded(() -> changes.leaving(expectedAway));
                closeSides(); // before anybody is waited for
                finishSides();
                CompletableFuture<Void> answered = allAnswered();
                router.wakeSides(); // so that it is noticed when nothing is under way
                await("requests under way", answered, settings.closeTimeout().toMillis());
                driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Leave(expectedAway));
                await("GOODBYE", router.left, settings.protocol().putTimeout().toMillis() + GOODBYE_SLACK_MILLIS);
                driver.stop();
            }
            awaitEnd();
        }
    }

    /** Changes the state to {@code LEAVING}. Returns false if something else has ended the node at this moment. */
    private synchronized boolean leaves() {
        boolean leaves = state == NodeState.RUNNING;
        state = leaves ? NodeState.LEAVING : state;
        return leaves;
    }

    void halt() {
        closeSides();
        driver.halt();
        if (!router.onApplicationThread()) {
            synchronized (closing) {
                awaitEnd();
            }
        }
    }

    /** All protocols get the same time together. */
    private void finishSides() {
        long deadline = System.nanoTime() + settings.closeTimeout().toNanos();
        for (LocalSide<?, ?, ?> side : router.sides()) {
            guarded(() -> side.finish(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
        }
    }

    private void closeSides() {
        router.sides().forEach(side -> guarded(side::close));
    }

    /** Protocols may come from anybody. None of them may keep the node from its end. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            SafeLog.log(LOG, "Node {}: a step failed while closing, which goes on", settings.nodeId(), e);
        }
    }

    private CompletableFuture<Void> allAnswered() {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        router.sides().forEach(side -> guarded(() -> answers.add(side.answered())));
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    }

    private void awaitEnd() {
        if (!await("the driver", router.ended, DRIVER_END_MILLIS)) {
            driver.halt();
            await("the halted driver", router.ended, DRIVER_END_MILLIS);
        }
        if (router.ended.isDone()) {
            router.stop(DRIVER_END_MILLIS);
        }
    }

    /** Handles the last event. Called on an application thread, which keeps running until that event has come. */
    private void driverEnded(NodeDriver.Ended ended) {
        synchronized (this) {
            failure = ended.failure();
            state = failure == null ? NodeState.CLOSED : NodeState.FAILED;
        }
        hadStarted = ended.hadStarted();
        tellStopped.carryOut();
    }

    private void tellStopped() {
        router.stop(0);
        Throwable cause = failure;
        if (cause == null) {
            guarded(changes::stopped);
            stopped.complete(null);
            return;
        }
        if (hadStarted) {
            guarded(() -> changes.failed(cause)); // Its text may not be fit for a log.
        }
        stopped.completeExceptionally(cause);
    }

    /** Waits even if the thread is interrupted. The caller wants the node closed, and the wait is bounded. */
    private boolean await(String what, CompletableFuture<?> step, long millis) {
        long deadline = System.nanoTime() + Math.max(1, millis) * 1_000_000L;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    step.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            LOG.warn("Node {}: {} not finished after {} ms, closing goes on", settings.nodeId(), what, millis);
        } catch (ExecutionException e) {
            LOG.warn("Node {}: {} failed while closing", settings.nodeId(), what, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return false;
    }
}
