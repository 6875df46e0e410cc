package io.georep.spi;

/** Source of time. The driver reads it once per turn, and protocols get the values as arguments. Thread-safe. */
public interface Ticker {
    /** Returns monotonic nanoseconds from an arbitrary start. */
    long nanos();

    /** Returns the wall clock in milliseconds since 1970. It may jump. */
    long wallMillis();

    /** Returns the machine's clocks. */
    static Ticker system() {
        return new Ticker() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long wallMillis() {
                return System.currentTimeMillis();
            }
        };
    }
}
