package io.georep.runtime;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands items of many threads to one, in order per thread.
 *
 * <p>Producers push onto a stack with one compare-and-set; the consumer takes the whole stack at once and reads it
 * backwards. The head of the same stack says whether the consumer sleeps, so a producer learns that from the value it
 * has replaced. There is no signal, lock or second look at memory unless the consumer has to be woken.
 *
 * <p>It has no bound of its own. Whoever offers items is bounded before: by the budget of sends, the window of
 * deliveries, or the pause in reading.
 */
class HandOff<E> {
    private static final class Node<E> {
        final @Nullable E item;

        @Nullable
        Node<E> next;

        Node(@Nullable E item) {
            this.item = item;
        }
    }

    private final Node<E> parked = new Node<>(null);
    private final Node<E> closed = new Node<>(null);
    private final AtomicReference<@Nullable Node<E>> head = new AtomicReference<>();

    /** Taken from the stack, oldest first; touched by the consumer only. */
    private @Nullable Node<E> taken;

    private volatile @Nullable Thread consumer;

    /** Hands an item over; returns false, and drops it, when the consumer is gone. */
    boolean offer(E item) {
        Node<E> node = new Node<>(item);
        Node<E> before;
        do {
            before = head.get();
            if (before == closed) {
                return false;
            }
            node.next = before == parked ? null : before;
        } while (!head.compareAndSet(before, node));
        if (before == parked) {
            wake(consumer);
        }
        return true;
    }

    /** Consumer: appends at most {@code max} items to the list and returns how many. */
    int drainTo(List<? super E> into, int max) {
        int count = 0;
        while (count < max) {
            if (taken == null && !take()) {
                break;
            }
            Node<E> node = taken;
            if (node != null && node.item != null) {
                into.add(node.item);
                taken = node.next;
                node.next = null; // A consumed chain in the old generation must not keep its successors alive.
                count++;
            }
        }
        return count;
    }

    /** Consumer: returns whether {@link #drainTo} would find something. */
    boolean isEmpty() {
        return taken == null && head.get() == null;
    }

    /** Consumer: sleeps until something is offered or the time is over; may return early. */
    void await(long nanos) {
        if (nanos <= 0 || taken != null) {
            return;
        }
        consumer = Thread.currentThread();
        if (head.compareAndSet(null, parked)) {
            sleep(nanos);
            head.compareAndSet(parked, null);
            Thread.interrupted(); // An interrupt means nothing here. If it stayed set, the consumer could not sleep any more.
        }
    }

    /** Blocks the consumer until it is woken or the time is over; what a model checker sees as blocking is another. */
    void sleep(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    /** Ends this or the next {@link #sleep} of the consumer. */
    void wake(@Nullable Thread sleeper) {
        LockSupport.unpark(sleeper);
    }

    /** Consumer: refuses further items; {@link #drainTo} still finds those that were there. Needs no memory. */
    void close() {
        Node<E> stack = head.getAndSet(closed);
        Node<E> rest = reversed(stack == parked || stack == closed ? null : stack);
        Node<E> last = taken;
        if (last == null) {
            taken = rest;
            return;
        }
        while (last.next != null) {
            last = last.next;
        }
        last.next = rest;
    }

    private boolean take() {
        if (head.get() == null || head.get() == closed) {
            return false;
        }
        taken = reversed(head.getAndSet(null));
        return taken != null;
    }

    private static <E> @Nullable Node<E> reversed(@Nullable Node<E> stack) {
        Node<E> oldest = null;
        Node<E> node = stack;
        while (node != null) {
            Node<E> next = node.next;
            node.next = oldest;
            oldest = node;
            node = next;
        }
        return oldest;
    }
}
