package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The requests of the application of this process: who waits for them, which are tried again, and what was told of changes. */
final class OwnRequests {
    private static final int TOLD_MAX = 10_000;

    /** A request on its way. */
    record Waiting(FleetCommand.Submit submit, long deadline) {
        static Waiting from(FleetCommand.Submit submit, long now) {
            return new Waiting(submit, now + submit.deadlineMillis());
        }

        RequestId id() {
            return submit.operation().request();
        }
    }

    private record Try(Waiting waiting, long at) {}

    /** What was told of a change. */
    private record Told(Slice key, Outcome.Status status) {}

    private final long errandMillis;
    private final long orderedMillis;
    private final Map<RequestId, Waiting> waiting = new LinkedHashMap<>();
    private final PriorityQueue<Try> tries = new PriorityQueue<>(Comparator.comparingLong(Try::at));

    /** The next try of each request. Earlier ones of which somebody thought better stay in the queue, and count for nothing. */
    private final Map<RequestId, Try> next = new HashMap<>();

    private final Map<RequestId, Told> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RequestId, Told> eldest) {
            return size() > TOLD_MAX;
        }
    };

    /**
     * Creates it.
     *
     * @param errandMillis after this time without an answer, a request that does not wait for the order, or has not left this node, is
     *     tried again
     * @param orderedMillis the same for others
     */
    OwnRequests(long errandMillis, long orderedMillis) {
        this.errandMillis = errandMillis;
        this.orderedMillis = orderedMillis;
    }

    /** Adds a request; returns the one of the same name that waited before. */
    @Nullable
    Waiting add(Waiting its) {
        return waiting.put(its.id(), its);
    }

    /** Returns the one of this name that waits; null if none does. */
    @Nullable
    Waiting find(RequestId request) {
        return waiting.get(request);
    }

    /** Returns those that wait. */
    List<Waiting> waiting() {
        return List.copyOf(waiting.values());
    }

    /**
     * Plans when a request is tried again: soon if it has not left this node, or does not wait for the order. At its deadline it is due at
     * the latest, to be ended if nobody has done so by then. What was planned before for it counts no more.
     */
    void plan(Waiting its, long now, boolean hasLeft) {
        long millis = hasLeft && its.submit.isInOrder() ? orderedMillis : errandMillis;
        Try planned = new Try(its, Math.min(now + millis, its.deadline));
        next.put(its.id(), planned);
        tries.add(planned);
    }

    /** Returns what is to be tried again now, and planned again. */
    @SuppressWarnings("ReferenceEquality") // this request, and no later one with the same id
    List<Waiting> due(long now) {
        List<Waiting> due = new ArrayList<>();
        for (Try first = tries.peek(); first != null && first.at <= now; first = tries.peek()) {
            tries.remove();
            RequestId id = first.waiting.id();
            if (next.remove(id, first) && first.waiting.equals(waiting.get(id))) {
                due.add(first.waiting);
            }
        }
        return due;
    }

    /** Takes the outcome of a request that waits, and returns its token; null if none waits. */
    @Nullable
    Object answered(RequestId request, Outcome outcome) {
        Waiting its = waiting.remove(request);
        next.remove(request);
        if (its == null) {
            return null;
        }
        FleetOperation operation = its.submit.operation();
        if (operation.changes() && outcome.isDone()) {
            told.put(request, new Told(operation.key(), outcome.status()));
        }
        return its.submit.token();
    }

    /** Takes another outcome of a change; returns what is told of it, null if that was told or nobody has asked here. */
    FleetEvent.@Nullable Overturned overturned(RequestId request, Outcome outcome) {
        Told its = told.get(request);
        if (its == null || !outcome.isDone() || its.status == outcome.status()) {
            return null;
        }
        told.put(request, new Told(its.key, outcome.status()));
        return new FleetEvent.Overturned(request, its.key, outcome);
    }
}
