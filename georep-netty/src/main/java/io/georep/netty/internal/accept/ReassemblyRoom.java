package io.georep.netty.internal.accept;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Memory for large frames that are arriving, shared by all incoming links. A link takes room for a whole frame before
 * it goes on, and gives it back when the frame is complete or the link is gone. So a frame that has begun can always
 * end. A link that finds no room waits in line. A frame alone may be larger than the room; otherwise it could never
 * arrive.
 *
 * <p>Frames of at most {@link Reassembly#BELIEVED_BYTES} need no room: each link may have two of them, one urgent.
 *
 * <p>Any thread. Links are called under the lock, and only give their event loops something to do. Only a request for room
 * allocates memory, so the count stays right when memory runs out.
 */
public final class ReassemblyRoom {
    /** Room beside that for one frame of the greatest size. */
    static final long BESIDE_BYTES = 32L << 20;

    /**
     * A link that has room already gets so much more at once. An urgent frame between the parts of another one is
     * seldom larger.
     */
    private static final long MORE_BYTES = 1 << 20;

    /** A link that brings less than this in the time after which links are expelled counts as bringing nothing. */
    static final int PROGRESS_BYTES = 64 << 10;

    /**
     * A link is also expelled if it would need more of these times for all it has room for, because others could wait
     * for hours.
     */
    private static final int PARTS = 16;

    /** A link. */
    interface Tenant {
        /** The link has the room that it waited for. If this throws it is not called again: see {@link Share#waits}. */
        void granted();

        /** Others wait for the room of this link, and it brings nothing. It must be closed. */
        void expelled();
    }

    /** What a link has and waits for; changed under the lock. */
    final class Share {
        private final Tenant tenant;
        private final NodeId peer;
        private long held;
        private long wanted;

        /** How many bytes count as progress. */
        private volatile long progressBytes;

        /** When it took room or brought something last. */
        private volatile long activeNanos;

        /** How many bytes it brought since then; on the event loop of the link. */
        private int brought;

        private Share(Tenant tenant, NodeId peer) {
            this.tenant = tenant;
            this.peer = peer;
        }

        /** Called when bytes arrived of a frame this link has room for. */
        void brings(int bytes) {
            brought += bytes;
            if (brought >= progressBytes) {
                brought = 0;
                activeNanos = clock.getAsLong();
            }
        }

        /** Returns whether it waits for room. */
        boolean waits() {
            synchronized (ReassemblyRoom.this) {
                return wanted > 0;
            }
        }

        private void holds(long bytes) {
            held = bytes;
            progressBytes = Math.max(PROGRESS_BYTES, bytes / PARTS);
        }
    }

    private final long bytesMax;
    private final long stalledNanos;
    private final LongSupplier clock;

    /** All links that have room or wait for it. Walked by index, because an iterator takes memory. */
    private final List<Share> links = new ArrayList<>();

    /** The links that wait, in order. */
    private final List<Share> line = new ArrayList<>();

    private long used;
    private boolean reading = true;

    /** When reading went on last. Before that, nobody could bring anything. */
    private long readingSinceNanos;

    /**
     * Room for one frame of the greatest size and {@link #BESIDE_BYTES}.
     *
     * @param stalledMillis how long a link may bring nothing of its frame while others wait
     */
    public ReassemblyRoom(int frameBytesMax, int stalledMillis, LongSupplier clock) {
        this.bytesMax = frameBytesMax + BESIDE_BYTES;
        this.stalledNanos = TimeUnit.MILLISECONDS.toNanos(stalledMillis);
        this.clock = clock;
        readingSinceNanos = clock.getAsLong();
    }

    /** Returns the share of a link from this peer, of nothing yet. */
    Share enter(Tenant tenant, NodeId peer) {
        return new Share(tenant, peer);
    }

    /**
     * Takes room for a frame.
     *
     * @return false when there is none: the link waits until it is granted
     */
    synchronized boolean take(Share share, long bytes) {
        // A link that has room already gets more at once. Otherwise two links could wait for each other.
        if (share.held == 0) {
            links.add(share);
        }
        if ((share.held > 0 && bytes <= MORE_BYTES) || (fits(bytes) && mayHave(share, bytes) && !isBehind())) {
            hand(share, bytes);
            return true;
        }
        line.add(share);
        share.wanted = bytes;
        return false;
    }

    private boolean fits(long bytes) {
        return used == 0 || used + bytes <= bytesMax;
    }

    /** Returns whether a link before it waits for the same room, and not for its own peer to give some back. */
    private boolean isBehind() {
        for (int i = 0; i < line.size(); i++) {
            if (mayHave(line.get(i), line.get(i).wanted)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayHave(Share share, long bytes) {
        long held = 0;
        for (int i = 0; i < links.size(); i++) {
            Share other = links.get(i);
            held += other.peer.equals(share.peer) ? other.held : 0;
        }
        return held == 0 || held + bytes <= bytesMax / 2;
    }

    private void hand(Share share, long bytes) {
        // A link that has room and gets more has brought nothing by that, unless it had to wait.
        if (share.held == 0 || share.wanted > 0) {
            share.activeNanos = clock.getAsLong();
        }
        used += bytes;
        share.holds(share.held + bytes);
    }

    /** Takes the room of a complete frame back. */
    synchronized void give(Share share, long bytes) {
        used -= bytes;
        share.holds(share.held - bytes);
        if (share.held == 0) {
            links.remove(share);
        }
        for (int i = 0; i < line.size(); ) {
            Share next = line.get(i);
            if (!mayHave(next, next.wanted)) {
                i++;
            } else if (fits(next.wanted)) {
                line.remove(i);
                hand(next, next.wanted);
                next.wanted = 0;
                tell(next.tenant, true);
            } else {
                return;
            }
        }
    }

    /** Forgets a link that is gone, with all that it had and waited for. */
    synchronized void leave(Share share) {
        if (line.remove(share)) {
            share.wanted = 0;
        }
        links.remove(share);
        give(share, share.held);
    }

    /** Sets whether links are read at all. While they are not, no link is expelled for bringing nothing. */
    public synchronized void reading(boolean on) {
        if (on && !reading) {
            readingSinceNanos = clock.getAsLong();
        }
        reading = on;
    }

    /** Called now and then while somebody waits: expels those who have room and bring nothing. */
    synchronized void look() {
        long now = clock.getAsLong();
        if (!reading || line.isEmpty() || now - readingSinceNanos < stalledNanos) {
            return;
        }
        for (int i = 0; i < links.size(); i++) {
            Share share = links.get(i);
            if (share.held > 0 && now - share.activeNanos >= stalledNanos) {
                tell(share.tenant, false);
            }
        }
    }

    private static void tell(Tenant tenant, boolean granted) {
        try {
            if (granted) {
                tenant.granted();
            } else {
                tenant.expelled();
            }
        } catch (Throwable e) {
            // The other links are told. This one looks by itself, or is told the next time.
        }
    }

    /** Returns bytes of frames that have room. */
    public synchronized long used() {
        return used;
    }

    /** Returns how many links wait for room. */
    public synchronized int waiting() {
        return line.size();
    }
}
