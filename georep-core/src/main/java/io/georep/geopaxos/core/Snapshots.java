package io.georep.geopaxos.core;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.StateHead;
import io.georep.geopaxos.core.execution.StateLoading;
import io.georep.geopaxos.core.execution.Truncation;
import io.georep.geopaxos.core.groups.GeoState;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;

/** The state of a node as it is stored, read back, and sent to others; and what the logs can forget because of that. */
final class Snapshots {
    private final int founded;
    private final Executor executor;
    private final SeatChanges membership;
    private final Truncation truncation;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final GeoOutlet outlet;

    Snapshots(
            int founded,
            Executor executor,
            SeatChanges membership,
            Truncation truncation,
            List<GroupLog> logs,
            Rules rules,
            GeoOutlet outlet) {
        this.founded = founded;
        this.executor = executor;
        this.membership = membership;
        this.truncation = truncation;
        this.logs = logs;
        this.rules = rules;
        this.outlet = outlet;
    }

    /** Takes a snapshot if it is time, and lets the logs forget what all nodes have executed and the last snapshot has. */
    void endOfTurn(boolean isSending) {
        if (truncation.isDue(executor.slots(), rules)) {
            take();
        }
        List<Long> done = isSending ? List.of() : truncation.passed(rules);
        for (int group = 0; group < Math.min(done.size(), logs.size()); group++) {
            logs.get(group).log().forget(done.get(group));
        }
    }

    /** Stores what has changed, and says in the log of the first group up to where logs can be forgotten. */
    void take() {
        executor.changes(outlet::storePiece);
        outlet.storeHead(head());
        truncation.snapshot(executor.slots(), logs.get(0).log());
    }

    private Slice head() {
        return StateHead.write(founded, truncation, executor, membership.ordered(), rules);
    }

    /** Takes a state that was stored, or came from another node. */
    void restore(StateHead head, StateLoading state) {
        executor.restore(head, state);
        membership.restore(head.layout());
        truncation.agreed(head.forgotten());
    }

    /** Returns all of this moment, with what is left of the logs. */
    Iterator<StatePiece> whole() {
        return GeoState.of(head(), logs.stream().map(GroupLog::log).toList(), executor.pieces());
    }
}
