package io.georep.spring;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Keys with the time they were added, oldest first, and those somebody works on now. */
final class RecentKeys implements ProcessedKeys {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workEnded = lock.newCondition();

    // All guarded by the lock.
    private final Map<String, Long> addedAtNanos = new LinkedHashMap<>();
    private final Map<String, Thread> atWork = new HashMap<>();

    private final long windowNanos;
    private final int keysMax;

    RecentKeys(Duration window, int keysMax) {
        if (window.isNegative() || window.isZero() || keysMax < 1) {
            throw new IllegalArgumentException(
                    "window is " + window + ", keysMax is " + keysMax + ": both must be above zero");
        }
        this.windowNanos = window.toNanos();
        this.keysMax = keysMax;
    }

    @Override
    public boolean contains(String key) {
        lock.lock();
        try {
            forgetOld(System.nanoTime());
            return addedAtNanos.containsKey(key);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void add(String key) {
        lock.lock();
        try {
            long now = System.nanoTime();
            forgetOld(now);
            addedAtNanos.remove(key);
            if (addedAtNanos.size() >= keysMax) {
                Iterator<String> oldest = addedAtNanos.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            addedAtNanos.put(key, now);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean once(String key, Work work) throws Exception {
        if (!begin(key)) {
            return false;
        }
        boolean done = false;
        try {
            work.run();
            done = true;
        } finally {
            end(key, done);
        }
        return true;
    }

    /** Waits for others with the same key; returns whether the work is still to be done. */
    private boolean begin(String key) throws InterruptedException {
        Thread self = Thread.currentThread();
        lock.lockInterruptibly();
        try {
            for (Thread other = atWork.get(key); other != null; other = atWork.get(key)) {
                if (other == self) {
                    throw new IllegalStateException("this thread works on key " + key + " already: it would wait for"
                            + " itself; call the inner handler directly");
                }
                workEnded.await();
            }
            if (contains(key)) {
                return false;
            }
            atWork.put(key, self);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end(String key, boolean done) {
        lock.lock();
        try {
            atWork.remove(key);
            if (done) {
                add(key);
            }
            workEnded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void forgetOld(long now) {
        Iterator<Long> oldest = addedAtNanos.values().iterator();
        while (oldest.hasNext() && now - oldest.next() >= windowNanos) {
            oldest.remove();
        }
    }
}
