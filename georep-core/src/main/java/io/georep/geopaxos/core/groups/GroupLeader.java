package io.georep.geopaxos.core.groups;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.GroupState;
import io.georep.geopaxos.core.execution.Pending;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** What this node does as the leader of a group. */
public final class GroupLeader {
    /**
     * The most operations that wait for room in the log, and the most bytes of them. Others are dropped, and their
     * contacts ask again.
     */
    private static final int QUEUED_MAX = 50_000;

    private static final long QUEUED_BYTES_MAX = 64L << 20;

    private final NodeId self;
    private final int group;
    private final GroupLog groupLog;
    private final ReplicatedLog log;
    private final Executor executor;

    /** Attempts that it has proposed and does not know to be decided. */
    private final Set<OpId> proposed = new HashSet<>();

    private final TreeMap<Long, OpId> slots = new TreeMap<>();

    /** Operations for which it has proposed a SYNC, by the slot. */
    private final TreeMap<Long, OpId> syncs = new TreeMap<>();

    /** The operations for which the log had no room, in the order in which they came. */
    private final LinkedHashMap<OpId, Operation> queued = new LinkedHashMap<>();

    private long queuedBytes;

    /** The timestamp to which the latest proposed SET moves the clock at least, unless it comes too late. */
    private long reached;

    /** The slot of that SET. */
    private long reaches;

    private boolean led;

    GroupLeader(NodeId self, GroupLog groupLog, Executor executor) {
        this.self = self;
        this.groupLog = groupLog;
        group = groupLog.group();
        log = groupLog.log();
        this.executor = executor;
    }

    private GroupState groupState() {
        return executor.groupState(group);
    }

    /** Gives an operation a place in the log, unless it has one. */
    public void order(Operation operation) {
        OpId id = operation.id();
        if (!log.leads() || proposed.contains(id) || queued.containsKey(id) || isOver(operation)) {
            return;
        }
        boolean isProposed = queued.isEmpty() && propose(operation);
        if (!isProposed && queued.size() < QUEUED_MAX && queuedBytes < QUEUED_BYTES_MAX) {
            queued.put(id, operation);
            queuedBytes += operation.body().length();
        }
    }

    private boolean isOver(Operation operation) {
        return groupState().known.has(operation.id()) || executor.table().isLate(group, operation);
    }

    private boolean propose(Operation operation) {
        long slot = log.propose(new GroupEntry.Set(operation).encode());
        if (slot > 0) {
            proposed.add(operation.id());
            slots.put(slot, operation.id());
            if (operation.isSingle() || operation.isAtOnce()) {
                groupLog.inFlight().proposed(slot, operation, executor.footprint(operation.kind(), operation.body()));
            }
            long to = groupState().next(operation);
            if (to > reached) {
                reached = to;
                reaches = slot;
            }
            share(slot, operation, !operation.isSingle());
        }
        return slot > 0;
    }

    /**
     * Lets the others who wait for the entry learn of it along the shortest way. If nobody else waits, nobody knows
     * before this leader that it is decided, so leased reads need not wait for it.
     */
    private void share(long slot, Operation operation, boolean isWaitedForByLeaders) {
        boolean isWaitedFor = isWaitedForByLeaders || !operation.id().contact().equals(self);
        if (isWaitedFor && log.share(slot)) {
            groupLog.inFlight().shared(slot);
        }
    }

    private void proposeQueued() {
        while (!queued.isEmpty()) {
            Operation first = queued.values().iterator().next();
            if (!isOver(first) && !propose(first)) {
                return;
            }
            queued.remove(first.id());
            queuedBytes -= first.body().length();
        }
    }

    /** Proposes what the state of the group asks for. */
    void endOfTurn() {
        GroupState groupState = groupState();
        if (!log.leads()) {
            proposed.clear();
            slots.clear();
            syncs.clear();
            groupState.due.clear();
            queued.clear();
            queuedBytes = 0;
            reached = 0;
            reaches = 0;
            if (led) {
                groupLog.resigned();
            }
            led = false;
            return;
        }
        if (!led) {
            groupState.due.addAll(groupState.unsynced.keySet());
            led = true;
        }
        while (!slots.isEmpty() && slots.firstKey() <= groupState.slot) {
            proposed.remove(slots.pollFirstEntry().getValue());
        }
        // Another entry may have got the slot, or the clock was to be moved farther.
        while (!syncs.isEmpty() && syncs.firstKey() <= groupState.slot) {
            groupState.due.add(syncs.pollFirstEntry().getValue());
        }
        if (syncAll(groupState)) {
            proposeQueued();
        }
    }

    /** Proposes the SYNCs that are due; returns whether there was room. Of those at once, the latest one moves the clock past all. */
    private boolean syncAll(GroupState groupState) {
        Pending last = null;
        for (OpId id = groupState.due.pollFirst(); id != null; id = groupState.due.pollFirst()) {
            Pending each = groupState.unsynced.get(id);
            if (each != null && each.operation.isAtOnce()) {
                last = last == null || last.bound() < each.bound() ? each : last;
            } else if (each != null && !sync(each)) {
                groupState.due.add(id);
                if (last != null) {
                    groupState.due.add(last.operation.id());
                }
                return false;
            }
        }
        if (last != null && last.bound() <= reached && reaches > groupState.slot) {
            // What is under way moves the clock past it, unless it comes too late.
            syncs.merge(reaches, last.operation.id(), (one, other) -> later(groupState, one, other));
        } else if (last != null && !sync(last)) {
            groupState.due.add(last.operation.id());
            return false;
        }
        return true;
    }

    /** Returns which of two has the later timestamp; any if that needs no SYNC any more. */
    private static OpId later(GroupState groupState, OpId one, OpId other) {
        Pending first = groupState.unsynced.get(one);
        Pending second = groupState.unsynced.get(other);
        return first != null && (second == null || first.bound() > second.bound()) ? one : other;
    }

    private boolean sync(Pending each) {
        OpId id = each.operation.id();
        long slot = log.propose(new GroupEntry.Sync(id, each.bound()).encode());
        if (slot > 0) {
            syncs.put(slot, id);
            groupLog.inFlight().proposed(slot, each.operation, each.footprint);
            share(slot, each.operation, each.operation.isAtOnce()); // then it is for others as well
        }
        return slot > 0;
    }

    /**
     * Says in the log which numbers of clients come there no more, if that is needed, and which contacts take part no
     * more. Once in a lease, so that it is not said twice.
     *
     * @param present the nodes that take part
     */
    public void forget(Set<NodeId> present) {
        List<GroupEntry.Mark> due = log.leads() ? executor.table().due(group) : List.of();
        if (!due.isEmpty()) {
            log.propose(new GroupEntry.Acked(due).encode());
        }
        if (log.leads() && !present.containsAll(groupState().known.contacts())) {
            List<NodeId> gone = new ArrayList<>(groupState().known.contacts());
            gone.removeAll(present);
            log.propose(new GroupEntry.Gone(gone).encode());
        }
    }

    /**
     * Returns operations that stand in this log and not yet in those of other groups. If the contact of one is gone, nobody
     * else tells those groups.
     */
    public List<Operation> orphans() {
        return log.leads()
                ? groupState().partial.values().stream()
                        .map(each -> each.operation)
                        .toList()
                : List.of();
    }
}
