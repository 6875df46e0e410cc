package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.LogEntry;
import io.georep.geopaxos.core.GroupEntry.Cut;
import io.georep.geopaxos.core.GroupEntry.Set;
import io.georep.geopaxos.core.GroupEntry.Sync;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Executes what the logs of the groups have decided. The state is a function of how far each log was processed; in which order the
 * entries of different groups came makes no difference, but for operations that do not concern each other.
 *
 * <p>The final timestamp of an operation is the highest that one of its groups gave it. It is executed once that is known, the {@linkplain
 * Rules#hasPassed clocks have passed it}, and nothing earlier is left that has a group in common with it and {@linkplain #meet meets} it.
 */
final class Executor {
    /** The outcome of an attempt. */
    enum Outcome {
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
        /** The client had acknowledged the result, so it is not known any more. */
        FORGOTTEN
    }

    /** Is told what is executed. */
    interface Listener {
        void done(Operation operation, long timestamp, Outcome outcome, Slice result);

        /** A slot of a group is decided, and about to be processed. */
        default void processes(int group, long slot, LogEntry entry) {}

        /** The log of the first group says up to where logs can be forgotten. */
        default void cut(List<Long> slots) {}

        /** The state of another node has taken the place of this one's. */
        default void restored() {}
    }

    private final Service service;
    private final Rules rules;
    private final Listener listener;
    private final Lane[] lanes;
    private final Placement placement;
    private ExecutedTable table = new ExecutedTable();
    private final TreeMap<OpId, Pending> pending = new TreeMap<>();

    /** Those with final timestamps. */
    private final TreeSet<Pending> ready = new TreeSet<>();

    Executor(int groups, int initial, Service service, Rules rules, Listener listener) {
        this.service = service;
        this.rules = rules;
        this.listener = listener;
        placement = new Placement(initial);
        lanes = new Lane[groups];
        for (int group = 0; group < groups; group++) {
            lanes[group] = new Lane();
        }
    }

    Lane lane(int group) {
        return lanes[group];
    }

    Placement placement() {
        return placement;
    }

    Service service() {
        return service;
    }

    ExecutedTable table() {
        return table;
    }

    Collection<Pending> pending() {
        return pending.values();
    }

    /** Whether an attempt stands in the logs of all its groups and does not wait any more. */
    boolean isDone(Operation operation) {
        for (int group = 0; group < lanes.length; group++) {
            if (operation.isOrderedBy(group) && !lanes[group].known.has(operation.id())) {
                return false;
            }
        }
        return !pending.containsKey(operation.id());
    }

    /** A slot of a group is decided. */
    void decided(int group, long slot, LogEntry decided) {
        listener.processes(group, slot, decided);
        Lane lane = lanes[group];
        lane.slot = slot;
        if (decided.kind() != LogEntry.COMMAND) {
            return;
        }
        GroupEntry entry = GroupEntry.read(decided.body());
        if (entry instanceof Set set) {
            set(group, lane, set.operation());
        } else if (entry instanceof Sync sync) {
            sync(group, lane, sync);
        } else if (group == 0 && entry instanceof Cut cut) {
            listener.cut(cut.slots());
        }
        executeAll();
    }

    private void set(int group, Lane lane, Operation operation) {
        if (!lane.known.add(operation.id(), operation.low())) {
            return;
        }
        lane.clock++;
        Pending each = pending.computeIfAbsent(operation.id(), id -> proposed(operation));
        each.stamp(group, lane.clock);
        lane.add(group, each);
        if (each.isFinal()) {
            settle(each);
        }
    }

    /** What a leader proposes itself, before it is decided. */
    Pending proposed(Operation operation) {
        return new Pending(operation, footprint(operation), lanes.length);
    }

    private Footprint footprint(Operation operation) {
        return switch (operation.kind()) {
            case Operation.SERVICE, Operation.READ -> service.footprint(operation.body());
            case Operation.MOVE -> Footprint.objects(Move.read(operation.body()).objects());
            default -> Footprint.EVERYTHING;
        };
    }

    private void sync(int group, Lane lane, Sync sync) {
        lane.clock = Math.max(lane.clock, sync.clock());
        Pending each = pending.get(sync.id());
        if (each == null || !each.operation.isOrderedBy(group)) {
            return;
        }
        each.synced |= 1 << group;
        lane.ripe.put(sync.id(), each);
        if (each.isFinal() && lane.clock >= each.bound()) {
            lane.unsynced.remove(sync.id());
        }
    }

    /** All timestamps are known. */
    private void settle(Pending each) {
        ready.add(each);
        for (int group = 0; group < lanes.length && !each.operation.isSingle(); group++) {
            if (each.operation.isOrderedBy(group) && (!each.isRipeIn(group) || lanes[group].clock < each.bound())) {
                lanes[group].unsynced.put(each.operation.id(), each);
            }
        }
    }

    /** An executed operation can only free later ones, so one pass is enough. */
    private void executeAll() {
        if (ready.isEmpty()) {
            return;
        }
        for (Pending each : List.copyOf(ready)) {
            if (rules.hasPassed(each, lanes) && !isBlocked(each)) {
                remove(each);
                execute(each);
            }
        }
    }

    private void remove(Pending each) {
        ready.remove(each);
        pending.remove(each.operation.id());
        for (int group = 0; group < lanes.length; group++) {
            if (each.operation.isOrderedBy(group)) {
                lanes[group].remove(group, each);
            }
        }
    }

    private boolean isBlocked(Pending each) {
        for (int group = 0; group < lanes.length; group++) {
            if (!each.operation.isOrderedBy(group)) {
                continue;
            }
            for (Pending other :
                    lanes[group].waiting.headMap(each.bound(), true).values()) {
                if (other != each && other.compareTo(each) < 0 && rules.waits(each, other, meet(other, each))) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether every node must execute the earlier one of two operations first. The present state shows to which objects the
     * keys of an operation belong: if the operation's groups are enough for these objects, any earlier operation that would
     * change this is known here and meets it as well. If they are not enough, an earlier move may be about to make them so: of
     * an object that was split off by groups of which this node knows less.
     */
    private boolean meet(Pending earlier, Pending later) {
        if (earlier.footprint.meets(later.footprint)) {
            return true;
        }
        if (earlier.footprint.hasObjects() && !later.footprint.hasObjects()) {
            return uses(later).has(earlier.footprint.objects()) || (rules.waitsUncovered() && !isCovered(later));
        }
        return later.footprint.hasObjects()
                && !earlier.footprint.hasObjects()
                && uses(earlier).has(later.footprint.objects());
    }

    private boolean isCovered(Pending each) {
        Coverage coverage = new Coverage(each.operation.groups());
        service.trace(each.operation.body(), coverage);
        return !coverage.isMissing;
    }

    /** Stops at the first object that others may be changing now: from there on, nodes may see different objects. */
    private final class Coverage implements Service.Accesses {
        final int groups;
        boolean isUsed;
        boolean writes;
        boolean isMissing;

        Coverage(int groups) {
            this.groups = groups;
        }

        @Override
        public boolean use(long object, boolean write) {
            isUsed = true;
            writes |= write;
            isMissing |= !rules.covers(groups, placement.of(object), write);
            return !isMissing;
        }
    }

    private Uses uses(Pending each) {
        return Uses.of(each.operation.body(), service);
    }

    /** Whether a read would pass something that another node may have executed. */
    boolean mayPass(int group, Footprint footprint, Uses uses, Collection<Pending> proposed) {
        for (Pending each : rules.unexecuted(group, lanes[group], proposed)) {
            if (each.footprint.meets(footprint) || uses.has(each.footprint.objects())) {
                return false;
            }
        }
        return true;
    }

    private void execute(Pending each) {
        Operation operation = each.operation;
        switch (operation.kind()) {
            case Operation.SERVICE, Operation.READ -> serve(operation, each);
            case Operation.MOVE -> move(operation, each.bound());
            default -> {
                table.prune();
                listener.done(operation, each.bound(), Outcome.EXECUTED, Slice.EMPTY);
            }
        }
    }

    private void move(Operation operation, long timestamp) {
        Move move = Move.read(operation.body());
        for (long object : move.objects()) {
            // An object that is gone may be gone here only, so it has no groups.
            if (service.has(object) && placement.of(object) == move.from()) {
                placement.put(object, move.to());
            }
        }
        listener.done(operation, timestamp, Outcome.EXECUTED, Slice.EMPTY);
    }

    private void serve(Operation operation, Pending each) {
        long timestamp = each.bound();
        Coverage coverage = new Coverage(operation.groups());
        service.trace(operation.body(), coverage);
        if (coverage.isMissing) {
            listener.done(operation, timestamp, Outcome.UNCOVERED, Slice.EMPTY);
            return;
        }
        if (!coverage.isUsed && each.footprint.hasObjects()) {
            listener.done(operation, timestamp, Outcome.GONE, Slice.EMPTY);
            return;
        }
        if (coverage.writes && operation.kind() == Operation.READ) {
            listener.done(operation, timestamp, Outcome.REFUSED, Slice.EMPTY);
            return;
        }
        Slice before = coverage.writes ? rules.executed(operation, table) : null;
        if (before != null) {
            listener.done(operation, timestamp, Outcome.REPEATED, before);
        } else if (coverage.writes && table.isForgotten(operation.client(), operation.sequence())) {
            listener.done(operation, timestamp, Outcome.FORGOTTEN, Slice.EMPTY);
        } else {
            Slice result = run(operation.body());
            if (coverage.writes) {
                table.put(operation, result);
            }
            listener.done(operation, timestamp, Outcome.EXECUTED, result);
        }
    }

    /** Executes an operation in the present state. */
    Slice run(Slice body) {
        return service.execute(body, placement);
    }

    /** Returns everything, as of the slots that were processed. */
    Slice snapshot() {
        BinWriter out = new BinWriter(1024);
        for (Lane lane : lanes) {
            lane.write(out);
        }
        placement.write(out);
        table.write(out);
        Collection<Pending> kept = rules.kept(pending.values());
        out.varint(kept.size());
        kept.forEach(each -> each.write(out));
        return out.bytes(service.snapshot()).toSlice();
    }

    /**
     * Takes everything from a snapshot.
     *
     * @throws io.georep.codec.MalformedException if it is none; then nothing has changed
     */
    void restore(Slice snapshot) {
        BinReader in = new BinReader(snapshot);
        Lane[] read = Stream.generate(() -> Lane.read(in)).limit(lanes.length).toArray(Lane[]::new);
        Map<Long, Integer> places = Placement.read(in);
        ExecutedTable executed = ExecutedTable.read(in);
        List<Pending> waiting = new ArrayList<>();
        for (int left = in.count(8, "operations"); left > 0; left--) {
            Operation operation = Operation.read(in);
            operation.check(lanes.length);
            Pending each = proposed(operation);
            each.readStamps(in);
            waiting.add(each);
        }
        service.restore(in.bytes());
        System.arraycopy(read, 0, lanes, 0, lanes.length);
        placement.take(places);
        table = executed;
        pending.clear();
        ready.clear();
        waiting.forEach(this::resume);
        listener.restored();
    }

    private void resume(Pending each) {
        pending.put(each.operation.id(), each);
        for (int group = 0; group < lanes.length; group++) {
            if (each.stampIn(group) > 0) {
                lanes[group].add(group, each);
            }
        }
        if (each.isFinal()) {
            settle(each);
        }
    }

    /** Returns up to which slot each log was processed. */
    List<Long> slots() {
        return Stream.of(lanes).map(lane -> lane.slot).toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("pending:");
        for (Map.Entry<OpId, Pending> each : pending.entrySet()) {
            text.append("\n    ").append(each.getValue());
        }
        return text.toString();
    }
}
