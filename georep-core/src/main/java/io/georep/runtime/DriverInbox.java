package io.georep.runtime;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Queues inputs of any thread for the driver. Nothing that peers send is dropped: while too much waits, reading is
 * paused. Strangers have a bounded room of their own. Above it their frames are dropped, so that strangers pause
 * nobody.
 */
final class DriverInbox implements Consumer<Input> {
    /** How many bytes of frames of strangers may wait. */
    static final long STRANGERS_BYTES_MAX = 4L << 20;

    private static final long FRAME_BYTES_HIGH = 32L << 20;
    private static final long FRAME_BYTES_LOW = 8L << 20;

    private final HandOff<Object> queue;
    private final ReadingGate readingGate;
    private final Runnable strangersFrameDropped;
    private final AtomicLong strangersBytes = new AtomicLong();

    DriverInbox(HandOff<Object> queue, ReadingGate.Switch reading, Runnable strangersFrameDropped) {
        this.queue = queue;
        this.readingGate = new ReadingGate(FRAME_BYTES_HIGH, FRAME_BYTES_LOW, reading);
        this.strangersFrameDropped = strangersFrameDropped;
    }

    @Override
    public void accept(Input input) {
        if (input instanceof Input.StrangerFrame frame && !hasRoom(frame)) {
            strangersFrameDropped.run();
            return;
        }
        queue.offer(input);
        long bytes = ReadingGate.costOf(input);
        if (bytes > 0) {
            readingGate.queued(bytes);
        }
    }

    private boolean hasRoom(Input.StrangerFrame frame) {
        boolean fits = strangersBytes.addAndGet(costOf(frame)) <= STRANGERS_BYTES_MAX;
        if (!fits) {
            strangersBytes.addAndGet(-costOf(frame));
        }
        return fits;
    }

    /** Driver: these inputs wait no longer. */
    void taken(List<Input> inputs) {
        long bytes = 0;
        for (Input input : inputs) {
            bytes += ReadingGate.costOf(input);
            if (input instanceof Input.StrangerFrame frame) {
                strangersBytes.addAndGet(-costOf(frame));
            }
        }
        readingGate.taken(bytes);
    }

    /** Driver: reading is paused whatever waits, or no longer. */
    void hold(boolean on) {
        readingGate.hold(on);
    }

    private static long costOf(Input.StrangerFrame frame) {
        return frame.bytes().length + ReadingGate.INPUT_OVERHEAD_BYTES;
    }
}
