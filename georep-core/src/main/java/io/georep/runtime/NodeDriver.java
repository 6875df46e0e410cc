package io.georep.runtime;

import io.georep.model.ClosedException;
import io.georep.model.GeoRepException;
import io.georep.model.StoreException;
import io.georep.model.StoreState;
import io.georep.protocol.local.TurnSource;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.EntryStore;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread around a {@link NodeLoop}. It gathers the inputs of all threads, makes a turn, and sleeps until an input
 * or a deadline.
 *
 * <p>{@link #start} starts the store, boots the loop, waits until the first batch is durable, and starts the
 * transport. Then it makes turns. {@link #stop} handles everything that is queued, then closes transport and store;
 * {@link #halt} closes them at once. After an exception in a turn, the state of the protocols cannot be trusted: the
 * driver logs the exception and stops the node as halt does. At the end the side of the application is told once, by
 * {@link Ended}.
 */
public final class NodeDriver {
    /**
     * The last event for the side of the application.
     *
     * @param hadStarted whether the node ran; if a start fails, the failure is thrown to the caller
     */
    public record Ended(@Nullable Throwable failure, boolean hadStarted) {}

    private static final Logger LOG = LoggerFactory.getLogger(NodeDriver.class);
    /** Inputs are taken in portions. After so many of them there is a turn, however many more come meanwhile. */
    private static final int PORTION = 512;

    private static final int PORTIONS_PER_TURN = 128;
    private static final long SLEEP_MAX_NANOS = 1_000_000_000L;

    /** How long a store may take to close before the application is told that the node has ended. */
    private static final Duration STORE_CLOSE_PATIENCE = Duration.ofSeconds(30);

    /** The same for a store that has been silent for long already. */
    private static final Duration STALLED_STORE_PATIENCE = Duration.ofMillis(100);

    /** Makes the driver turn although there is no input for the protocols. */
    private static final Object WAKE = new Object();

    private static final Object STOP = new Object();

    /** The parts of a node the driver runs; the sources by the channels of the protocols that get their commands. */
    public record Parts(
            NodeLoop loop,
            MembershipProtocol membership,
            EntryStore store,
            Transport transport,
            Map<Integer, TurnSource<?>> sources) {}

    private final List<Object> drained = new ArrayList<>();
    private final HandOff<Object> queue;
    private final InputLanes lanes = new InputLanes();
    private final DriverInbox inbox;
    private final InputListener listener;
    private final Ticker ticker;
    private final AppSink sink;
    private final Thread thread;
    private final long stopNanos;
    private final CompletableFuture<String> started = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private @Nullable Parts parts;
    private volatile boolean halted;
    private final LongAdder turns = new LongAdder();
    private final LongAdder inputs = new LongAdder();
    private boolean stopping;
    private long stoppedNanos;
    private volatile @Nullable Throwable failure;

    /**
     * All of them are carried out, even if one fails for lack of memory, so that nobody waits for a node that is gone.
     */
    private final BestEffort[] lastSteps = {
        new BestEffort(this::closeQueues),
        new BestEffort(this::dropInputs),
        new BestEffort(this::closeTransport),
        new BestEffort(this::closeStore),
        new BestEffort(this::tell),
        new BestEffort(this::complete)
    };

    /**
     * A driver whose thread is not started yet.
     *
     * @param threadName name of its thread
     * @param stopWithin how long a stop waits for a store that answers nothing
     */
    public NodeDriver(String threadName, Duration stopWithin, Ticker ticker, AppSink sink) {
        this(threadName, stopWithin, ticker, sink, new HandOff<>());
    }

    NodeDriver(String threadName, Duration stopWithin, Ticker ticker, AppSink sink, HandOff<Object> queue) {
        this.queue = queue;
        this.inbox = new DriverInbox(
                queue,
                on -> parts().transport().reading(on),
                () -> parts().loop().wireCounts().ignore());
        this.listener = new InputListener(inbox);
        this.ticker = ticker;
        this.stopNanos = stopWithin.toNanos();
        this.sink = sink;
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    /**
     * Boots the node and waits until it listens.
     *
     * @return the address that other nodes should dial
     * @throws GeoRepException if it cannot start, or not within this time; then the parts are closed
     */
    public String start(Parts nodeParts, long timeoutMillis) {
        parts = nodeParts;
        try {
            thread.start();
        } catch (Throwable e) {
            failure = e;
            end();
            throw e;
        }
        try {
            return started.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new StoreException(StoreException.Kind.IO, "the node could not start: " + e.getMessage(), e);
        } catch (TimeoutException e) {
            halt();
            throw new StoreException(
                    StoreException.Kind.IO,
                    "the node did not start within " + timeoutMillis + " ms: the store is slow or very large;"
                            + " raise startTimeout",
                    e);
        } catch (InterruptedException e) {
            halt();
            Thread.currentThread().interrupt();
            throw new StoreException(StoreException.Kind.IO, "interrupted while the node was starting", e);
        }
    }

    /** Queues a command for a protocol; returns false if the driver has ended. */
    public boolean command(int channel, Object command) {
        return queue.offer(new Input.Command(channel, command));
    }

    /** Turns soon, and looks at the sources. */
    public void wake() {
        queue.offer(WAKE);
    }

    /** Soon handles what is queued, closes transport and store, and ends the thread; see {@link #ended}. */
    public void stop() {
        queue.offer(STOP);
    }

    /** Closes transport and store as soon as the turn under way is over; see {@link #ended}. */
    public void halt() {
        halted = true;
        queue.offer(STOP);
    }

    /**
     * Ends the node as an error in a turn does, because something was lost that it needs. Any thread. Needs no
     * memory, because lack of memory may be the reason.
     */
    public void fail(Throwable cause) {
        failure = cause;
        halted = true;
    }

    /** Completes when the driver has ended, with the error that ended it if there was one. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** Returns the number of turns so far. */
    public long turns() {
        return turns.sum();
    }

    /** Returns the number of inputs handled so far. */
    public long inputs() {
        return inputs.sum();
    }

    private void run() {
        Parts node = parts();
        try {
            List<Input> early = boot(node);
            if (!stopping) {
                turnUntilStopped(node.loop(), early);
            }
        } catch (Throwable e) {
            failure = e;
        }
        end();
    }

    private void end() {
        for (int i = 0; i < lastSteps.length; i++) {
            lastSteps[i].carryOut();
        }
    }

    /** Boots; returns the inputs that came meanwhile, for the first turn, which may use the transport. */
    private List<Input> boot(Parts node) {
        node.store().start(listener);
        node.loop().boot();
        List<Input> early = new ArrayList<>();
        while (!lanes.isEmpty() || (!stopping && !bootIsDurable(early))) {
            if (lanes.isEmpty()) {
                queue.await(SLEEP_MAX_NANOS);
            }
            takeInputs(early);
        }
        if (!stopping) {
            String address = node.transport().start(node.membership().self(), listener);
            node.membership().bound(address);
            if (node.transport().limited()) {
                node.membership().limited();
            }
            started.complete(address);
        }
        return early;
    }

    private static boolean bootIsDurable(List<Input> early) {
        for (Input input : early) {
            if (input instanceof Input.StoreFailed broken) {
                throw broken.cause();
            }
            if (input instanceof Input.Durable) {
                return true;
            }
        }
        return false;
    }

    private void turnUntilStopped(NodeLoop loop, List<Input> batch) {
        while (!halted) {
            takeInputs(batch);
            long untilDeadline = untilDeadline(loop);
            if (!batch.isEmpty() || untilDeadline <= 0) {
                turn(loop, batch);
            } else if (stopping && loop.isDurable()) {
                return;
            } else if (stopping && isStuck(loop.storeState()) && ticker.nanos() - stoppedNanos >= stopNanos) {
                boolean full = loop.storeState() == StoreState.FULL;
                throw new StoreException(
                        full ? StoreException.Kind.FULL : StoreException.Kind.STALLED,
                        "the node was stopped although " + (full ? "its disk is full and " : "") + loop.describeStore()
                                + ": what is in these batches may be missing after the next start, as after a crash;"
                                + " check the disk first");
            } else {
                queue.await(Math.min(untilDeadline, SLEEP_MAX_NANOS));
            }
        }
    }

    /** Returns whether it may be long before the store writes anything again. */
    private static boolean isStuck(StoreState store) {
        return store == StoreState.STALLED || store == StoreState.FULL;
    }

    private long untilDeadline(NodeLoop loop) {
        long deadline = loop.nextDeadlineNanos();
        return deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - ticker.nanos();
    }

    private void turn(NodeLoop loop, List<Input> batch) {
        turns.increment();
        inputs.add(batch.size());
        loop.turn(batch);
        inbox.hold(loop.isOverfull());
        batch.clear();
    }

    private void takeInputs(List<Input> batch) {
        sortQueued();
        int before = batch.size();
        lanes.take(batch);
        inbox.taken(batch.subList(before, batch.size()));
        if (started.isDone()) {
            // Before that, requests wait. Waking for what cannot be taken would be busy waiting.
            parts().sources.forEach((channel, source) -> gather(channel, source, batch));
        }
    }

    /** Brings everything that is queued into its lane, because what came last may have to go first. */
    private void sortQueued() {
        boolean more = true;
        for (int portion = 0; more && portion < PORTIONS_PER_TURN; portion++) {
            more = queue.drainTo(drained, PORTION) == PORTION;
            for (Object item : drained) {
                if (stopping && isOfOtherNodes(item)) {
                    // Dropped as if it had been lost with its link. Otherwise a flood could delay the end.
                    inbox.taken(List.of((Input) item));
                } else if (item instanceof Input input) {
                    lanes.add(input);
                } else if (item == STOP) {
                    stoppedNanos = stopping ? stoppedNanos : ticker.nanos();
                    stopping = true;
                }
            }
            drained.clear();
        }
    }

    private static boolean isOfOtherNodes(Object item) {
        return item instanceof Input.Frame || item instanceof Input.LifeSign || item instanceof Input.StrangerFrame;
    }

    private void gather(int channel, TurnSource<?> source, List<Input> batch) {
        Object command = source.gather();
        if (command != null) {
            batch.add(new Input.Command(channel, command));
        }
        if (!source.isEmpty()) {
            queue.offer(WAKE);
        }
    }

    /** Where transport and store tell what happens. */
    InputListener listener() {
        return listener;
    }

    private Parts parts() {
        return Objects.requireNonNull(parts, "parts");
    }

    private void closeQueues() {
        queue.close();
        for (TurnSource<?> source : parts().sources.values()) {
            BestEffort.quietly(source::close);
        }
    }

    private void dropInputs() {
        lanes.clear();
        do {
            drained.clear();
        } while (queue.drainTo(drained, PORTION) > 0);
    }

    private void closeTransport() {
        if (failure != null && started.isDone()) {
            BestEffort.quietly(() -> LOG.error(
                    "{}: a turn failed and the state of the node cannot be trusted", thread.getName(), failure));
        }
        try {
            parts().transport.close();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            BestEffort.quietly(() -> LOG.warn("Closing the transport failed", e));
        }
    }

    private void closeStore() {
        boolean stalled = parts().loop.storeState() == StoreState.STALLED;
        StoreCloser.close(parts().store, thread.getName(), stalled ? STALLED_STORE_PATIENCE : STORE_CLOSE_PATIENCE);
    }

    private void tell() {
        sink.accept(new ArrayList<>(List.of(new Ended(failure, started.isDone()))));
    }

    private void complete() {
        Throwable cause = failure;
        if (cause == null) {
            started.completeExceptionally(new ClosedException("the node was stopped while starting"));
            ended.complete(null);
        } else {
            started.completeExceptionally(cause);
            ended.completeExceptionally(cause);
        }
    }
}
