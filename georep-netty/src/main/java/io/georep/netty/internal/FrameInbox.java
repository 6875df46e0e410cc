package io.georep.netty.internal;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Hands frames of any thread over to the event loop of a link, bounded in bytes. It is a stack: whoever pushes onto the
 * empty one has to wake the event loop, which takes all of it at once.
 */
final class FrameInbox {
    /** What a queued frame costs beside its bytes: a bound in bytes must bound empty frames as well. */
    static final int FRAME_OVERHEAD_BYTES = 64;

    /** Room above the bound for urgent frames: a full queue must not silence heartbeats. */
    static final int URGENT_RESERVE_BYTES = 1 << 20;

    /** A frame in the inbox. */
    static final class Queued {
        final byte[] frame;
        final boolean urgent;

        /** What was queued before, or after once it is {@link #takeAll taken}. */
        @Nullable
        Queued next;

        Queued(byte[] frame, boolean urgent) {
            this.frame = frame;
            this.urgent = urgent;
        }
    }

    private final long bytesMax;
    private final AtomicReference<@Nullable Queued> newest = new AtomicReference<>();
    private final AtomicLong bytes = new AtomicLong();

    FrameInbox(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Queues a frame. A frame alone may be larger than the bound, or it could never be sent. Any thread. */
    ChunkWriter.Offered offer(byte[] frame, boolean urgent) {
        long cost = (long) frame.length + FRAME_OVERHEAD_BYTES;
        long bound = bytesMax + (urgent ? URGENT_RESERVE_BYTES : 0);
        long before = bytes.getAndAdd(cost);
        if (before > 0 && before + cost > bound) {
            bytes.addAndGet(-cost);
            return ChunkWriter.Offered.REFUSED;
        }
        Queued queued = new Queued(frame, urgent);
        Queued head;
        do {
            head = newest.get();
            queued.next = head;
        } while (!newest.compareAndSet(head, queued));
        return head == null ? ChunkWriter.Offered.RESTING : ChunkWriter.Offered.QUEUED;
    }

    /** Everything queued since the last call, linked oldest first; null when there is nothing. Event loop only. */
    @Nullable
    Queued takeAll() {
        Queued newer = newest.getAndSet(null);
        Queued oldest = null;
        while (newer != null) {
            Queued older = newer.next;
            newer.next = oldest;
            oldest = newer;
            newer = older;
        }
        return oldest;
    }

    /** Frames of this cost are with the operating system, or never will be. */
    void release(long cost) {
        bytes.addAndGet(-cost);
    }

    /** Bytes of frames, with their overhead, not {@link #release released} yet. */
    long bytes() {
        return bytes.get();
    }
}
