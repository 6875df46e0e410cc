package io.georep.geopaxos.core;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.StateHead;
import io.georep.geopaxos.core.execution.StateLoading;
import io.georep.geopaxos.core.execution.Truncation;
import io.georep.geopaxos.core.groups.GeoState;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.groups.GroupLogs;
import io.georep.geopaxos.core.groups.StatePages;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;

/**
 * The state that this node has executed: stores it, gives it to other nodes, takes it from them, and forgets the logs
 * up to it.
 */
final class OwnState {
    private final GeoGroups groups;
    private final Rules rules;
    private final Executor executor;
    private final GroupLogs logs;
    private final SeatChanges membership;
    private final StatePages pages;
    private final GeoOutlet outlet;
    private final Truncation truncation;

    OwnState(
            GeoGroups groups,
            Rules rules,
            Executor executor,
            GroupLogs logs,
            SeatChanges membership,
            StatePages pages,
            GeoOutlet outlet) {
        this.groups = groups;
        this.rules = rules;
        this.executor = executor;
        this.logs = logs;
        this.membership = membership;
        this.pages = pages;
        this.outlet = outlet;
        truncation = new Truncation(groups.count());
    }

    /** Begins with what is stored. */
    void boot(GeoRecord stored) {
        Slice head = stored.head();
        if (head != null) {
            StateLoading loading = executor.load();
            stored.pieces().forEach(loading::add);
            restore(StateHead.read(head, groups.count()), loading);
            truncation.booted(executor.slots());
        }
    }

    /** An entry of so many bytes was processed. */
    void processed(long bytes) {
        truncation.processed(bytes);
    }

    /** The log of the first group says up to where logs can be forgotten. */
    void agreed(List<Long> slots) {
        truncation.agreed(slots);
    }

    /** Once in a lease. */
    void repeat(long now) {
        if (pages.expire(now)) {
            outlet.dropStaged();
        }
        truncation.propose(logs.all().get(0).log());
    }

    /** Stores what has changed, if that is much, and forgets what all nodes can forget. */
    void endOfTurn(long now) {
        if (truncation.isDue(executor.slots(), rules)) {
            snapshot();
        }
        List<Long> done = pages.isSending(now) ? List.of() : truncation.passed(rules);
        for (int group = 0; group < Math.min(done.size(), logs.all().size()); group++) {
            logs.all().get(group).log().forget(done.get(group));
        }
    }

    /** Stores what has changed, and says in the log of the first group up to where logs can be forgotten. */
    private void snapshot() {
        executor.changes(outlet::storePiece);
        outlet.storeHead(head());
        truncation.snapshot(executor.slots(), logs.all().get(0).log());
    }

    private Slice head() {
        return StateHead.write(groups.count(), truncation, executor, membership.ordered(), rules);
    }

    private void restore(StateHead head, StateLoading state) {
        executor.restore(head, state);
        membership.restore(head.layout());
        truncation.agreed(head.forgotten());
    }

    /** A node needs it. */
    void behind(NodeId node, long now) {
        pages.behind(node, now, this::pieces);
    }

    private Iterator<StatePiece> pieces() {
        return GeoState.of(head(), logs.all().stream().map(GroupLog::log).toList(), executor.pieces());
    }

    void got(NodeId from, GeoMessage.Got got, long now) {
        pages.got(from, got, now);
    }

    /** A page of the state of another node has come. Returns whether that state has taken the place of this one. */
    boolean onPage(NodeId from, GeoMessage.Page page, long now) {
        GeoState state = pages.page(from, page, now, this::begin);
        return state != null && take(state, now);
    }

    private GeoState begin() {
        outlet.dropStaged();
        return new GeoState(groups.count(), executor.load(), outlet::stage);
    }

    /** Takes what another node has, if that is more in one group at least and this node can process the rest again. */
    private boolean take(GeoState state, long now) {
        if (!state.isNews(logs.all())) {
            outlet.dropStaged();
            return false;
        }
        restore(state.head(), state.executed());
        outlet.takeStaged();
        logs.begin(state, now);
        state.install(logs.all(), executor);
        logs.replay();
        snapshot();
        return true;
    }
}
