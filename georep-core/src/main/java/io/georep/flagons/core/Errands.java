package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Operations that do not wait for the order: they are passed on to a member of the group that has their key. */
final class Errands {
    private static final int HOPS_MAX = 24;

    private final GroupView group;
    private final Replica replica;
    private final Requests requests;
    private final Outlet out;
    private final FleetCounters counters;
    private final RandomGenerator random;

    Errands(
            GroupView group,
            Replica replica,
            Requests requests,
            Outlet out,
            FleetCounters counters,
            RandomGenerator random) {
        this.group = group;
        this.replica = replica;
        this.requests = requests;
        this.out = out;
        this.counters = counters;
        this.random = random;
    }

    /**
     * Does it here or passes it on.
     *
     * @param from who has brought it
     * @param reached this node has heard of everything up to here
     * @return whether it is not done here
     */
    boolean take(FleetMessage.Errand errand, String from, long now, OrderKey reached, long wall) {
        Event event = errand.event();
        FleetOperation operation = event.operation();
        boolean isOwn = group.range().has(operation.position());
        if (isOwn && errand.isCopy() && operation.changes()) {
            // Also by a node that has not everything yet: what comes now it would not look for.
            change(errand, from, now, wall);
            return false;
        }
        boolean isAnswered = replica.answersFor(operation)
                && (errand.latest() || errand.after().compareTo(reached) <= 0);
        if (isAnswered && operation.changes()) {
            change(errand, from, now, wall);
        } else if (isAnswered && operation.kind() == FleetOperation.Kind.LIST) {
            // What was put past the order a moment ago passes by at nobody, so it must be in the page.
            Slice page = Page.of(replica.store, operation.key(), group.range(), OrderKey.LAST)
                    .write();
            answer(event, new Outcome(Outcome.Status.FOUND, reached, page, OrderKey.FIRST));
        } else if (isAnswered) {
            OrderKey at = errand.latest() ? OrderKey.LAST : reached;
            KeyHistory.State state = replica.store.look(operation.key(), at);
            OrderKey place = OrderKey.max(reached, state.version());
            answer(event, new Outcome(Outcome.Status.FOUND, place, state.value(), state.version()));
        } else if (errand.hops() < HOPS_MAX && !errand.isCopy() && replica.mayPass(event, from, now)) {
            pass(errand);
        }
        return !isAnswered;
    }

    private void change(FleetMessage.Errand errand, String from, long now, long wall) {
        Event event = errand.event();
        if (!replica.isAcceptable(event, from, now, wall)) {
            return;
        }
        if (replica.insert(event) && !errand.isCopy()) {
            FleetMessage copy = new FleetMessage.Errand(event, errand.after(), errand.latest(), true, 0);
            group.members().forEach(member -> out.send(member, copy));
        }
        if (replica.answersFor(event.operation())) {
            answer(event, replica.store.outcome(event));
        }
    }

    private void pass(FleetMessage.Errand errand) {
        Event event = errand.event();
        long position = event.operation().position();
        Contact next = group.range().has(position) ? anyMember() : group.nextTo(position);
        if (next != null) {
            out.send(next, new FleetMessage.Errand(event, errand.after(), errand.latest(), false, errand.hops() + 1));
        }
    }

    private @Nullable Contact anyMember() {
        List<Contact> members = group.members();
        return members.isEmpty() ? null : members.get(random.nextInt(members.size()));
    }

    /** Tells the origin of an event what has become of it. */
    void answer(Event event, Outcome outcome) {
        counters.answers++;
        RequestId request = event.operation().request();
        if (event.origin().id() == group.self().id()) {
            requests.answered(request, group.self().address(), outcome);
        } else {
            out.send(event.origin(), new FleetMessage.Answer(request, outcome));
        }
    }
}
