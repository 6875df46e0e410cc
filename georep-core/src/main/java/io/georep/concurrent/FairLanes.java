package io.georep.concurrent;

import io.georep.spi.Transport;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A queue that several users share. Each has a lane of its own. Lanes with something in them are served in turn, by the cost
 * of what they get. So an item waits for what is in front of it in its own lane, and for one turn of each other lane in
 * between, however much waits there. Items of one lane keep their order. Not thread-safe.
 *
 * <p>Its lanes are those of {@link Transport.Outgoing}.
 *
 * <p>Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995), in the variant where a lane may overdraw its credit by one
 * item and makes up for it in its next turns.
 *
 * @param <E> what waits
 */
public final class FairLanes<E> {
    /** Number of lanes. */
    public static final int LANES = 256;

    /** What a lane may take in one turn while others wait; one item may cost more. */
    public static final long QUANTUM = 16 << 10;

    private record Item<E>(E item, long cost, long number) {}

    private static final class Lane<E> {
        final ArrayDeque<Item<E>> items = new ArrayDeque<>();

        /** What it may still take in this turn, or in its next one; below zero, what it took too much. */
        long credit;

        /** The value of {@link FairLanes#idleTimes} when the credit was last changed. */
        long idleTimes;
    }

    private final Lane<E> inOrder = new Lane<>();

    @SuppressWarnings("unchecked")
    private final @Nullable Lane<E>[] lanes = (Lane<E>[]) new Lane<?>[LANES];

    /** Lanes with something in them but {@link #inOrder}, in the order of their turns; the first has its turn now. */
    private final ArrayDeque<Lane<E>> waiting = new ArrayDeque<>();

    private long added;

    /** How often the whole queue became empty. Debts from before that are forgiven, because nobody was kept waiting. */
    private long idleTimes;

    /** Returns whether nothing waits. */
    public boolean isEmpty() {
        return waiting.isEmpty() && inOrder.items.isEmpty();
    }

    /**
     * Adds an item.
     *
     * @param lane from 0 to 255; items of {@link Transport#IN_ORDER} come after everything that was added before them, and need
     *     no credit
     * @param cost in whatever unit is shared, bytes for example
     */
    public void add(int lane, E item, long cost) {
        Lane<E> to = lane == Transport.IN_ORDER ? inOrder : lane(lane);
        if (to != inOrder && to.items.isEmpty()) {
            long debt = to.idleTimes == idleTimes ? to.credit : 0;
            to.idleTimes = idleTimes;
            to.credit = debt + QUANTUM;
            waiting.add(to);
        }
        to.items.add(new Item<>(item, cost, added++));
    }

    private Lane<E> lane(int number) {
        Lane<E> lane = lanes[number];
        if (lane == null) {
            lane = new Lane<>();
            lanes[number] = lane;
        }
        return lane;
    }

    /** Takes the next item; null when nothing waits. */
    public @Nullable E poll() {
        Item<E> ordered = inOrder.items.peek();
        if (ordered != null && isOldest(ordered)) {
            inOrder.items.remove();
            return ordered.item;
        }
        Lane<E> lane = waiting.peek();
        if (lane == null) {
            return null;
        }
        if (waiting.size() == 1) {
            lane.credit = Math.max(lane.credit, QUANTUM); // nobody is kept waiting
        }
        while (lane.credit <= 0) {
            lane.credit += QUANTUM;
            waiting.add(waiting.remove());
            lane = waiting.element();
        }
        Item<E> next = lane.items.remove();
        lane.credit -= next.cost;
        if (lane.items.isEmpty()) {
            leave(lane);
        }
        return next.item;
    }

    private void leave(Lane<E> lane) {
        waiting.remove();
        // A lane keeps its debt but no credit. Otherwise a lane with one large item at a time would pay for none.
        lane.credit = Math.min(lane.credit, 0);
        if (waiting.isEmpty()) {
            idleTimes++;
        }
    }

    private boolean isOldest(Item<E> ordered) {
        for (Lane<E> lane : waiting) {
            if (lane.items.element().number < ordered.number) {
                return false;
            }
        }
        return true;
    }

    /** Drops everything. */
    public void clear() {
        waiting.forEach(lane -> lane.items.clear());
        waiting.clear();
        inOrder.items.clear();
        idleTimes++;
    }
}
