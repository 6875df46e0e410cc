package io.georep.spring.queue;

import io.georep.model.StreamId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where each delivered element is: in the queue or in the hands of a thread. Elements are told apart by identity, so equal
 * elements do not matter; one object delivered twice is ended in the order of its deliveries. Thread-safe.
 */
final class ElementsInHand<T> {
    /** A delivered element. Ending the future forwards or returns it. */
    static final class Element<T> {
        final T value;
        final CompletableFuture<Void> end;
        final StreamId stream;

        Element(T value, CompletableFuture<Void> end, StreamId stream) {
            this.value = value;
            this.end = end;
            this.stream = stream;
        }
    }

    private final IdentityHashMap<T, List<Element<T>>> waiting = new IdentityHashMap<>();
    private final IdentityHashMap<Thread, List<Element<T>>> inHand = new IdentityHashMap<>();

    /** Adds an element that is about to enter the queue. */
    synchronized void arrived(Element<T> element) {
        waiting.computeIfAbsent(element.value, value -> new ArrayList<>(1)).add(element);
    }

    /** Removes an element that did not enter the queue; others may be the same object. */
    synchronized void withdraw(Element<T> element) {
        List<Element<T>> same = waiting.get(element.value);
        if (same != null && same.remove(element) && same.isEmpty()) {
            waiting.remove(element.value);
        }
    }

    /** Notes that the calling thread took these out of the queue. */
    synchronized void taken(Collection<? extends T> values) {
        Thread thread = Thread.currentThread();
        for (T value : values) {
            Element<T> element = next(value);
            if (element != null) {
                inHand.computeIfAbsent(thread, ignored -> new ArrayList<>(2)).add(element);
            }
        }
    }

    /** Takes this element out of the queue; null if it is not there. */
    synchronized @Nullable Element<T> next(T value) {
        List<Element<T>> same = waiting.get(value);
        if (same == null) {
            return null;
        }
        Element<T> element = same.remove(0);
        if (same.isEmpty()) {
            waiting.remove(value);
        }
        return element;
    }

    /** Returns everything in the hands of the calling thread; its hands are empty afterwards. */
    synchronized List<Element<T>> release() {
        List<Element<T>> elements = inHand.remove(Thread.currentThread());
        notifyAll();
        return elements == null ? List.of() : elements;
    }

    /** Takes this element out of the hands of whichever thread has it; null if none has. */
    synchronized @Nullable Element<T> release(T value) {
        Iterator<List<Element<T>>> hands = inHand.values().iterator();
        while (hands.hasNext()) {
            List<Element<T>> hand = hands.next();
            for (int i = 0; i < hand.size(); i++) {
                if (hand.get(i).value == value) {
                    Element<T> element = hand.remove(i);
                    if (hand.isEmpty()) {
                        hands.remove();
                        notifyAll();
                    }
                    return element;
                }
            }
        }
        return null;
    }

    /** Returns the elements that threads which ended still had in hand. */
    synchronized List<Element<T>> orphans() {
        List<Element<T>> orphans = new ArrayList<>();
        Iterator<Map.Entry<Thread, List<Element<T>>>> hands = inHand.entrySet().iterator();
        while (hands.hasNext()) {
            Map.Entry<Thread, List<Element<T>>> hand = hands.next();
            if (!hand.getKey().isAlive()) {
                orphans.addAll(hand.getValue());
                hands.remove();
            }
        }
        return orphans;
    }

    /** Returns everything still in the queue, which then counts as empty. */
    synchronized List<Element<T>> withdrawWaiting() {
        List<Element<T>> all = new ArrayList<>();
        waiting.values().forEach(all::addAll);
        waiting.clear();
        return all;
    }

    /** Waits until no thread has anything in hand; returns what is in hands when the time is over, and takes it away. */
    synchronized List<Element<T>> withdrawInHand(long nanos) {
        long deadline = System.nanoTime() + nanos;
        long left = nanos;
        try {
            while (!inHand.isEmpty() && left > 0) {
                wait(Math.max(1, left / 1_000_000));
                left = deadline - System.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Element<T>> all = new ArrayList<>();
        inHand.values().forEach(all::addAll);
        inHand.clear();
        return all;
    }
}
