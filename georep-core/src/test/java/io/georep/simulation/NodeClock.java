package io.georep.simulation;

import io.georep.spi.Ticker;
import java.util.random.RandomGenerator;

/**
 * The two clocks of one machine: a monotonic one that runs a little fast or slow and starts anywhere (also below zero)
 * at every boot, and a wall clock that can be stepped. While a machine is suspended the monotonic one stands still, and the wall
 * clock goes on; while its hypervisor stops it both stand still.
 */
public final class NodeClock implements Ticker {
    private static final long EPOCH_MILLIS = 1_800_000_000_000L;
    private static final long PARTS = 1_000_000;
    private static final long YEARS_MAX = 10 * 365 * 86_400 * World.SECONDS;

    private final World world;
    private final RandomGenerator random;
    private final long driftPpm;
    private long bootTime;
    private long origin;
    private long wallOffsetMillis;
    private long latestMillis;

    /** True time at which the monotonic clock was stopped; -1 while it runs. */
    private long stoppedAt = -1;

    private boolean isWallStopped;

    NodeClock(World world, RandomGenerator random, long driftPpm) {
        this.world = world;
        this.random = random;
        this.driftPpm = driftPpm;
        reboot();
    }

    /** A new boot: the monotonic clock starts anywhere. */
    void reboot() {
        wake();
        bootTime = world.now();
        origin = random.nextLong(-YEARS_MAX, YEARS_MAX);
    }

    /** Steps the wall clock. */
    public void step(long millis) {
        latestMillis = latestMillis();
        wallOffsetMillis += millis;
    }

    /** The latest time that the wall clock has shown. */
    long latestMillis() {
        return Math.max(latestMillis, wallMillis());
    }

    /** The monotonic clock goes forward; see {@link World#leap} for the calendar. */
    void leap(long nanos) {
        bootTime -= nanos;
    }

    /** Sets the wall clock right. */
    public void setRight() {
        latestMillis = latestMillis();
        wallOffsetMillis = 0;
    }

    /**
     * Stops the monotonic clock.
     *
     * @param wallToo whether the wall clock stops as well
     */
    public void suspend(boolean wallToo) {
        if (stoppedAt < 0) {
            stoppedAt = world.now();
            isWallStopped = wallToo;
        }
    }

    /** Whether the monotonic clock stands still. */
    boolean isSuspended() {
        return stoppedAt >= 0;
    }

    /** Lets the clocks go on; each is behind by what it missed. */
    public void wake() {
        if (stoppedAt >= 0) {
            long missed = world.now() - stoppedAt;
            bootTime += missed;
            wallOffsetMillis -= isWallStopped ? missed / World.MILLIS : 0;
            stoppedAt = -1;
        }
    }

    @Override
    public long nanos() {
        long elapsed = (stoppedAt < 0 ? world.now() : stoppedAt) - bootTime;
        return origin + elapsed + elapsed / PARTS * driftPpm;
    }

    @Override
    public long wallMillis() {
        long now = stoppedAt >= 0 && isWallStopped ? stoppedAt : world.now();
        return wallMillis(now) + wallOffsetMillis;
    }

    /** What a wall clock shows that was never wrong. */
    public long rightMillis() {
        return wallMillis(world.now());
    }

    private long wallMillis(long trueNanos) {
        return EPOCH_MILLIS + world.leaptMillis() + trueNanos / World.MILLIS;
    }

    /** True nanoseconds from now until this clock shows at least the given time. */
    long untilNanos(long localNanos) {
        long wanted = localNanos - nanos();
        if (wanted <= 0) {
            return 0;
        }
        // The drift is applied in whole millionths, so the guess may fall short by a few of them: the caller looks
        // again when it gets there.
        return Math.max(1, wanted - wanted / PARTS * driftPpm);
    }
}
