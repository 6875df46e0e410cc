package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.Slice;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The operations that stand in the logs and are not executed yet. An operation is looked at again only when something happens
 * that it waits for, however many others wait.
 */
final class Backlog {
    private final GroupState[] groupStates;
    private final Rules rules;
    private final Service service;
    private final ExecutedTable table;

    /** Whether the groups of an operation are enough for the objects that it uses. */
    private final Predicate<Operation> isCovered;

    /** Is told of each operation that no node will execute. */
    private final Consumer<OpId> dropped;

    private final TreeMap<OpId, Pending> pending = new TreeMap<>();

    /** Bytes of the bodies of all operations here. */
    private long bytes;

    /** The operations that have changed since the last snapshot or are gone, by the names of their pieces. */
    private final TreeMap<StatePiece.Name, Pending> stale = new TreeMap<>();

    /** The operations to look at next. Their timestamps are final. */
    private final TreeSet<Pending> candidates = new TreeSet<>();

    /** The operations whose groups are not enough as far as this node knows, though earlier moves may change that. */
    private final TreeSet<Pending> uncovered = new TreeSet<>();

    Backlog(
            GroupState[] groupStates,
            Rules rules,
            Service service,
            ExecutedTable table,
            Predicate<Operation> isCovered,
            Consumer<OpId> dropped) {
        this.groupStates = groupStates;
        this.rules = rules;
        this.service = service;
        this.table = table;
        this.isCovered = isCovered;
        this.dropped = dropped;
    }

    Collection<Pending> all() {
        return pending.values();
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    @Nullable
    Pending find(OpId id) {
        return pending.get(id);
    }

    /** Returns whether at least this many times the bound waits. */
    boolean isFull(int times) {
        return pending.size() >= times * rules.waitingMax || bytes / times >= rules.waitingBytesMax;
    }

    void put(Pending each) {
        pending.put(each.operation.id(), each);
        bytes += each.operation.body().length();
    }

    void clear() {
        pending.clear();
        bytes = 0;
        stale.clear();
        candidates.clear();
        uncovered.clear();
    }

    /** Tells what has changed since it was asked last: null for what is gone. */
    void changes(BiConsumer<StatePiece.Name, @Nullable Slice> sink) {
        stale.forEach((name, each) -> {
            boolean waits = pending.get(each.operation.id()) == each;
            if (waits || each.isStored) {
                sink.accept(name, waits ? each.content() : null);
            }
            each.isStored = waits;
        });
        stale.clear();
    }

    /** Takes an operation to which the group gives its next timestamp. */
    void stamp(int group, Pending each) {
        unindex(each);
        each.stamp(group, groupStates[group].clock);
        stale.put(Objects.requireNonNull(each.name), each);
        index(each);
        free(each);
        if (each.isFinal()) {
            settle(each);
        }
    }

    /** Takes an operation from a snapshot, with the timestamps that it has there. */
    void resume(Pending each) {
        put(each);
        index(each);
        if (each.isFinal()) {
            settle(each);
        }
    }

    private void index(Pending each) {
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            if (each.stampIn(group) > 0) {
                groupStates[group].add(group, each);
            }
        }
    }

