package io.georep.runtime;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Finds out that the wall clock was set, or that the machine was suspended: between two looks the wall clock has gone on by
 * another time than the monotonic clock. Delays and times to live of entries follow the wall clock, so operators are told.
 * Clocks that run at unlike speeds do not part by so much between two looks.
 */
public final class ClockSteps {
    /** By how much they must part. Nobody sets a delay or a time to live that such an error matters to. */
    public static final long STEP_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private boolean looked;
    private long apartMillis;

    /**
     * The wall clock stepped.
     *
     * @param byMillis how much further it went than time did; negative if it went back
     */
    public record Stepped(long byMillis) {}

    /** Tells of a step since the look before; the first look has none before it. */
    void look(long nanos, long wallMillis, Consumer<? super Stepped> told) {
        long apart = wallMillis - TimeUnit.NANOSECONDS.toMillis(nanos);
        long by = apart - apartMillis;
        if (looked && Math.abs(by) > STEP_MILLIS) {
            told.accept(new Stepped(by));
        }
        looked = true;
        apartMillis = apart;
    }
}
