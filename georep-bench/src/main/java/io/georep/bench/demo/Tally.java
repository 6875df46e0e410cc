package io.georep.bench.demo;

/** The part of the account that belongs to one kind of accident. Not thread-safe. */
final class Tally {
    /** What happened; a word. */
    final String fault;

    /** How often it happened. */
    int times;

    /** Attempts that began after it, and before something else happened. */
    long attempted;

    /** Attempts that were acknowledged then. */
    long acknowledged;

    /** Entries that arrived then for the first time. */
    long forwarded;

    /** Entries that arrived then once more. */
    long duplicates;

    /** Arrivals then of what was never sent, or rejected. */
    long unexpected;

    /** Of those acknowledged then, entries that did not arrive. */
    long lost;

    Tally(String fault) {
        this.fault = fault;
    }

    Tally copy() {
        Tally copy = new Tally(fault);
        copy.times = times;
        copy.attempted = attempted;
        copy.acknowledged = acknowledged;
        copy.forwarded = forwarded;
        copy.duplicates = duplicates;
        copy.unexpected = unexpected;
        copy.lost = lost;
        return copy;
    }
}
