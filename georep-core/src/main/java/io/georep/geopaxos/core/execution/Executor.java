package io.georep.geopaxos.core.execution;

import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.GroupEntry.Acked;
import io.georep.geopaxos.core.messages.GroupEntry.Gone;
import io.georep.geopaxos.core.messages.GroupEntry.Set;
import io.georep.geopaxos.core.messages.GroupEntry.Sync;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Executes what the logs of the groups have decided. The state is a function of how far each log was processed; in which order the
 * entries of different groups came makes no difference, except for operations that do not concern each other.
 *
 * <p>The final timestamp of an operation is the highest that one of its groups gave it. It is executed once that is known, the {@linkplain
 * Rules#hasPassed clocks have passed it}, and nothing earlier is left that has a group in common with it and {@linkplain Footprint#meets meets} it.
 */
public final class Executor {
    /** The outcome of an attempt. */
    public enum Outcome {
        /** It was executed now. */
        EXECUTED,
        /** An earlier attempt was executed. */
        REPEATED,
        /** Its groups are not those of the objects any more, so nobody executes it. */
        UNCOVERED,
        /** It changes objects as such, and they are not there: there is nothing to execute. */
        GONE,
        /** It was said to be a read, and would write in this state. */
        REFUSED,
        /** An earlier attempt was executed, and the client has acknowledged that: there is no result any more. */
        FORGOTTEN
    }

    /** Is told what happens to operations and to the state. */
    public interface Listener {
        void done(Operation operation, long timestamp, Outcome outcome, Slice result);

        /** A slot of a group is decided, and about to be processed. */
        default void processes(int group, long slot, LogEntry entry) {}

        /** An attempt that waited is given up: nobody ever executes it. */
        default void dropped(OpId id) {}

        /** The log of the first group says something about all nodes. */
        default void said(GroupEntry entry) {}

        /** The state of another node has taken the place of this one's. */
        default void restored() {}
    }

    private final Service service;
    private final Rules rules;
    private final Listener listener;
    private final Placement placement;
    private final Execution execution;

    /**
     * By group, for all groups that there may ever be: an operation may name one before this node has heard that it was added.
     */
    private final GroupState[] groupStates = new GroupState[GeoGroups.MAX];

    final int founded;

    /** How many groups there are in this state. */
    private int count;

    private final StaleNames stale = new StaleNames();
    private final ExecutedTable table;
    private final Backlog backlog;
    private final StateSaving saving;

    /** Counts executions, so that a reader on another thread sees all of an execution or nothing. */
    public final Changes changes;

    /** Creates an executor of a state with so many groups in the beginning. */
    public Executor(int founded, int initial, Service service, Rules rules, Listener listener) {
        this.founded = founded;
        count = founded;
        this.service = service;
        this.rules = rules;
        this.listener = listener;
        placement = new Placement(initial);
        Arrays.setAll(groupStates, group -> new GroupState());
        service.contents().forEachRemaining(each -> stale.add(Name.object(each.object())));
        table = new ExecutedTable(founded, stale, rules);
        execution = new Execution(service, rules, placement, table, stale, listener);
        changes = execution.changes;
        backlog = new Backlog(groupStates, rules, service, table, execution::isCovered, listener::dropped);
        saving = new StateSaving(service, rules, placement, table, backlog, stale);
    }

    public GroupState groupState(int group) {
        return groupStates[group];
    }

    /** Returns how many groups there are. */
    public int count() {
        return count;
    }

    /** The log of the first group says that there are so many groups from now on. */
    public void begins(int groups) {
        count = Math.max(count, groups);
        table.begins(count);
    }

    public Placement placement() {
        return placement;
    }

    public Service service() {
        return service;
    }

    public ExecutedTable table() {
        return table;
    }

    public Collection<Pending> pending() {
        return backlog.all();
    }

    /** Returns the highest timestamp that one of these groups has given, as far as this node knows. */
    public long clock(int groups) {
        long clock = 0;
        for (int left = groups; left != 0; left &= left - 1) {
            clock = Math.max(clock, groupStates[Integer.numberOfTrailingZeros(left)].clock);
        }
        return clock;
    }

    /** Returns the last incarnation of a contact that a group knows of. */
    public long incarnation(NodeId contact) {
        long last = -1;
        for (GroupState groupState : groupStates) {
            last = Math.max(last, groupState.known.incarnation(contact));
        }
        return last;
    }

    /** Returns whether an attempt stands in the logs of all its groups and does not wait any more. */
    public boolean isDone(Operation operation) {
        for (int left = operation.groups(); left != 0; left &= left - 1) {
            if (!groupStates[Integer.numberOfTrailingZeros(left)].known.has(operation.id())) {
                return false;
            }
        }
        return !waits(operation.id());
    }

    /** Returns whether an attempt comes too late in one of its groups. If it does not wait, nobody executes it any more. */
    public boolean isLate(Operation operation) {
        for (int left = operation.groups(); left != 0; left &= left - 1) {
            if (backlog.isLate(Integer.numberOfTrailingZeros(left), operation)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether an attempt comes too late in one of its groups because its client has acknowledged it. */
    public boolean isForgotten(Operation operation) {
        for (int left = operation.groups(); left != 0; left &= left - 1) {
            if (table.isLate(Integer.numberOfTrailingZeros(left), operation)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether an attempt stands in the log of a group and waits. */
    public boolean waits(OpId id) {
        return backlog.find(id) != null;
    }

    /** A slot of a group is decided. */
    public void decided(int group, long slot, LogEntry decided) {
        listener.processes(group, slot, decided);
        GroupState groupState = groupStates[group];
        BrokenInvariantException.require(
                slot == groupState.slot + 1, "the slots of a log are processed in their order", groupState);
        groupState.slot = slot;
        if (decided.kind() != LogEntry.COMMAND) {
            return;
        }
        GroupEntry entry = GroupEntry.read(decided.body());
        if (entry instanceof Set set) {
            set(group, groupState, set.operation());
        } else if (entry instanceof Sync sync) {
            sync(group, sync);
        } else if (entry instanceof Acked acked) {
            acked.marks().forEach(mark -> table.mark(group, mark));
            backlog.dropLate();
            Map<Long, Long> waiting = backlog.firstNumbers();
            acked.marks().forEach(mark -> table.close(mark.client(), waiting));
        } else if (entry instanceof Gone gone) {
            gone.contacts().forEach(groupState.known::forget);
            backlog.dropLate();
        } else if (group == 0) {
            listener.said(entry);
        }
        executeAll();
    }

    private void set(int group, GroupState groupState, Operation operation) {
        OpId id = operation.id();
        boolean isFirst = groupState.known.incarnation(id.contact()) < id.incarnation();
        if (!groupState.known.add(id, operation.low())) {
            return;
        }
        if (isFirst) {
            backlog.dropLate();
        }
        if (table.isLate(group, operation)) {
            return;
        }
        backlog.advance(group, groupState.next(operation));
        Pending each = backlog.find(id);
        if (each == null) {
            each = waiting(operation);
            if (operation.isSingle() && backlog.isEmpty()) { // nothing can be in its way, or wait for it
                each.stamp(group, groupState.clock);
                execution.execute(each);
                return;
            }
            each.locate(service);
            backlog.put(each);
        }
        backlog.stamp(group, each);
        backlog.dropLate(each);
    }

    /** Returns whether at least this many times the bound waits. */
    public boolean isFull(int times) {
        return backlog.isFull(times);
    }

    /** Returns whether an operation would wait for another one in a group. */
    public boolean waits(int group, Footprint footprint, Uses uses) {
        return groupStates[group].waits.any(footprint, uses.numbers()) != null;
    }

    /** Returns whether an operation would wait in one of its groups for one that some of these have not ordered. */
    public boolean waitsFor(int missing, int groups, Footprint footprint, Uses uses) {
        for (int left = groups; left != 0; left &= left - 1) {
            Conflicts waits = groupStates[Integer.numberOfTrailingZeros(left)].waits;
            if (waits.any(footprint, uses.numbers(), each -> (each.missing() & missing) != 0) != null) {
                return true;
            }
        }
        return false;
    }

    public Footprint footprint(int kind, Slice body) {
        return switch (kind) {
            case Operation.MOVE -> Footprint.objects(Move.read(body).objects());
            default -> service.footprint(body);
        };
    }

    private void sync(int group, Sync sync) {
        backlog.advance(group, sync.clock());
        Pending each = backlog.find(sync.id());
        if (each != null && each.operation.isOrderedBy(group)) {
            backlog.synced(group, each);
        }
    }

    private void executeAll() {
        for (Pending each = backlog.next(); each != null; each = backlog.next()) {
            backlog.executed(each, execution.execute(each));
        }
    }

    /**
     * Returns what a read would pass, and another node may have executed; null if there is nothing.
     *
     * @param given only what has a timestamp of the group up to this one
     */
    @Nullable
    public Pending ahead(int group, Footprint footprint, Uses uses, long given) {
        return rules.ahead(groupStates[group], footprint, uses, each -> each.stampIn(group) <= given);
    }

    /** Executes an operation in the present state. */
    public Slice run(Slice body) {
        return execution.run(body);
    }

    /** Returns everything of this moment but the states of the groups. */
    public Iterator<StatePiece> pieces() {
        return saving.pieces();
    }

    /** Tells what has changed since it was asked last: null for what is gone. */
    public void changes(BiConsumer<Name, @Nullable Slice> sink) {
        saving.changes(sink);
    }

    ExecutedTable emptyTable() {
        return new ExecutedTable(founded, new StaleNames(), rules);
    }

    public StateLoading load() {
        return new StateLoading(this);
    }

    /** Returns what an operation is while it waits. */
    Pending waiting(Operation operation) {
        return new Pending(operation, footprint(operation.kind(), operation.body()), founded);
    }

    /**
     * Takes another state in the place of this one.
     *
     * @throws io.georep.codec.MalformedException if it is none; then nothing has changed
     */
    public void restore(StateHead head, StateLoading state) {
        changes.begin();
        try {
            state.finish();
            placement.take(state.places);
        } finally {
            changes.end();
        }
        count = head.groupStates().size();
        Arrays.setAll(groupStates, group -> group < count ? head.groupStates().get(group) : new GroupState());
        table.take(state.table, count);
        stale.clear();
        backlog.clear();
        for (Pending each : state.waiting) {
            each.locate(service);
            backlog.resume(each);
        }
        listener.restored();
    }

    /** Returns up to which slot each log was processed. */
    public List<Long> slots() {
        return Stream.of(groupStates)
                .limit(count)
                .map(groupState -> groupState.slot)
                .toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("pending:");
        backlog.all().forEach(each -> text.append("\n    ").append(each));
        return text.toString();
    }
}
