package io.georep.spring.queue;

import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import io.georep.spring.ReplicatedBlockingQueue;
import io.georep.spring.queue.ElementsInHand.Element;
import java.time.Duration;
import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A blocking queue whose elements pass through an outbox: producers send, deliveries fill the application's own queue in
 * its own order, consumers take from there.
 */
final class ReplicatedQueueBean<T> extends AbstractQueue<T> implements ReplicatedBlockingQueue<T> {
    private static final int WINDOW_MAX = 1000;

    /** How often waiting threads look whether the queue has stopped, and whether consumers have died. */
    private static final long LOOK_EVERY_NANOS = 1_000_000_000;

    /** An element that comes back waits for nothing, and never becomes a dead letter. */
    private static final Retry GIVEN_BACK = Retry.fixed(Duration.ofMillis(10));

    private final Outbox<T> outbox;
    private final BlockingQueue<T> local;
    private final QueueRoom room;
    private final ElementsInHand<T> elements = new ElementsInHand<>();
    private final ElementSends<T> sends;
    private final BooleanSupplier onApplicationThread;
    private @Nullable Forwarding forwarding;

    ReplicatedQueueBean(Outbox<T> outbox, BlockingQueue<T> local, BooleanSupplier onApplicationThread) {
        this.onApplicationThread = onApplicationThread;
        this.outbox = outbox;
        this.local = local;
        this.room = new QueueRoom(local.remainingCapacity());
        this.sends = new ElementSends<>(outbox, room);
        outbox.onFinishedElsewhere(room::ended);
        outbox.onWithdrawn(id -> room.ended(id.stream()));
    }

    String name() {
        return outbox.name();
    }

    synchronized void start() {
        if (forwarding == null || !forwarding.running()) {
            int window = Math.max(1, Math.min(WINDOW_MAX, room.capacity()));
            forwarding = outbox.forward(
                    this::arrived,
                    (ForwardOptions options) ->
                            options.window(window).retry(GIVEN_BACK).executor(Runnable::run));
        }
    }

    /**
     * Takes no more elements, and waits for those in the hands of consumers. What is left stays with the cluster and
     * appears again after the next start.
     */
    void stop(Duration atMost) {
        synchronized (this) {
            if (forwarding == null) {
                return;
            }
            forwarding.stop(Duration.ZERO);
        }
        elements.withdrawWaiting().forEach(ReplicatedQueueBean::withdrawn);
        local.clear();
        elements.withdrawInHand(atMost.toNanos()).forEach(ReplicatedQueueBean::withdrawn);
    }

    private static void withdrawn(Element<?> element) {
        // Goes back as it was: that a node stops is no failed attempt.
        element.end.completeExceptionally(new CancellationException("the queue stops"));
    }

    /**
     * Takes an element. Called on the node's application thread. The window is no larger than the queue, so there is always
     * room.
     */
    private void arrived(Delivery<T> delivery) {
        Element<T> element = new Element<>(delivery.payload(), new CompletableFuture<>(), delivery.id().stream());
        elements.arrived(element);
        boolean taken = false;
        try {
            taken = local.offer(element.value); // may throw, for example in a comparator
        } finally {
            if (!taken) {
                elements.withdraw(element);
            }
        }
        if (!taken) {
            throw new IllegalStateException("the queue behind " + outbox.name() + " is full; it is tried again");
        }
        delivery.endsWith(element.end);
    }

    // Producers

    @Override
    public void put(T element) throws InterruptedException {
        Objects.requireNonNull(element, "element");
        refuseToWaitForItself("put");
        while (!room.places().tryAcquire(LOOK_EVERY_NANOS, TimeUnit.NANOSECONDS)) {
            failWhenStopped();
        }
        sends.send(element, Long.MAX_VALUE);
    }

