package io.georep.protocol.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * When each peer is to be looked at next. A peer's time mostly moves away, with every frame it sends; so its place in the
 * queue is corrected only when it comes to the front, and a turn costs the peers it concerns, not all there are.
 */
final class Alarms {
    private record Alarm(long atNanos, PeerRecord peer) implements Comparable<Alarm> {
        boolean isValid() {
            return peer.alarmNanos == atNanos;
        }

        @Override
        public int compareTo(Alarm other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : peer.id.compareTo(other.peer.id);
        }
    }

    private final Timing timing;
    private final Greeter greeter;
    private final PriorityQueue<Alarm> queue = new PriorityQueue<>();

    Alarms(Timing timing, Greeter greeter) {
        this.timing = timing;
        this.greeter = greeter;
    }

    /** Takes out the peers whose time has come; each is to be {@link #set} again. */
    List<PeerRecord> due(long nowNanos) {
        List<PeerRecord> due = new ArrayList<>();
        for (Alarm first = queue.peek(); first != null && first.atNanos <= nowNanos; first = queue.peek()) {
            queue.remove();
            if (first.isValid()) {
                first.peer.alarmNanos = Long.MAX_VALUE;
                due.add(first.peer);
            }
        }
        return due;
    }

    /** Sets the alarm of a peer that may have to be looked at earlier than before. */
    void set(PeerRecord peer) {
        long atNanos = dueAt(peer);
        if (atNanos < peer.alarmNanos) {
            peer.alarmNanos = atNanos;
            queue.add(new Alarm(atNanos, peer));
        }
    }

    /** When the next peer is due; {@link Long#MAX_VALUE} for never. */
    long next() {
        for (Alarm first = queue.peek(); first != null; first = queue.peek()) {
            if (first.isValid() && dueAt(first.peer) <= first.atNanos) {
                return first.atNanos;
            }
            queue.remove();
            if (first.isValid()) {
                first.peer.alarmNanos = Long.MAX_VALUE;
                set(first.peer);
            }
        }
        return Long.MAX_VALUE;
    }

    private long dueAt(PeerRecord peer) {
        return Math.min(Clockwork.nextDeadline(peer, timing), greeter.nextDeadlineNanos(peer));
    }
}
