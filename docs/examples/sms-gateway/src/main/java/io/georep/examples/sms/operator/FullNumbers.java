package io.georep.examples.sms.operator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Numbers for which the operator takes no more messages now. After each pause one message is tried, and the pause doubles until
 * the operator takes one. Otherwise repeated submits to these numbers would crowd out all others. Thread-safe.
 */
final class FullNumbers {
    static final int REMEMBERED_MAX = 10_000;

    private static final long PAUSE_MIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    private record Pause(long nanos, long until) {
        static Pause of(long nanos, long now) {
            return new Pause(nanos, now + nanos);
        }
    }

    private final Map<String, Pause> pauses = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pause> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /** Returns whether messages to this number wait. */
    synchronized boolean isFull(String number, long now) {
        Pause pause = pauses.get(number);
        return pause != null && now - pause.until() < 0;
    }

    /** Returns whether a message is submitted now: to a number that is full, only the first one after a pause. */
    synchronized boolean mayTry(String number, long now) {
        if (isFull(number, now)) {
            return false;
        }
        pauses.computeIfPresent(number, (same, pause) -> Pause.of(Math.min(PAUSE_MAX_NANOS, 2 * pause.nanos()), now));
        return true;
    }

    /**
     * The operator says that this number is full. Only the first such answer makes the next pause longer, not those to submits
     * that were under way as well.
     */
    synchronized void full(String number, long now) {
        pauses.putIfAbsent(number, Pause.of(PAUSE_MIN_NANOS, now));
    }

    /** The operator took a message. */
    synchronized void accepted(String number) {
        pauses.remove(number);
    }
}
