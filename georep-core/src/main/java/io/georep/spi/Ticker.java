package io.georep.spi;

/** Source of time. The driver reads it once per turn; protocols get the values as arguments. */
public interface Ticker {
    /** Monotonic nanoseconds from an arbitrary start. */
    long nanos();

    /** Wall clock in milliseconds since 1970; may jump. */
    long wallMillis();

    /** The machine's clocks. */
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
