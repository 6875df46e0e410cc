package io.georep.outbox.local;

import io.georep.codec.MalformedException;
import io.georep.logging.SafeLog;
import io.georep.model.BrokenInvariantException;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import io.georep.protocol.local.NodeHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler at work. Workers claim slices of what is ready, and report what they have forwarded in one command per
 * slice. So an entry costs no lock, no task and no command of its own. A slow handler reports more often than once per
 * slice, because what is not reported would be forwarded again after a crash.
 */
final class Forwarder<T> implements QueueConsumer, Forwarding {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    private static final int SLICE_MAX = 64;

    private final LocalQueue queue;
    private final NodeHandle<OutboxCommand> node;
    private final OutboxChanges changes;
    private final EntryReader<T> reader;
    private final HandlerCalls.Invoker<T> invoker;
    private final HandlerCalls<T> calls;
    private final Outcomes outcomes;
    private final int sliceMax;
    private final ForwardWindow forwardWindow;
    private final Executor executor;
    private final @Nullable WorkerThreads ownThreads;
    private volatile @Nullable Forwarder<T> successor;

    Forwarder(
            LocalQueue queue,
            EntryReader<T> reader,
            HandlerCalls.Invoker<T> invoker,
            boolean batches,
            ForwardOptions.Values values) {
        this.queue = queue;
        this.node = queue.node;
        this.changes = new OutboxChanges(node.nodeName());
        this.reader = reader;
        this.invoker = invoker;
        this.sliceMax = batches ? values.batchMax() : SLICE_MAX;
        this.forwardWindow = new ForwardWindow(values);
        this.outcomes = new Outcomes(queue, forwardWindow, values, this::carryOut);
        this.calls = new HandlerCalls<>(this, outcomes);
        Executor supplied = values.executor();
        this.ownThreads = supplied == null
                ? new WorkerThreads("georep-" + node.nodeName() + "-" + queue.name, values.concurrency())
                : null;
        this.executor = supplied == null ? Objects.requireNonNull(ownThreads) : supplied;
    }

    /** Gives the first credit. */
    void begin() {
        carryOut(forwardWindow.sweep(node.nanos()));
    }

    /** Called after {@link #stop}: what was asked for here and has not arrived goes to the next forwarding. */
    void passTo(Forwarder<T> next) {
        successor = next;
        forwardWindow.passTo(next.forwardWindow);
    }

    ForwardWindow forwardWindow() {
        return forwardWindow;
    }

    @Override
    public void delivered(List<OutboxEvent.Delivered> entries) {
        ForwardWindow.Orders orders = forwardWindow.delivered(entries, node.nanos());
        if (orders == null) {
            Objects.requireNonNull(successor).delivered(entries);
        } else {
            carryOutHere(orders);
        }
    }

    @Override
    public void recalled(RecalledEntries entries) {
        carryOutHere(forwardWindow.recall(entries, node.nanos()));
    }

    @Override
    public void alarm(long nowNanos) {
        carryOutHere(forwardWindow.sweep(nowNanos));
    }

    @Override
    public void sweep(long nowNanos) {
        outcomes.sweep();
        carryOutHere(forwardWindow.sweep(nowNanos));
    }

    @Override
    public void pause() {
        boolean before = forwardWindow.paused();
        carryOut(forwardWindow.pause(node.nanos()));
        told(before);
    }

    @Override
    public void resume() {
        boolean before = forwardWindow.paused();
        carryOut(forwardWindow.resume(node.nanos()));
        told(before);
    }

    private void told(boolean before) {
        boolean after = forwardWindow.paused();
        if (before != after) {
            changes.paused(queue.name, after);
        }
    }

    @Override
    public boolean paused() {
        return forwardWindow.paused();
    }

    @Override
    public boolean running() {
        return !forwardWindow.stopped();
    }

