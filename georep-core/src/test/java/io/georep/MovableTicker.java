package io.georep;

import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's clocks, which a test can move forward. */
public final class MovableTicker implements Ticker {
    private final Ticker machine = Ticker.system();
    private final AtomicLong ahead = new AtomicLong();

    public void advance(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return machine.nanos() + ahead.get();
    }

    @Override
    public long wallMillis() {
        return machine.wallMillis() + ahead.get() / 1_000_000;
    }
}
