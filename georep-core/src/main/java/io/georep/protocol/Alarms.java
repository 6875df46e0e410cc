package io.georep.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/**
 * When each of many things is to be looked at next. Whatever happens to a thing usually makes its time later. So its
 * place in the queue is corrected only when it comes to the front, and the cost of a turn depends on the things it
 * concerns, not on how many there are. Driver thread only.
 *
 * @param <T> peers, streams, anything with an identity of its own
 */
public final class Alarms<T> {
    private record Alarm<T>(long at, T thing) {}

    /** Void places are dropped when there are more of them than things, and more than this. */
    private static final int VOID_KEPT = 64;

    private final ToLongFunction<T> dueAt;

    /** The valid place of each thing in the queue. Its other places there are void. */
    private final Map<T, Long> places = new HashMap<>();

    private final PriorityQueue<Alarm<T>> queue;

    /**
     * Creates alarms without things.
     *
     * @param dueAt when a thing is due, on any clock; {@link Long#MAX_VALUE} for never
     * @param order of things that are due at one time
     */
    public Alarms(ToLongFunction<T> dueAt, Comparator<T> order) {
        this.dueAt = dueAt;
        queue = new PriorityQueue<>(
                Comparator.<Alarm<T>>comparingLong(alarm -> alarm.at).thenComparing(alarm -> alarm.thing, order));
    }

    /** Sets the alarm of a thing that may have to be looked at earlier than before. */
    public void set(T thing) {
        long at = dueAt.applyAsLong(thing);
        if (at < places.getOrDefault(thing, Long.MAX_VALUE)) {
            places.put(thing, at);
            queue.add(new Alarm<>(at, thing));
            if (queue.size() > 2 * places.size() + VOID_KEPT) {
                // Times far away would stay for as long as they are away.
                queue.clear();
                places.forEach((each, place) -> queue.add(new Alarm<>(place, each)));
            }
        }
    }

    /** Returns how many times of things are remembered, void ones included; for tests. */
    int remembered() {
        return queue.size();
    }

    /** Forgets a thing that is gone. */
    public void cancel(T thing) {
        places.remove(thing);
    }

    /** Takes out the things whose time has come, or had before it moved away; each is to be {@link #set} again. */
    public List<T> due(long now) {
        List<T> due = new ArrayList<>();
        for (Alarm<T> first = queue.peek(); first != null && first.at <= now; first = queue.peek()) {
            queue.remove();
            if (places.remove(first.thing, first.at)) {
                due.add(first.thing);
            }
        }
        return due;
    }

    /** Returns when the next thing is due; {@link Long#MAX_VALUE} for never. */
    public long next() {
        for (Alarm<T> first = queue.peek(); first != null; first = queue.peek()) {
            boolean valid = Long.valueOf(first.at).equals(places.get(first.thing));
            if (valid && dueAt.applyAsLong(first.thing) <= first.at) {
                return first.at;
            }
            queue.remove();
            if (valid) {
                places.remove(first.thing);
                set(first.thing);
            }
        }
        return Long.MAX_VALUE;
    }
}
