package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** A world with a time of its own, and links that are slow, cut, held up, or lose everything. */
public abstract class SlowLinks {
    private static final long STEP = 250_000_000;

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private static final class Link {
        boolean isCut;

        /** What is sent arrives no earlier than that. */
        long held;

        /** How often what was under way was lost. */
        long generation;

        /** The boot of the sender that sent last, and when the last message of it arrives. */
        int boot;

        long arrives;
    }

    /** When somebody has something to do next. */
    public static final class Alarm {
        private long at = Long.MAX_VALUE;
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<NodeId, Map<NodeId, Link>> links = new HashMap<>();
    private long numbers;

    /** Nanoseconds since the beginning. */
    public long now;

    public final void at(long time, Runnable action) {
        events.add(new Event(time, numbers++, action));
    }

    /** The same once for each alarm: of two times the earlier one counts. */
    protected final void at(long time, Alarm alarm, Runnable action) {
        if (alarm.at > time) {
            alarm.at = time;
            at(time, () -> {
                if (alarm.at == time) {
                    alarm.at = Long.MAX_VALUE;
                    action.run();
                }
            });
        }
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

    /** Runs until something is so, for so long at the most. Returns whether it is. */
    public final boolean runUntil(BooleanSupplier condition, long nanos) {
        for (long end = now + nanos; !condition.getAsBoolean(); ) {
            if (now >= end) {
                return false;
            }
            run(STEP);
        }
        return true;
    }

    private Link link(NodeId from, NodeId to) {
        return links.computeIfAbsent(from, unknown -> new HashMap<>()).computeIfAbsent(to, unknown -> new Link());
    }

    protected final boolean isCut(NodeId from, NodeId to) {
        return link(from, to).isCut;
    }

    public final void cut(NodeId from, NodeId to) {
        link(from, to).isCut = true;
    }

    /** No longer cut. */
    public final void mend(NodeId from, NodeId to) {
        link(from, to).isCut = false;
    }

    public void heal() {
        links.values()
                .forEach(each -> each.values().forEach(link -> {
                    link.isCut = false;
                    link.held = 0;
                }));
    }

    /** What is sent from now on arrives no earlier than that. */
    public final void hold(NodeId from, NodeId to, long nanos) {
        Link link = link(from, to);
        link.held = Math.max(link.held, now + nanos);
    }

    /** What is under way is lost. */
    public final void breakLink(NodeId from, NodeId to) {
        Link link = link(from, to);
        link.generation++;
        link.held = 0;
    }

    /** Messages of one boot arrive in order, also at a later boot of the receiver. */
    protected final void carry(NodeId from, int boot, NodeId to, long delay, Runnable arrival) {
        Link link = link(from, to);
        long inOrder = link.boot == boot ? link.arrives : 0;
        long time = Math.max(Math.max(now + delay, link.held), inOrder);
        link.boot = boot;
        link.arrives = time;
        long sent = link.generation;
        at(time, () -> {
            if (sent == link.generation) {
                arrival.run();
            }
        });
    }
}
