package io.georep.flagons.core;

/** How often a node exchanges contacts: often while nodes come and go around it, ever more seldom when none do. */
final class Pace {
    /** So many times as long as the shortest time. */
    private static final int SLOWEST = 64;

    private static final double GROWTH = 1.125;

    private final long fastest;
    private final boolean isEven;
    private double millis;

    Pace(FleetSettings settings) {
        fastest = settings.shuffleMillis();
        isEven = settings.paper();
        millis = fastest;
    }

    /** Something has changed. */
    void hurry() {
        millis = fastest;
    }

    /** Returns the time to the next exchange, if nothing changes. */
    long next() {
        long next = (long) millis;
        if (!isEven) {
            millis = Math.min((double) (SLOWEST * fastest), millis * GROWTH);
        }
        return next;
    }

    /** Returns whether nothing has changed for long. */
    boolean isSlow() {
        return millis > SLOWEST / 8.0 * fastest;
    }
}
