package io.georep.geopaxos.core;

import java.util.List;

/**
 * Lets all nodes forget the results that clients have acknowledged, once there are many. All groups order that and everything waits
 * meanwhile, so one node asks for it: the leader of the first group.
 */
final class Forgetting {
    private final Contact contact;
    private final Executor executor;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final long patience;
    private final Runnable asker;

    /** It may be refused. */
    private long askedAt;

    private boolean hasAsked;

    Forgetting(
            Contact contact, Executor executor, List<GroupLog> logs, Rules rules, long patience, Runnable asker) {
        this.contact = contact;
        this.executor = executor;
        this.logs = logs;
        this.rules = rules;
        this.patience = patience;
        this.asker = asker;
    }

    void endOfTurn(long now) {
        boolean isUnderWay = contact.stepOn();
        if (isUnderWay
                || executor.table().acknowledged() < rules.acknowledgedBytes
                || !logs.get(0).log().leads()
                || (hasAsked && now - askedAt < patience)) {
            return;
        }
        hasAsked = true;
        askedAt = now;
        asker.run();
    }
}