    @Override
    public boolean stop(Duration atMost) {
        if (!atMost.isZero() && node.onApplicationThread()) {
            throw new IllegalStateException(
                    "stop of the handler of queue " + queue.name + " would wait for itself on the"
                            + " application thread of its node: in callbacks do not wait (pass zero)");
        }
        carryOut(forwardWindow.stop(node.nanos()));
        boolean ended = forwardWindow.awaitHandsEmpty(TimeUnit.MILLISECONDS.convert(atMost)); // saturates
        if (ownThreads != null) {
            ownThreads.shutDown();
        }
        queue.alarms.cancelAlarms(this);
        return ended;
    }

    /** Carries out orders on any thread. A thread of the application may swallow what is thrown. */
    private void carryOut(ForwardWindow.Orders orders) {
        carryOut(orders, ownThreads != null);
    }

    /** Carries out orders on the application thread of the outbox. */
    private void carryOutHere(ForwardWindow.Orders orders) {
        carryOut(orders, true);
    }

    private void carryOut(ForwardWindow.Orders orders, boolean startsHere) {
        try {
            forwardWindow.check();
            tell(orders, startsHere);
        } catch (OutOfMemoryError | BrokenInvariantException e) {
            node.fail(e);
            throw e;
        }
    }

    private void tell(ForwardWindow.Orders orders, boolean startsHere) {
        if (!orders.giveBack().isEmpty() || !orders.giveBackTried().isEmpty()) {
            node.command(new OutboxCommand.Return(orders.giveBack(), orders.giveBackTried()));
        }
        if (!orders.reread().isEmpty()) {
            node.command(new OutboxCommand.Reread(orders.reread()));
        }
        if (orders.credit() > 0) {
            node.command(new OutboxCommand.Credit(queue.name, orders.credit()));
        }
        if (orders.forgotten() > 0) {
            outcomes.logOncePerMinute(
                    "Queue {}: the executor took {} handlers some time ago and has begun none: is it busy, or does it drop"
                            + " tasks? They are given to it once more",
                    queue.name,
                    orders.forgotten());
        }
        if (startsHere || orders.workers().isEmpty()) {
            start(orders.workers());
        } else {
            // So a direct executor never runs the handler on the thread that ends an entry or resumes: that thread,
            // perhaps the application thread of another protocol, would be held for as long as entries come.
            node.execute(() -> start(orders.workers()));
        }
        if (orders.alarmNanos() != Long.MAX_VALUE) {
            queue.alarms.setAlarm(this, orders.alarmNanos());
        }
    }

    private void start(List<WorkerPool.Worker> workers) {
        for (int i = 0; i < workers.size(); i++) {
            WorkerPool.Worker worker = workers.get(i);
            try {
                executor.execute(() -> work(worker));
            } catch (Throwable e) {
                carryOut(forwardWindow.refused(workers.subList(i, workers.size()), node.nanos()));
                if (!forwardWindow.stopped()) {
                    outcomes.logOncePerMinute(
                            "Queue {}: the executor does not take the handler, which is offered again and again; give it"
                                    + " more threads or a longer queue, or leave the executor out",
                            queue.name,
                            e);
                }
                return;
            }
        }
    }

    private void work(WorkerPool.Worker worker) {
        if (!forwardWindow.begins(worker)) {
            return;
        }
        try {
            ForwardReport report = outcomes.report(sliceMax);
            int[] hands = new int[sliceMax];
            int recalls = forwardWindow.recalls();
            for (List<EntryInHand> slice = forwardWindow.claim(sliceMax);
                    slice != null;
                    slice = forwardWindow.claim(sliceMax)) {
                forward(slice, hands, recalls, report);
                recalls = forwardWindow.recalls();
            }
        } catch (OutOfMemoryError | BrokenInvariantException e) {
            node.fail(e); // what this thread had in hands may be lost, and what it had to tell
        } catch (Throwable e) {
            SafeLog.log(LOG, "Queue {}: a handler's thread broke down; another one goes on", queue.name, e);
            carryOut(forwardWindow.workerFailed(node.nanos()));
        }
    }

