package io.georep.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Pauses reading from all peers while frames of more than {@code highBytes} wait, until they have less than {@code
 * lowBytes}, and for as long as the driver wants it. The threads that bring frames and the driver that takes them
 * count the bytes.
 *
 * <p>Only one thread at a time calls {@link Switch#reading}: the first that finds no other one there. The others note
 * that the count has changed, and the one that is there looks again before it leaves. So the calls never overlap, and
 * the last call always fits the count.
 */
final class ReadingGate {
    /** Pauses reading ({@code false}) or goes on with it. */
    @FunctionalInterface
    interface Switch {
        void reading(boolean on);
    }

    /** What an input costs besides its bytes, so that empty frames and life signs are bounded as well. */
    static final long INPUT_OVERHEAD_BYTES = 64;

    private final long highBytes;
    private final long lowBytes;
    private final Switch target;
    private final AtomicLong waitingBytes = new AtomicLong();

    /** Changes that nobody has looked at yet. Above zero, a thread is looking. */
    private final AtomicInteger changes = new AtomicInteger();

    /** The driver wants nothing to be read. */
    private volatile boolean held;

    /** Set before reading is paused and cleared after it went on; only the thread that is looking uses it. */
    private boolean paused;

    ReadingGate(long highBytes, long lowBytes, Switch target) {
        this.highBytes = highBytes;
        this.lowBytes = lowBytes;
        this.target = target;
    }

    /** Returns what an input from a peer takes while it waits. */
    static long costOf(Input input) {
        if (input instanceof Input.Frame frame) {
            return frame.bytes().length + INPUT_OVERHEAD_BYTES;
        }
        return input instanceof Input.LifeSign ? INPUT_OVERHEAD_BYTES : 0;
    }

    /** A frame was queued. The driver may have taken it before it is counted. */
    void queued(long bytes) {
        if (waitingBytes.addAndGet(bytes) > highBytes) {
            look();
        }
    }

    /** Driver: frames were taken, or none. */
    void taken(long bytes) {
        if (waitingBytes.addAndGet(-bytes) < lowBytes) {
            look();
        }
    }

    /** Driver: reading is paused whatever waits ({@code true}), or no longer. */
    void hold(boolean on) {
        if (held != on) {
            held = on;
            look();
        }
    }

    private void look() {
        if (changes.getAndIncrement() > 0) {
            return;
        }
        boolean done = false;
        try {
            int seen = 1;
            while (seen > 0) {
                adjust();
                seen = changes.addAndGet(-seen);
            }
            done = true;
        } finally {
            if (!done) {
                changes.set(0); // the switch failed: the next change tries again
            }
        }
    }

    private void adjust() {
        long waiting = waitingBytes.get();
        if (!paused && (held || waiting > highBytes)) {
            paused = true;
            target.reading(false);
        } else if (paused && !held && waiting < lowBytes) {
            target.reading(true);
            paused = false;
        }
    }
}
