package io.georep.geopaxos.core;

import io.georep.consensus.LogMessage;
import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.model.NodeId;
import java.util.List;

/**
 * Whether a group has gone on without what this node has executed. What else it executes may be wrong then, so it executes nothing and forgets
 * nothing, and only votes: where it has a vote, and as long as there is room for what it votes for.
 */
final class LeftBehind {
    private final List<GroupLog> logs;
    private final Executor executor;
    private final GeoOutlet outlet;

    LeftBehind(List<GroupLog> logs, Executor executor, GeoOutlet outlet) {
        this.logs = logs;
        this.executor = executor;
        this.outlet = outlet;
    }

    boolean holds() {
        for (GroupLog each : logs) {
            if (each.log().allegiance().hasEnded()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether this node takes a message of a log. Dropped, it is as if it was lost on its way. */
    boolean takes(GeoMessage.Log it) {
        ReplicatedLog log = logs.get(it.group()).log();
        if (!(it.message() instanceof LogMessage.Accept) || log.allegiance().hasEnded() || !holds()) {
            return true; // what has ended takes nothing, and says so
        }
        boolean hasVote = log.hasSeat();
        boolean isFull = GroupLog.bytes(logs) >= executor.service().keptBytesMax();
        if (hasVote && isFull) {
            outlet.notice(new GeoEvent.LeftFull(it.group()));
        }
        return hasVote && !isFull;
    }

    /** A node needs what is forgotten here, and the state of this node has what is lost elsewhere. */
    void cannotTeach(int group, NodeId member, long now) {
        if (logs.get(group).isDead(now)) {
            outlet.notice(new GeoEvent.LeftUntold(group, member));
        }
    }
}
