package io.georep.netty.internal.dial;

import io.georep.concurrent.FairLanes;
import io.georep.spi.Transport;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The room in the queue of one link, shared between lanes as {@link io.georep.spi.Transport} says: each has 1/n of
 * it, where n is the number of lanes used so far, without {@link Transport#IN_ORDER}. Urgent frames, and what is on
 * its way to the operating system, belong to no lane and count for each. So a lane that is alone has all of the room,
 * and everything counts for it. Any thread.
 */
final class LaneRoom {
    /** Room above the bound for urgent frames: a full queue must not silence heartbeats. */
    static final int URGENT_RESERVE_BYTES = 1 << 20;

    private static final int NONE = -1;

    private final long bytesMax;

    /** All bytes that were taken and not yet {@link #release released}. */
    private final AtomicLong bytes = new AtomicLong();

    /** The part of {@link #bytes} that waits in each lane: added after it is added there, and taken away before. */
    private final AtomicLongArray laneBytes = new AtomicLongArray(FairLanes.LANES);

    /** Numbers of the lanes used so far; the array is never changed, only replaced. */
    private volatile int[] used = {};

    /** How many of them share the room. */
    private volatile int sharers = 1;

    LaneRoom(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Takes room for a frame; returns false if there is none. A frame that is alone in its lane may be larger than
     * the share.
     */
    boolean take(long cost, boolean urgent, int lane) {
        return urgent ? takeUrgent(cost) : takeBulk(cost, lane);
    }

    private boolean takeUrgent(long cost) {
        long before = bytes.getAndAdd(cost);
        // When the number of lanes grows, they may have more than the bound for a while. That must not silence
        // heartbeats.
        long excess = Math.max(0, waitingBytes() - bytesMax);
        if (before > 0 && before - excess + cost > bytesMax + URGENT_RESERVE_BYTES) {
            bytes.addAndGet(-cost);
            return false;
        }
        return true;
    }

    private boolean takeBulk(long cost, int lane) {
        enter(lane);
        long othersBytes = othersBytes(lane);
        long load = bytes.getAndAdd(cost) - othersBytes;
        long laneBefore = laneBytes.getAndAdd(lane, cost);
        if (laneBefore > 0 && load + cost > bytesMax / sharers) {
            handOver(cost, lane);
            bytes.addAndGet(-cost);
            return false;
        }
        return true;
    }

    private long waitingBytes() {
        return othersBytes(NONE);
    }

    /** Returns what waits in the other lanes. Never counts this lane, even while another thread adds to it. */
    private long othersBytes(int lane) {
        long sum = 0;
        for (int known : used) {
            sum += known == lane ? 0 : laneBytes.get(known);
        }
        return sum;
    }

    private void enter(int lane) {
        for (int known : used) {
            if (known == lane) {
                return;
            }
        }
        add(lane);
    }

    private synchronized void add(int lane) {
        int[] before = used;
        if (Arrays.stream(before).anyMatch(known -> known == lane)) {
            return;
        }
        int[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = lane;
        sharers = Math.max(1, (int) Arrays.stream(after)
                .filter(known -> known != Transport.IN_ORDER)
                .count());
        used = after;
    }

    /** Moves so many bytes out of their lane: they are on their way to the operating system. */
    void handOver(long cost, int lane) {
        laneBytes.addAndGet(lane, -cost);
    }

    /** Forgets so many bytes, which are with the operating system or never will be. */
    void release(long cost) {
        bytes.addAndGet(-cost);
    }

    /** Returns bytes not {@link #release released} yet. */
    long bytes() {
        return bytes.get();
    }

    /** Returns what of {@link #bytes} counts for this lane. */
    long load(int lane) {
        return bytes.get() - othersBytes(lane);
    }

    /** Numbers of the lanes used so far; not to be changed. */
    int[] used() {
        return used;
    }

    /** Returns how many lanes share the room. */
    int sharers() {
        return sharers;
    }
}
