package io.georep.netty.internal;

import io.georep.model.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * <p>Any thread. Links are called outside the lock, and do the work on their own event loops.
 */
final class ReassemblyRoom {
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
        /** It has the room it waited for. */
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
        private boolean left;

        /** So much is progress. */
        private volatile long progressBytes;

        /** When it took room or brought something last. */
        private volatile long activeNanos;

        /** What it brought since; on the event loop of the link. */
        private int brought;

        private Share(Tenant tenant, NodeId peer) {
            this.tenant = tenant;
            this.peer = peer;
        }

        /** So many bytes arrived of a frame this link has room for. */
        void brings(int bytes) {
            brought += bytes;
            if (brought >= progressBytes) {
                brought = 0;
                activeNanos = clock.getAsLong();
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
    private final ArrayDeque<Share> line = new ArrayDeque<>();
    private final Set<Share> holders = new LinkedHashSet<>();
    private final Map<NodeId, Long> heldByPeer = new HashMap<>();
    private long used;
    private boolean reading = true;

    /** When reading went on last. Before that, nobody could bring anything. */
    private long readingSinceNanos;

    /**
     * Room for one frame of the greatest size and {@link #BESIDE_BYTES}.
     *
     * @param stalledMillis how long a link may bring nothing of its frame while others wait
     */
    ReassemblyRoom(int frameBytesMax, int stalledMillis, LongSupplier clock) {
        this.bytesMax = frameBytesMax + BESIDE_BYTES;
        this.stalledNanos = TimeUnit.MILLISECONDS.toNanos(stalledMillis);
        this.clock = clock;
        readingSinceNanos = clock.getAsLong();
    }

    /** The share of a link from this peer, of nothing yet. */
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
        if ((share.held > 0 && bytes <= MORE_BYTES) || (fits(bytes) && mayHave(share, bytes) && !isBehind())) {
            hand(share, bytes);
            return true;
        }
        share.wanted = bytes;
        line.add(share);
        return false;
    }

    private boolean fits(long bytes) {
        return used == 0 || used + bytes <= bytesMax;
    }

    /** Whether a link before it waits for the same room, and not for its own peer to give some back. */
    private boolean isBehind() {
        return line.stream().anyMatch(next -> mayHave(next, next.wanted));
    }

    private boolean mayHave(Share share, long bytes) {
        long held = heldByPeer.getOrDefault(share.peer, 0L);
        return held == 0 || held + bytes <= bytesMax / 2;
    }

    private void hand(Share share, long bytes) {
        // Who has room and gets more has brought nothing by that, unless it had to wait.
        if (share.held == 0 || share.wanted > 0) {
            share.activeNanos = clock.getAsLong();
        }
        used += bytes;
        share.holds(share.held + bytes);
        heldByPeer.merge(share.peer, bytes, Long::sum);
        holders.add(share);
    }

    /** A frame is complete. */
    void give(Share share, long bytes) {
        admit(giveBack(share, bytes));
    }

    private synchronized List<Share> giveBack(Share share, long bytes) {
        used -= bytes;
        share.holds(share.held - bytes);
        heldByPeer.computeIfPresent(share.peer, (peer, held) -> held == bytes ? null : held - bytes);
        if (share.held == 0) {
            holders.remove(share);
        }
        List<Share> granted = new ArrayList<>();
        for (Iterator<Share> waiting = line.iterator(); waiting.hasNext(); ) {
            Share next = waiting.next();
            if (!mayHave(next, next.wanted)) {
                continue;
            }
            if (!fits(next.wanted)) {
                break;
            }
            waiting.remove();
            hand(next, next.wanted);
            next.wanted = 0;
            granted.add(next);
        }
        return granted;
    }

    private static void admit(List<Share> granted) {
        granted.forEach(share -> share.tenant.granted());
    }

    /** A link is gone, with all it had and waited for. */
    void leave(Share share) {
        List<Share> granted;
        synchronized (this) {
            if (share.left) {
                return;
            }
            share.left = true;
            line.remove(share);
            granted = giveBack(share, share.held);
        }
        admit(granted);
    }

    /** Sets whether links are read at all. While they are not, no link is expelled for bringing nothing. */
    synchronized void reading(boolean on) {
        if (on && !reading) {
            readingSinceNanos = clock.getAsLong();
        }
        reading = on;
    }

    /** Called now and then while somebody waits: expels those who have room and bring nothing. */
    void look() {
        List<Share> stalled = new ArrayList<>();
        synchronized (this) {
            if (reading && !line.isEmpty()) {
                long now = clock.getAsLong();
                for (Share share : holders) {
                    if (now - share.activeNanos >= stalledNanos && now - readingSinceNanos >= stalledNanos) {
                        stalled.add(share);
                    }
                }
            }
        }
        stalled.forEach(share -> share.tenant.expelled());
    }

    /** Bytes of frames that have room. */
    synchronized long used() {
        return used;
    }

    /** Links that wait for room. */
    synchronized int waiting() {
        return line.size();
    }
}
