package io.georep.simulation;

/**
 * How the thread of a node's loop behaves.
 *
 * @param turnMaxNanos longest time between an input and the turn that handles it
 * @param batchMax most inputs handled in one turn
 * @param nanosPerByte how long a turn takes for what its inputs cost
 */
record Pace(long turnMaxNanos, int batchMax, long nanosPerByte) {
    /** Of a loop whose turns take no time. */
    Pace(long turnMaxNanos, int batchMax) {
        this(turnMaxNanos, batchMax, 0);
    }
}
