package io.georep.spring.connect;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * What the outboxes of one connector have handed over and no task has taken yet. The tasks share it, and each takes what it can.
 * The windows of the outboxes bound it, in entries and in bytes. Thread-safe.
 */
final class SinkIntake {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // All guarded by the lock.
    private final Map<String, Deque<SinkEntry>> ready = new LinkedHashMap<>();
    private final Map<String, Hand> inHand = new HashMap<>();
    private final int window;
    private final long bytesMax;
    private boolean open;

    /** The entries of a topic that were handed over and have not ended. */
    private static final class Hand {
        private int count;
        private long bytes;

        void change(int entries, long size) {
            count += entries;
            bytes += size;
        }
    }

    /** Closed; there can be {@code window} entries of a topic with {@code bytesMax} bytes, ready and in tasks. */
    SinkIntake(Collection<String> topics, int window, long bytesMax) {
        this.window = window;
        this.bytesMax = bytesMax;
        topics.forEach(topic -> {
            ready.put(topic, new ArrayDeque<>());
            inHand.put(topic, new Hand());
        });
    }

    /** Takes entries from now on. */
    void open() {
        lock.lock();
        try {
            open = true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more entries, and forgets those in tasks; returns those that no task has taken. */
    List<SinkEntry> close() {
        lock.lock();
        try {
            open = false;
            List<SinkEntry> left = new ArrayList<>();
            ready.values().forEach(queue -> {
                left.addAll(queue);
                queue.clear();
            });
            inHand.replaceAll((topic, hand) -> new Hand());
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** Adds entries of one topic; false if it is closed, then they were not added. */
    boolean add(String topic, List<SinkEntry> entries) {
        lock.lock();
        try {
            Deque<SinkEntry> queue = ready.get(topic);
            Hand hand = inHand.get(topic);
            if (!open || queue == null || hand == null) {
                return false;
            }
            queue.addAll(entries);
            hand.change(
                    entries.size(), entries.stream().mapToLong(SinkEntry::size).sum());
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for so many entries with so many bytes, which have ended, so that the outbox may hand over others. */
    void ended(String topic, int count, long bytes) {
        lock.lock();
        try {
            Hand hand = inHand.get(topic);
            if (open && hand != null) {
                hand.change(-count, -bytes);
            }
        } finally {
            lock.unlock();
        }
    }

    /** These entries of one topic are forwarded, except those that have ended or are set aside. */
    void forwarded(String topic, List<SinkEntry> entries) {
        List<SinkEntry> now = SinkEntry.forwarded(entries);
        ended(topic, now.size(), now.stream().mapToLong(SinkEntry::size).sum());
    }

    /** Returns whether tasks hold so much of a topic that little more, or nothing, can arrive before they flush. */
    boolean pressed(String topic, int fraction) {
        lock.lock();
        try {
            Deque<SinkEntry> queue = ready.get(topic);
            Hand hand = inHand.get(topic);
            return queue != null
                    && hand != null
                    && queue.isEmpty()
                    && (hand.count >= Math.max(1, window / fraction) || hand.bytes >= Math.max(1, bytesMax / fraction));
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many entries were handed over and have not ended. */
    int inHand() {
        lock.lock();
        try {
            return inHand.values().stream().mapToInt(hand -> hand.count).sum();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes up to {@code max} entries of these topics. Waits for the first one, or until {@code woken}, which a {@link #wakeUp}
     * follows.
     */
    List<SinkEntry> take(Set<String> topics, int max, long waitMillis, BooleanSupplier woken)
            throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lockInterruptibly();
        try {
            List<SinkEntry> taken = takeNow(topics, max);
            while (taken.isEmpty() && left > 0 && !woken.getAsBoolean()) {
                left = changed.awaitNanos(left);
                taken = takeNow(topics, max);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins with the topic that has waited longest, so that a topic that always has enough does not keep the others
     * out.
     */
    private List<SinkEntry> takeNow(Set<String> topics, int max) {
        List<SinkEntry> taken = new ArrayList<>();
        List<String> used = new ArrayList<>();
        for (Map.Entry<String, Deque<SinkEntry>> queue : ready.entrySet()) {
            if (topics.contains(queue.getKey())
                    && taken.size() < max
                    && !queue.getValue().isEmpty()) {
                used.add(queue.getKey());
                while (taken.size() < max && !queue.getValue().isEmpty()) {
                    taken.add(queue.getValue().removeFirst());
                }
            }
        }
        for (String topic : used) {
            Deque<SinkEntry> queue = ready.remove(topic);
            if (queue != null) {
                ready.put(topic, queue);
            }
        }
        return taken;
    }

    /** Puts back what was taken and not used. */
    void putBack(List<SinkEntry> entries) {
        lock.lock();
        try {
            for (int i = entries.size() - 1; i >= 0; i--) {
                SinkEntry entry = entries.get(i);
                Deque<SinkEntry> queue = ready.get(entry.topic());
                if (!open || queue == null) {
                    entry.giveBack();
                } else {
                    queue.addFirst(entry);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all tasks that wait see whether they are woken. */
    void wakeUp() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
