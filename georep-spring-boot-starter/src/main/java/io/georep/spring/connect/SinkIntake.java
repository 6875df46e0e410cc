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

/**
 * What the outboxes of one connector have handed over and no task has taken yet. The tasks share it, and each takes what it can.
 * The windows of the outboxes bound it. Thread-safe.
 */
final class SinkIntake {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // All guarded by the lock.
    private final Map<String, Deque<SinkEntry>> ready = new LinkedHashMap<>();
    private final Map<String, Integer> inHand = new HashMap<>();
    private final int window;
    private boolean open;
    private long wakeUps;

    /** Closed; {@code window} is how many entries of a topic there can be, ready and in tasks. */
    SinkIntake(Collection<String> topics, int window) {
        this.window = window;
        topics.forEach(topic -> {
            ready.put(topic, new ArrayDeque<>());
            inHand.put(topic, 0);
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
            inHand.replaceAll((topic, count) -> 0);
            wakeUps++;
            changed.signalAll();
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
            if (!open || queue == null) {
                return false;
            }
            queue.addAll(entries);
            inHand.merge(topic, entries.size(), Integer::sum);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** These have ended, so the outbox may hand over others. */
    void ended(String topic, int count) {
        lock.lock();
        try {
            inHand.merge(topic, -count, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Whether tasks hold so much of a topic that little more, or nothing, can arrive before they flush. */
    boolean pressed(String topic, int fraction) {
        lock.lock();
        try {
            Deque<SinkEntry> queue = ready.get(topic);
            Integer count = inHand.get(topic);
            return queue != null && count != null && queue.isEmpty() && count >= Math.max(1, window / fraction);
        } finally {
            lock.unlock();
        }
    }

    /** How many entries were handed over and have not ended. */
    int inHand() {
        lock.lock();
        try {
            return inHand.values().stream().mapToInt(Integer::intValue).sum();
        } finally {
            lock.unlock();
        }
    }

    /** Takes up to {@code max} entries of these topics. Waits for the first one, or for {@link #wakeUp}. */
    List<SinkEntry> take(Set<String> topics, int max, long waitMillis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lockInterruptibly();
        try {
            List<SinkEntry> taken = takeNow(topics, max);
            long before = wakeUps;
            while (taken.isEmpty() && left > 0 && wakeUps == before) {
                left = changed.awaitNanos(left);
                taken = takeNow(topics, max);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Begins with the topic that waited longest: one that always has enough must not keep the others out. */
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
                    entry.end().cancel(false);
                } else {
                    queue.addFirst(entry);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the waiting of all tasks. */
    void wakeUp() {
        lock.lock();
        try {
            wakeUps++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