    /**
     * Calls the handler.
     *
     * @param hands to note in which time in hands each entry is
     * @param recalls number of the last recall before the slice was claimed
     */
    private void forward(List<EntryInHand> slice, int[] hands, int recalls, ForwardReport report) {
        for (int i = 0; i < slice.size(); i++) {
            hands[i] = slice.get(i).hand();
        }
        try {
            invoker.forward(calls, slice, recalls, report);
        } catch (Throwable e) {
            for (int i = 0; i < slice.size(); i++) {
                EntryInHand inHand = slice.get(i);
                if (!inHand.kept && inHand.ends(hands[i])) {
                    inHand.failures++;
                    outcomes.park(inHand, Outcomes.AFTER_BREAKDOWN.toMillis());
                }
            }
            throw e;
        } finally {
            report.send();
        }
    }

    /** A handler gets it. */
    void handed(EntryDelivery<T> delivery) {
        queue.counters.handedOver(delivery.cause());
    }

    boolean holding(int recalls) {
        return forwardWindow.holding(recalls);
    }

    long nanos() {
        return node.nanos();
    }

    /** Ends the node: what became of entries is lost. */
    void fail(OutOfMemoryError error) {
        node.fail(error);
    }

    /** Entries of a slice that the handler does not get now. */
    void untouched(List<EntryInHand> entries) {
        carryOut(forwardWindow.untouched(entries, node.nanos()));
    }

    /**
     * Returns what the handler gets; null if it does not get the entry now, which has then been dealt with.
     *
     * @param now read just before, because the process may have stood still since the entry was handed over
     */
    @Nullable
    EntryDelivery<T> prepared(EntryInHand inHand, ForwardReport report, long now) {
        OutboxEvent.Delivered entry = Objects.requireNonNull(inHand.entry, "ready without payload");
        EntryDelivery<T> delivery;
        try {
            EntryEnvelope envelope = EntryReader.envelope(entry);
            if (isExpired(inHand, entry, envelope, report) || isEarly(inHand, envelope)) {
                return null;
            }
            delivery = reader.delivery(
                    entry, envelope, inHand.failures + 1, entry.causeAt(node.nanos(), node.wallMillis()));
        } catch (Throwable e) {
            unreadable(inHand, e);
            return null;
        }
        delivery.of(inHand);
        if (entry.adoptedFrom() != null && !inHand.announced) {
            inHand.announced = true;
            reader.announceAdoption(entry, delivery, entry.adoptedFrom());
        }
        return delivery;
    }

    private boolean isExpired(
            EntryInHand inHand, OutboxEvent.Delivered entry, EntryEnvelope envelope, ForwardReport report) {
        if (envelope.lifeMillis() == 0 || !envelope.expiredAt(node.wallMillis())) {
            return false;
        }
        reader.announceExpiry(entry, envelope, inHand.failures + 1);
        if (inHand.ends(inHand.hand())) {
            report.expired(inHand);
        }
        return true;
    }

    private boolean isEarly(EntryInHand inHand, EntryEnvelope envelope) {
        long wait = envelope.delayMillis() == 0 ? 0 : envelope.notBeforeMillis() - node.wallMillis();
        if (wait <= 0) {
            return false;
        }
        if (inHand.ends(inHand.hand())) {
            outcomes.park(inHand, wait);
        }
        return true;
    }

    private void unreadable(EntryInHand inHand, Throwable error) {
        boolean jvmIsShort = error instanceof VirtualMachineError && !(error instanceof StackOverflowError);
        if (jvmIsShort) {
            outcomes.failed(inHand, inHand.hand(), error); // not the payload's fault
        } else if (inHand.ends(inHand.hand())) {
            outcomes.giveUp(inHand, error instanceof MalformedException ? "" : "unreadable payload: ", error);
            node.execute(() -> {
                if (inHand.id.stream().equals(queue.ownStream)) {
                    queue.finishedElsewhere(inHand.id.stream(), 1);
                }
            });
        }
    }
}
