package io.georep.outbox.local;

import io.georep.model.BrokenInvariantException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the sends that are not answered yet, in count and in bytes, with one atomic addition per send: both numbers
 * share a word, 28 bits for the count and 36 for the bytes.
 */
final class SendBudget {
    private static final int BYTES_BITS = 36;
    private static final long ONE = 1L << BYTES_BITS;
    private static final long BYTES_MASK = ONE - 1;

    /** Half the range, so that threads that are about to be refused cannot overflow it. */
    private static final long BYTES_LIMIT = 1L << (BYTES_BITS - 1);

    private static final int COUNT_LIMIT = 1 << 27;

    private final int countMax;
    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();

    /** A budget for this many sends with this many payload bytes together. */
    public SendBudget(int countMax, long bytesMax) {
        this.countMax = Math.min(countMax, COUNT_LIMIT);
        this.bytesMax = Math.min(bytesMax, BYTES_LIMIT);
    }

    /** Takes room for these sends; returns false, having taken nothing, when there is none. */
    public boolean take(int sends, long bytes) {
        if (sends > countMax || bytes > bytesMax) {
            return false;
        }
        long now = used.addAndGet(sends * ONE + bytes);
        if (now >>> BYTES_BITS > countMax || (now & BYTES_MASK) > bytesMax) {
            release(sends, bytes);
            return false;
        }
        return true;
    }

    /** Gives room back. */
    public void release(int sends, long bytes) {
        long left = used.addAndGet(-(sends * ONE + bytes));
        BrokenInvariantException.require(left >= 0, "only room that was taken is given back", "budget of sends");
    }

    /** Sends not answered yet. */
    public long count() {
        return used.get() >>> BYTES_BITS;
    }

    /** Payload bytes of those. */
    public long bytes() {
        return used.get() & BYTES_MASK;
    }

    /** Most sends at a time. */
    public int countMax() {
        return countMax;
    }

    /** Most bytes at a time. */
    public long bytesMax() {
        return bytesMax;
    }
}
