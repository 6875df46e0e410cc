package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.contact.Contact.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.Operation;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lets all nodes forget the results that clients have acknowledged, once there are many. All groups order that and everything waits
 * meanwhile, so one node asks for it: the leader of the first group.
 */
public final class Forgetting {
    private final Contact contact;
    private final Executor executor;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final GeoGroups groups;
    private final Consumer<Call> orderer;

    /** It may be refused. */
    private long askedAt;

    private boolean hasAsked;

    public Forgetting(
            Contact contact,
            Executor executor,
            List<GroupLog> logs,
            Rules rules,
            GeoGroups groups,
            Consumer<Call> orderer) {
        this.contact = contact;
        this.executor = executor;
        this.logs = logs;
        this.rules = rules;
        this.groups = groups;
        this.orderer = orderer;
    }

    public void endOfTurn(long now) {
        boolean isUnderWay = contact.stepOn();
        if (isUnderWay
                || executor.table().acknowledged() < rules.acknowledgedBytes
                || !logs.get(0).log().leads()
                || (hasAsked && now - askedAt < groups.timing().lease())) {
            return;
        }
        hasAsked = true;
        askedAt = now;
        orderer.accept(new Call(0, Operation.PRUNE, 0, 0, 0, groups.all(), Operation.prune(new long[0])));
    }
}
