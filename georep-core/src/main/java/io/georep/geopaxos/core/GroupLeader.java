package io.georep.geopaxos.core;

import io.georep.consensus.ReplicatedLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** What this node does as the leader of a group. */
final class GroupLeader {
    private final int group;
    private final ReplicatedLog log;
    private final Executor executor;

    /** Attempts that it has proposed and does not know to be decided. */
    private final TreeMap<OpId, Pending> proposed = new TreeMap<>();

    private final TreeMap<Long, OpId> slots = new TreeMap<>();

    /** The slot that it has proposed for the SYNC of an operation. */
    private final TreeMap<OpId, Long> syncs = new TreeMap<>();

    GroupLeader(int group, ReplicatedLog log, Executor executor) {
        this.group = group;
        this.log = log;
        this.executor = executor;
    }

    private Lane lane() {
        return executor.lane(group);
    }

    /** Gives an operation a place in the log, unless it has one. */
    void order(Operation operation) {
        if (!log.leads() || proposed.containsKey(operation.id()) || lane().known.has(operation.id())) {
            return;
        }
        long slot = log.propose(new GroupEntry.Set(operation).encode());
        if (slot > 0) {
            proposed.put(operation.id(), executor.proposed(operation));
            slots.put(slot, operation.id());
        }
    }

    /** Proposes what the state of the group asks for. */
    void endOfTurn() {
        if (!log.leads()) {
            proposed.clear();
            slots.clear();
            syncs.clear();
            return;
        }
        while (!slots.isEmpty() && slots.firstKey() <= lane().slot) {
            proposed.remove(slots.pollFirstEntry().getValue());
        }
        syncs.values().removeIf(slot -> slot <= lane().slot);
        for (Pending each : lane().unsynced.values()) {
            OpId id = each.operation.id();
            if (!syncs.containsKey(id)) {
                long slot = log.propose(new GroupEntry.Sync(id, each.bound()).encode());
                if (slot == 0) {
                    return;
                }
                syncs.put(id, slot);
            }
        }
    }

    /** Proposals that it does not know to be decided. */
    Collection<Pending> proposed() {
        return proposed.values();
    }

    /**
     * Returns operations that stand in this log and not yet in those of other groups. If the contact of one is gone, nobody
     * else tells those groups.
     */
    List<Operation> orphans() {
        List<Operation> orphans = new ArrayList<>();
        for (Pending each : lane().waiting.values()) {
            if (each.missing() != 0) {
                orphans.add(each.operation);
            }
        }
        return log.leads() ? orphans : List.of();
    }
}