    private void unindex(Pending each) {
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            if (each.stampIn(group) > 0) {
                groupStates[group].remove(each);
            }
        }
    }

    /** Called when all timestamps of an operation are known. */
    private void settle(Pending each) {
        candidates.add(each);
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            boolean passed = groupStates[group].clock >= each.bound();
            if (!passed) {
                groupStates[group].ahead.add(each);
            }
            if (!each.operation.isSingle() && !(passed && each.isRipeIn(group))) {
                groupStates[group].unsynced(each);
            }
        }
    }

    /** Called when the log of the group has a SYNC for an operation. */
    void synced(int group, Pending each) {
        GroupState groupState = groupStates[group];
        each.synced |= 1 << group;
        stale.put(Objects.requireNonNull(each.name), each);
        if (each.stampIn(group) > 0) {
            groupState.ripe.add(each);
        }
        if (each.isFinal()) {
            candidates.add(each);
            if (groupState.clock >= each.bound()) {
                groupState.unsynced.remove(each.operation.id());
            }
        }
    }

    /** Called when the clock of the group has moved. */
    void advance(int group, long clock) {
        GroupState groupState = groupStates[group];
        groupState.clock = Math.max(groupState.clock, clock);
        while (!groupState.ahead.isEmpty() && groupState.ahead.first().bound() <= groupState.clock) {
            Pending passed = groupState.ahead.pollFirst();
            candidates.add(passed);
            if (passed.isRipeIn(group)) {
                groupState.unsynced.remove(passed.operation.id());
            }
        }
    }

    /** Removes and returns an operation whose turn has come; null if there is none. */
    @Nullable
    Pending next() {
        for (Pending each = candidates.pollFirst(); each != null; each = candidates.pollFirst()) {
            if (pending.get(each.operation.id()) == each && rules.hasPassed(each, groupStates) && !isBlocked(each)) {
                remove(each);
                return each;
            }
        }
        return null;
    }

    private void remove(Pending each) {
        pending.remove(each.operation.id());
        bytes -= each.operation.body().length();
        stale.put(Objects.requireNonNull(each.name), each);
        uncovered.remove(each);
        unindex(each);
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            groupStates[group].ahead.remove(each);
            groupStates[group].unsynced.remove(each.operation.id());
        }
    }

    /**
     * Returns whether it waits for an earlier one. If its groups are not enough, an earlier move may be about to
     * change that: the move of an object that was split off in groups whose logs this node knows less of.
     */
    private boolean isBlocked(Pending each) {
        boolean mayBeUncovered = false;
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            Pending before = groupStates[group].waits.before(each, rules);
            if (before != null) {
                before.waiters.add(each);
                return true;
            }
            mayBeUncovered |= groupStates[group].waits.structuralBefore(each, rules) != null;
        }
        return mayBeUncovered && each.hasKeys() && rules.waitsUncovered() && waitsUncovered(each);
    }

    private boolean waitsUncovered(Pending each) {
        if (isCovered.test(each.operation)) {
            return false;
        }
        uncovered.add(each);
        for (int left = each.operation.groups(); left != 0; left &= left - 1) {
            int group = Integer.numberOfTrailingZeros(left);
            Pending before = groupStates[group].waits.structuralBefore(each, rules);
            if (before != null) {
                before.waiters.add(each);
                return true;
            }
        }
        return true;
    }

    /** Returns whether an attempt comes too late in a group: after a later incarnation of its contact, or its acknowledgement. */
    boolean isLate(int group, Operation operation) {
        return groupStates[group].known.isLate(operation.id()) || table.isLate(group, operation);
    }

    /** Drops attempts that come too late in a group from now on. */
    void dropLate() {
        for (GroupState groupState : groupStates) {
            List.copyOf(groupState.partial.values()).forEach(this::dropLate);
        }
    }

    /** Drops an attempt that comes too late in a group whose log lacks it: nobody ever executes it. */
    void dropLate(Pending each) {
        for (int left = each.missing(); left != 0; left &= left - 1) {
            if (isLate(Integer.numberOfTrailingZeros(left), each.operation)) {
                remove(each);
                executed(each, List.of());
                dropped.accept(each.operation.id());
                return;
            }
        }
    }

    /** Returns the first number of each client that waits. */
    Map<Long, Long> firstNumbers() {
        Map<Long, Long> first = new HashMap<>();
        for (Pending each : pending.values()) {
            Operation operation = each.operation;
            if (operation.isNumbered()) {
                first.merge(operation.client(), operation.sequence(), Math::min);
            }
        }
        return first;
    }

    /** Looks again at the operations that waited for this one. */
    private void free(Pending each) {
        candidates.addAll(each.waiters);
        each.waiters.clear();
    }

    /**
     * An operation was executed, or is given up.
     *
     * @param changed objects whose keys may be in others now
     */
    void executed(Pending done, List<Long> changed) {
        free(done);
        if (done.operation.isNumbered() && table.isClosable(done.operation.client())) {
            table.close(done.operation.client(), firstNumbers());
        }
        if (done.footprint.hasObjects() || !changed.isEmpty()) {
            candidates.addAll(uncovered);
            uncovered.clear();
        }
        TreeMap<OpId, Pending> moved = new TreeMap<>();
        for (long object : changed) {
            for (GroupState groupState : groupStates) {
                groupState.waits.users(object).forEach(each -> moved.put(each.operation.id(), each));
            }
        }
        for (Pending each : moved.values()) {
            unindex(each);
            each.locate(service);
            index(each);
            if (each.isFinal()) {
                candidates.add(each);
            }
        }
    }
}
