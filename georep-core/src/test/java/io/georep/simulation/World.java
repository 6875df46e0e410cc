package io.georep.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Simulated time: a queue of events ordered by time, then by the order in which they were planned. Everything random is
 * drawn from generators derived from one seed, so a world is a function of its seed and of what is done to it.
 */
public final class World {
    /** Nanoseconds of a microsecond. */
    public static final long MICROS = 1_000;
    /** Nanoseconds of a millisecond. */
    public static final long MILLIS = 1_000_000;
    /** Nanoseconds of a second. */
    public static final long SECONDS = 1_000_000_000;

    private record Event(long time, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final long seed;
    private final Trace trace = new Trace();
    private final PriorityQueue<Event> queue = new PriorityQueue<>(1024);
    private long now;
    private long leaptNanos;
    private long sequence;
    private long steps;

    /** A world at time 0 with nothing in it. */
    World(long seed) {
        this.seed = seed;
    }

    /** The seed everything was drawn from. */
    public long seed() {
        return seed;
    }

    /** Nanoseconds since the beginning: the only true time, which no node can see. */
    public long now() {
        return now;
    }

    /** The calendar goes forward by so much, without any event. */
    void leap(long nanos) {
        leaptNanos += nanos;
    }

    /** By how much the calendar is ahead of {@link #now}, in milliseconds. */
    public long leaptMillis() {
        return leaptNanos / MILLIS;
    }

    /** Events executed so far. */
    public long steps() {
        return steps;
    }

    /** What happened. */
    public Trace trace() {
        return trace;
    }

    /**
     * A generator of its own for one purpose, so that drawing more for one purpose does not change what is drawn for
     * another.
     */
    public RandomGenerator random(String purpose) {
        return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + purpose.hashCode() * 0xbf58476d1ce4e5b9L);
    }

    /** Plans an event; a delay of 0 means after everything already planned for now. */
    public void after(long delayNanos, Runnable action) {
        if (delayNanos < 0) {
            throw new IllegalArgumentException("delay " + delayNanos);
        }
        queue.add(new Event(now + delayNanos, sequence++, action));
    }

    /** Plans an event at a time that is not past. */
    public void at(long timeNanos, Runnable action) {
        after(timeNanos - now, action);
    }

    /** Executes the next event. Returns false when there is none. */
    boolean step() {
        Event event = queue.poll();
        if (event == null) {
            return false;
        }
        now = event.time;
        steps++;
        event.action.run();
        return true;
    }

    /** Executes everything planned for the next so many nanoseconds; afterwards that much time has passed. */
    public void run(long durationNanos) {
        long end = now + durationNanos;
        for (Event next = queue.peek(); next != null && next.time <= end; next = queue.peek()) {
            step();
        }
        now = end;
    }

    /** Executes events until the condition holds; returns false when it did not within the time. */
    public boolean runUntil(java.util.function.BooleanSupplier condition, long limitNanos) {
        long end = now + limitNanos;
        while (!condition.getAsBoolean()) {
            Event next = queue.peek();
            if (next == null || next.time > end) {
                now = end;
                return false;
            }
            step();
        }
        return true;
    }
}
