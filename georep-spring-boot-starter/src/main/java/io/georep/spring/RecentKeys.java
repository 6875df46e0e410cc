package io.georep.spring;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Keys with the time they were added, oldest first. */
final class RecentKeys implements ProcessedKeys {
    private final Map<String, Long> addedAtNanos = new LinkedHashMap<>();
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
    public synchronized boolean contains(String key) {
        forgetOld(System.nanoTime());
        return addedAtNanos.containsKey(key);
    }

    @Override
    public synchronized void add(String key) {
        long now = System.nanoTime();
        forgetOld(now);
        addedAtNanos.remove(key);
        if (addedAtNanos.size() >= keysMax) {
            Iterator<String> oldest = addedAtNanos.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        addedAtNanos.put(key, now);
    }

    private void forgetOld(long now) {
        Iterator<Long> oldest = addedAtNanos.values().iterator();
        while (oldest.hasNext() && now - oldest.next() >= windowNanos) {
            oldest.remove();
        }
    }
}
