package io.georep.flagons.core;

import java.util.random.RandomGenerator;

/**
 * What a node has of the keys of its group: their operations, for which of them it has all, and the comparison with
 * the other members.
 */
final class Replica {
    private static final long GIVE_UP_MILLIS = 60_000;

    /** Old operations are dropped at whole minutes, so that members drop the same. */
    private static final long TRIM_MILLIS = 60_000;

    private static final long NEVER = Long.MAX_VALUE / 2;

    private final FleetSettings settings;
    private final FleetRules rules;
    private final GroupView group;
    private final Outlet out;
    private final FleetCounters counters;
    private final PeerClocks clocks;
    private final Effort effort;
    private final Writers writers;
    final OperationStore store;
    final Coverage coverage = new Coverage(GIVE_UP_MILLIS);
    final AntiEntropy antiEntropy;

    /** Operations before it were dropped, but for those that values are from. */
    private OrderKey cut = OrderKey.FIRST;

    /** What happened before it may have passed this node by, for which it joined later or was cut off. */
    private OrderKey hearsFrom = OrderKey.FIRST;

    private long movedAt = NEVER;
    private boolean changed;

    Replica(
            FleetSettings settings,
            FleetRules rules,
            GroupView group,
            Outlet out,
            FleetCounters counters,
            PeerClocks clocks,
            Effort effort,
            Writers writers,
            RandomGenerator random) {
        this.settings = settings;
        this.rules = rules;
        this.group = group;
        this.out = out;
        this.counters = counters;
        this.clocks = clocks;
        this.effort = effort;
        this.writers = writers;
        store = new OperationStore(rules, out);
        antiEntropy = new AntiEntropy(settings, group, this, out, counters, random);
    }

    /** Takes a new group; up to the bound, events of a new part may have been ignored. */
    void moved(OrderKey bound, long now) {
        coverage.moved(group.range(), bound, now);
        movedAt = now;
    }

    /** Up to this place events may pass by this node. */
    void hearsFrom(OrderKey bound) {
        hearsFrom = bound;
    }

    OrderKey hearsFrom() {
        return hearsFrom;
    }

    /** This node may have missed something; see {@link #moved}. */
    void missedSome(OrderKey bound, long now) {
        hearsFrom = bound;
        coverage.missedSome(group.range(), bound, now);
    }

    /** Returns whether this node answers for a key: it has all operations on it, and its clock is right. */
    boolean answersFor(FleetOperation operation) {
        boolean hasAll = operation.kind() == FleetOperation.Kind.LIST
                ? coverage.covers(group.range())
                : coverage.covers(operation.position());
        return group.range().has(operation.position()) && rules.mayAnswer(hasAll) && !clocks.isOff();
    }

    /** Returns from where on members compare a range: what is older, those who have all have alike. */
    OrderKey comparedFrom(Range range) {
        return coverage.covers(range) ? cut : OrderKey.FIRST;
    }

    /** Takes an event in its turn, and returns whether this node answers for it. */
    boolean deliver(Event event) {
        FleetOperation operation = event.operation();
        if (!group.range().has(operation.position())) {
            return false;
        }
        if (operation.changes()) {
            effort.own(event);
            insert(event);
        }
        return answersFor(operation);
    }

    /** An event that came too late is an operation all the same; its place in the past says what it does. */
    void late(Event event) {
        counters.holes++;
        out.missed(event);
        if (event.operation().changes() && group.range().has(event.operation().position())) {
            insert(event);
        }
    }

    /** Takes an operation that another member has brought. */
    void repair(Event event, String from, long now, long wall) {
        if (event.operation().changes()
                && group.range().has(event.operation().position())
                && !store.has(event.key())
                && isAcceptable(event, from, now, wall)
                && insert(event)) {
            counters.repaired++;
            if (coverage.covers(event.operation().position())) {
                // Otherwise it was not there to hear of it.
                effort.repaired(event);
            }
        }
    }

    /**
     * Returns whether it is of somebody who may, its time can be believed, and is not so old that what is known of it was dropped; and counts if
     * not. A node that lacks a part takes old ones, too.
     */
    boolean isAcceptable(Event event, String from, long now, long wall) {
        boolean isFuture =
                !settings.paper() && FleetClock.millisOf(event.key().time()) - wall > settings.clockBoundMillis();
        boolean isForgotten = event.key().compareTo(cut) < 0
                && coverage.covers(event.operation().position());
        boolean isRefused = isFuture || isForgotten || (!store.has(event.key()) && !writers.allow(event, from, now));
        counters.refused += isRefused ? 1 : 0;
        return !isRefused;
    }

    /** Returns whether an event may be passed on; counts if not. With a wrong signature the next node would hold it against this one. */
    boolean mayPass(Event event, String from, long now) {
        boolean isAllowed = writers.allow(event, from, now);
        counters.refused += isAllowed ? 0 : 1;
        return isAllowed;
    }

    /** Adds an operation, and tells what turns out differently if others are behind it. Returns whether it is new. */
    boolean insert(Event event) {
        changed = true;
        return store.add(event);
    }

    /** Returns whether there was something new since it was asked last. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    /**
     * Drops what belongs to others, when they have had time to compare, and what is too old to come again. How late it is a node does not
     * know for certain as long as it has heard nobody, or others differ.
     */
    void forget(long now, long wall, boolean isLonely) {
        if (now - movedAt > GIVE_UP_MILLIS && coverage.next() == null) {
            movedAt = NEVER;
            store.keepOnly(group.range());
        }
        if (!settings.paper() && !isLonely && !clocks.isOff()) {
            trim(wall);
        }
    }

    private void trim(long wall) {
        long step = Math.min(TRIM_MILLIS, Math.max(1, settings.retentionMillis() / 4));
        long before = Math.floorDiv(wall - settings.retentionMillis(), step) * step;
        OrderKey next = new OrderKey(FleetClock.timeOf(before), Long.MIN_VALUE);
        if (next.compareTo(cut) > 0) {
            cut = next;
            store.trim(cut);
        }
    }
}