    @Override
    public boolean offer(T element) {
        Objects.requireNonNull(element, "element");
        refuseToWaitForItself("offer");
        try {
            return room.places().tryAcquire() && sends.offer(element, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IndeterminateException("interrupted while waiting for copies: the element may still appear");
        }
    }

    @Override
    public boolean offer(T element, long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(element, "element");
        refuseToWaitForItself("offer");
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        return room.places().tryAcquire(timeout, unit)
                && sends.offer(element, Math.max(1, deadline - System.nanoTime()));
    }

    private void refuseToWaitForItself(String call) {
        if (onApplicationThread.getAsBoolean()) {
            throw new IllegalStateException(call + " on queue " + outbox.name()
                    + " would wait for itself on the application thread of its node: callbacks must not wait");
        }
    }

    // Consumers

    @Override
    public T take() throws InterruptedException {
        refuseToWaitForItself("take");
        acknowledge();
        T value = poll(LOOK_EVERY_NANOS);
        while (value == null) {
            failWhenStopped();
            value = poll(LOOK_EVERY_NANOS);
        }
        return taken(value);
    }

    @Override
    public @Nullable T poll(long timeout, TimeUnit unit) throws InterruptedException {
        refuseToWaitForItself("poll with a timeout");
        acknowledge();
        long left = unit.toNanos(timeout);
        long deadline = System.nanoTime() + left;
        T value = poll(Math.min(left, LOOK_EVERY_NANOS));
        left = deadline - System.nanoTime();
        while (value == null && left > 0) {
            value = poll(Math.min(left, LOOK_EVERY_NANOS));
            left = deadline - System.nanoTime();
        }
        return value == null ? null : taken(value);
    }

    private @Nullable T poll(long nanos) throws InterruptedException {
        returnOrphans();
        return local.poll(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public @Nullable T poll() {
        acknowledge();
        returnOrphans();
        T value = local.poll();
        return value == null ? null : taken(value);
    }

    @Override
    public int drainTo(Collection<? super T> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    @Override
    public int drainTo(Collection<? super T> target, int max) {
        Objects.requireNonNull(target, "target");
        if (target == this) {
            throw new IllegalArgumentException("a queue cannot be drained into itself");
        }
        if (max <= 0) {
            return 0;
        }
        acknowledge();
        returnOrphans();
        List<T> values = new ArrayList<>();
        local.drainTo(values, max);
        elements.taken(values);
        int added = 0;
        try {
            for (T value : values) {
                target.add(value);
                added++;
            }
        } finally {
            // Nobody has in hand what the target refused.
            values.subList(added, values.size()).forEach(this::giveBack);
        }
        return added;
    }

    private T taken(T value) {
        elements.taken(List.of(value));
        return value;
    }

    private synchronized void failWhenStopped() {
        if (forwarding != null && !forwarding.running()) {
            throw new ClosedException("queue " + outbox.name() + " is stopped: its elements appear after a restart");
        }
    }

    private void returnOrphans() {
        for (Element<T> orphan : elements.orphans()) {
            orphan.end.completeExceptionally(
                    new IllegalStateException("its consumer thread ended without acknowledging it"));
        }
    }

    // Acknowledgement

    @Override
    public void acknowledge() {
        elements.release().forEach(this::forwarded);
    }

    @Override
    public boolean acknowledge(T element) {
        Element<T> found = elements.release(element);
        if (found != null) {
            forwarded(found);
        }
        return found != null;
    }

    @Override
    public boolean giveBack(T element) {
        Element<T> found = elements.release(element);
        if (found != null) {
            found.end.completeExceptionally(new IllegalStateException("its consumer gave it back"));
        }
        return found != null;
    }

    private void forwarded(Element<T> element) {
        room.ended(element.stream);
        element.end.complete(null);
    }

    // The view on what is here

    @Override
    public boolean remove(@Nullable Object element) {
        for (T value : local) {
            if (value.equals(element) && removeThis(value)) {
                return true;
            }
        }
        return false;
    }

    /** Removes exactly this one of equal elements: others may be in the hands of consumers at the same moment. */
    private boolean removeThis(T wanted) {
        AtomicBoolean found = new AtomicBoolean();
        local.removeIf(value -> value == wanted && found.compareAndSet(false, true));
        if (found.get()) {
            removed(wanted);
        }
        return found.get();
    }

    @Override
    public void clear() {
        List<T> values = new ArrayList<>();
        local.drainTo(values);
        values.forEach(this::removed);
    }

    private void removed(T value) {
        Element<T> element = elements.next(value);
        if (element != null) {
            forwarded(element);
        }
    }

    @Override
    public @Nullable T peek() {
        return local.peek();
    }

    @Override
    public int size() {
        return local.size();
    }

    @Override
    public int remainingCapacity() {
        return room.capacity() == Integer.MAX_VALUE
                ? Integer.MAX_VALUE
                : room.places().availablePermits();
    }

    @Override
    public boolean contains(@Nullable Object element) {
        return local.contains(element);
    }

    /** Shows what is here; what is removed through it counts as forwarded. */
    @Override
    public Iterator<T> iterator() {
        Iterator<T> all = local.iterator();
        return new Iterator<>() {
            private @Nullable T last;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public T next() {
                T value = all.next();
                last = value;
                return value;
            }

            @Override
            public void remove() {
                T value = last;
                if (value == null) {
                    throw new IllegalStateException("call next() first, and remove() once");
                }
                last = null;
                removeThis(value);
            }
        };
    }

    @Override
    public String toString() {
        return "ReplicatedQueue[" + outbox.name() + ", " + size() + " here]";
    }
}
