package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Clients that do one thing after the other, each time at another node. What a session has written or seen it sees again,
 * or something later.
 */
final class Sessions {
    private static final class Session {
        final Map<Slice, OrderKey> seen = new HashMap<>();
        OrderKey after = OrderKey.FIRST;
        boolean waits;
    }

    private final FleetSimulation fleet;
    private final List<Session> sessions = new ArrayList<>();
    long reads;
    final List<String> backInTime = new ArrayList<>();

    Sessions(FleetSimulation fleet, int count) {
        this.fleet = fleet;
        for (int i = 0; i < count; i++) {
            sessions.add(new Session());
        }
    }

    /** Those who have had their answers ask the next thing. */
    void go() {
        for (Session session : sessions) {
            if (!session.waits) {
                ask(session);
            }
        }
    }

    private void ask(Session session) {
        boolean reads = fleet.random.nextInt(3) > 0;
        Slice key = Slice.utf8("key" + fleet.random.nextInt(fleet.run.keys));
        FleetOperation.Kind kind = reads ? FleetOperation.Kind.GET : FleetOperation.Kind.PUT;
        FleetConsistency consistency =
                fleet.random.nextBoolean() ? FleetConsistency.CONVERGING : FleetConsistency.ORDERED;
        FleetOperation operation = fleet.operation(kind, key);
        session.waits = true;
        if (fleet.submit(
                        fleet.any(),
                        operation,
                        consistency,
                        session.after,
                        1,
                        outcome -> answered(session, key, outcome))
                == null) {
            session.waits = false;
        }
    }

    private void answered(Session session, Slice key, Outcome outcome) {
        session.waits = false;
        if (outcome.status() == Outcome.Status.UNSURE) {
            return;
        }
        OrderKey known = session.seen.getOrDefault(key, OrderKey.FIRST);
        OrderKey found = outcome.status() == Outcome.Status.FOUND ? outcome.version() : outcome.place();
        if (outcome.status() == Outcome.Status.FOUND) {
            reads++;
        }
        if (found.compareTo(known) < 0) {
            backInTime.add(fleet.now + ": " + key + " was of " + known + " and is of " + found);
        }
        session.seen.put(key, OrderKey.max(known, found));
        session.after = OrderKey.max(session.after, OrderKey.max(outcome.place(), outcome.version()));
    }
}
