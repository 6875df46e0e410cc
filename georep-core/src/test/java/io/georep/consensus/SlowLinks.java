package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/** A world with a time of its own, and links that are slow, cut, held up, or lose everything. */
public abstract class SlowLinks {
    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Set<String> cut = new HashSet<>();
    private final Map<String, Long> held = new HashMap<>();
    private final Map<String, Long> arrives = new HashMap<>();
    private final Map<String, Long> generation = new HashMap<>();
    private long numbers;

    /** Nanoseconds since the beginning. */
    public long now;

    public final void at(long time, Runnable action) {
        events.add(new Event(time, numbers++, action));
    }

    public final void run(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at <= end) {
            Event event = events.poll();
            now = Math.max(now, event.at);
            event.action.run();
        }
        now = end;
    }

    private static String way(NodeId from, NodeId to) {
        return from + ">" + to;
    }

    protected final boolean isCut(NodeId from, NodeId to) {
        return cut.contains(way(from, to));
    }

    public final void cut(NodeId from, NodeId to) {
        cut.add(way(from, to));
    }

    /** No longer cut. */
    public final void mend(NodeId from, NodeId to) {
        cut.remove(way(from, to));
    }

    public void heal() {
        cut.clear();
        held.clear();
    }

    /** What is sent from now on arrives no earlier than that. */
    public final void hold(NodeId from, NodeId to, long nanos) {
        held.merge(way(from, to), now + nanos, Math::max);
    }

    /** What is under way is lost. */
    public final void breakLink(NodeId from, NodeId to) {
        generation.merge(way(from, to), 1L, Long::sum);
        held.remove(way(from, to));
    }

    /** Messages of one boot arrive in order, also at a later boot of the receiver. */
    protected final void carry(NodeId from, int boot, NodeId to, long delay, Runnable arrival) {
        String way = way(from, to);
        String line = way + boot;
        long time = Math.max(Math.max(now + delay, held.getOrDefault(way, 0L)), arrives.getOrDefault(line, 0L));
        arrives.put(line, time);
        long sent = generation.getOrDefault(way, 0L);
        at(time, () -> {
            if (sent == generation.getOrDefault(way, 0L)) {
                arrival.run();
            }
        });
    }
}
