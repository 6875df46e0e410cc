package io.georep.geopaxos.core.groups;

import io.georep.consensus.Ballot;
import io.georep.consensus.LogRecord;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The logs of all groups on this node, and what it does as their leader. A group that is added begins here once this node has processed
 * the entry of the first group that says so: what the others ask in it before that is asked again.
 */
public final class GroupLogs {
    private final Seat seat;
    private final GeoGroups groups;
    private final List<LogRecord> stored;
    private final RandomGenerator random;
    private final GroupLog.Host host;
    private final GeoOutlet outlet;
    private final Executor executor;
    private final List<GroupLog> logs = new ArrayList<>();
    private final List<GroupLeader> leaders = new ArrayList<>();

    public GroupLogs(
            NodeId self,
            GeoGroups groups,
            GeoRecord stored,
            RandomGenerator random,
            GroupLog.Host host,
            GeoOutlet outlet,
            Executor executor) {
        seat = new Seat(self, stored.store());
        this.groups = groups;
        this.stored = stored.logs();
        this.random = random;
        this.host = host;
        this.outlet = outlet;
        this.executor = executor;
    }

    /** Returns those that there are, and those that come later as well. */
    public List<GroupLog> all() {
        return logs;
    }

    public List<GroupLeader> leaders() {
        return leaders;
    }

    /** Begins a boot with the groups of the state that is stored. */
    public void boot(long now) {
        while (logs.size() < executor.count()) {
            open(stored.get(logs.size()), now);
        }
    }

    /** The log of the first group says which groups there are. This node may have voted in one in an earlier boot. */
    public void begin(List<List<NodeId>> voters, long now) {
        executor.begins(voters.size());
        while (logs.size() < voters.size()) {
            int group = logs.size();
            begin(LogRecord.empty(voters.get(group)).seats(), now);
            logs.get(group).replay(executor.groupState(group).slot);
        }
    }

    /** A state of another node has more groups. */
    public void begin(GeoState state, long now) {
        while (logs.size() < executor.count()) {
            begin(state.log(logs.size()).seats(), now);
        }
    }

    /** The seats are stored, so that a boot knows this log without the entry that began it. */
    private void begin(Seats seats, long now) {
        int group = logs.size();
        if (group < stored.size()) {
            open(stored.get(group), now);
        } else {
            outlet.storeBase(group, 0, seats);
            open(new LogRecord(Ballot.NONE, 0, seats, 0, List.of()), now);
        }
    }

    private void open(LogRecord record, long now) {
        int group = logs.size();
        GroupLog log = new GroupLog(group, seat, groups, record, random, host, outlet, now);
        logs.add(log);
        leaders.add(new GroupLeader(seat.node(), log, executor));
    }

    /** What is decided meanwhile may begin another one. */
    public void endOfTurn(long now) {
        for (int group = 0; group < logs.size(); group++) {
            leaders.get(group).endOfTurn();
        }
        for (int group = 0; group < logs.size(); group++) {
            logs.get(group).log().endOfTurn(now);
        }
    }

    /** Processes again what is known to be decided, and not in the state. A log may begin by that. */
    public void replay() {
        for (int group = 0; group < logs.size(); group++) {
            logs.get(group).replay(executor.groupState(group).slot);
        }
    }
}
