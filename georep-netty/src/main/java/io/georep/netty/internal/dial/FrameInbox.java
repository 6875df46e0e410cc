package io.georep.netty.internal.dial;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Hands frames of any thread over to the event loop of a link, bounded by {@link LaneRoom}. It is a stack: whoever pushes onto the
 * empty one has to wake the event loop, which takes all of it at once.
 */
final class FrameInbox {
    /** What a queued frame costs besides its bytes: the bound in bytes must also bound empty frames. */
    static final int FRAME_OVERHEAD_BYTES = 64;

    /** A frame in the inbox. */
    static final class Queued {
        final byte[] frame;
        final boolean urgent;
        final int lane;

        /** The frame that was queued before this one; after {@link #takeAll}, the one that was queued after it. */
        @Nullable
        Queued next;

        Queued(byte[] frame, boolean urgent, int lane) {
            this.frame = frame;
            this.urgent = urgent;
            this.lane = lane;
        }
    }

    private final LaneRoom room;
    private final AtomicReference<@Nullable Queued> newest = new AtomicReference<>();

    FrameInbox(LaneRoom room) {
        this.room = room;
    }

    /** Queues a frame if there is room for it. Any thread. */
    ChunkWriter.Offered offer(byte[] frame, boolean urgent, int lane) {
        if (!room.take((long) frame.length + FRAME_OVERHEAD_BYTES, urgent, lane)) {
            return ChunkWriter.Offered.REFUSED;
        }
        Queued queued = new Queued(frame, urgent, lane);
        Queued head;
        do {
            head = newest.get();
            queued.next = head;
        } while (!newest.compareAndSet(head, queued));
        return head == null ? ChunkWriter.Offered.RESTING : ChunkWriter.Offered.QUEUED;
    }

    /** Returns everything that was queued since the last call, linked oldest first; null if there is nothing. Event loop only. */
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
}
