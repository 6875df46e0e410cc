package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When this node sets the clock forward by which entries expire.
 *
 * <p>The clock is an entry of the map, so it is the same on all nodes. It goes by {@link MapOperation.Tick ticks}: a node measures, by its
 * monotonic clock, how long the present tick is executed there, and proposes the next one. Of several ticks from the same time one takes
 * effect. So nothing depends on a wall clock, nor on who ticks, and the clock never goes faster than time passes: the measurement begins
 * after the tick it begins with was ordered, or {@link #LATE_MAX} before it was executed here. It may go more slowly: time in which
 * nobody ticks does not count.
 *
 * <p>An entry that is stored between two ticks may be nearly as old as the first one when the second one is ordered. So its time is longer
 * by the largest tick, and by {@link #LATE_MAX}.
 *
 * <p>Who ticked last ticks again; others do if it keeps silent. Without entries that expire there are no ticks.
 */
public final class MapClock {
    /** Where the clock is in the map. Before all keys of applications, which begin with the length of a name. */
    public static final Slice KEY = Slice.of(new byte[] {0});

    /** The most that a tick sets the clock forward, in milliseconds. */
    static final long ADVANCE_MAX = 1_500;

    /** How long a tick of this node may take until it is executed here and all of that time counts, in milliseconds. */
    private static final long LATE_MAX = 500;

    private static final long MILLI = 1_000_000;

    private static final long EVERY = 1_000 * MILLI;

    /**
     * What the clock shows.
     *
     * @param time in milliseconds
     * @param by the node that has set it last
     */
    public record Reading(long time, Slice by) {
        static Reading of(@Nullable Slice value) {
            if (value == null) {
                return new Reading(0, Slice.EMPTY);
            }
            BinReader in = new BinReader(value);
            return new Reading(in.i64(), in.raw(in.remaining()));
        }

        /** Returns when an entry expires that is stored now, and stays for so many milliseconds at the least. */
        long end(long millis) {
            return time + ADVANCE_MAX + LATE_MAX + millis;
        }
    }

    private final Slice self;
    private final long patience;
    private @Nullable Reading seen;

    /** When the measured time since the present tick begins. */
    private long from;

    private long due = Long.MAX_VALUE;
    private long proposed;
    private long proposedAt;

    /**
     * For a node.
     *
     * @param self its name
     * @param rank of the nodes that could tick, it is the one with so many before it
     * @param grace nanoseconds after which the next of these takes over
     */
    public MapClock(String self, int rank, long grace) {
        this.self = Slice.utf8(self);
        patience = grace * (1 + rank);
    }

    /** Returns the entry that this tick makes. */
    static MapEntry entry(MapOperation.Tick tick) {
        return new MapEntry(
                KEY,
                new BinWriter(8 + tick.by().length())
                        .i64(tick.to())
                        .raw(tick.by())
                        .toSlice(),
                0);
    }

    /** Returns whether this node has set the clock last. */
    public boolean isMine(Reading reading) {
        return reading.by().equals(self);
    }

    /**
     * Returns a tick to propose; null if there is none now.
     *
     * @param reading of the present state of this node; null if no entry expires
     * @param now read after the reading, so that the tick was executed before
     * @param isUnderWay whether the tick that was returned before may still be executed
     */
    public @Nullable Slice look(@Nullable Reading reading, BooleanSupplier isUnderWay, long now) {
        if (reading == null) {
            seen = null;
            due = Long.MAX_VALUE;
            return null;
        }
        if (!reading.equals(seen)) {
            boolean isOwn = isMine(reading) && reading.time() == proposed;
            from = isOwn ? later(proposedAt, now - LATE_MAX * MILLI) : now;
            seen = reading;
            due = from + EVERY + (isMine(reading) ? 0 : patience);
        }
        if (now - due < 0) {
            return null;
        }
        due = now + EVERY + patience;
        if (isUnderWay.getAsBoolean()) {
            return null;
        }
        proposed = reading.time() + Math.min(ADVANCE_MAX, (now - from) / MILLI);
        proposedAt = now;
        return MapOperation.encode(new MapOperation.Tick(reading.time(), proposed, self));
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    /** Returns when to look again at the latest. */
    public long nextDeadlineNanos() {
        return due;
    }
}
