package io.georep.flagons.core;

import java.util.List;

/** What a node does for others that ask it, as far as each of them is allowed to ask. */
final class Favours {
    /** In units of an {@link Allowance}: a question for keys that is passed on. */
    private static final int PASSED_ON = 16;

    private final FleetSettings settings;
    private final Epidemic epidemic;
    private final Replica replica;
    private final Errands errands;
    private final FleetCounters counters;
    private final Outlet out;
    private final Allowance allowance = new Allowance();

    /** Of questions for keys, which a node brings for others, too: they leave alone what it may ask itself. */
    private final Allowance lists = new Allowance();

    Favours(
            FleetSettings settings,
            Epidemic epidemic,
            Replica replica,
            Errands errands,
            FleetCounters counters,
            Outlet out) {
        this.settings = settings;
        this.epidemic = epidemic;
        this.replica = replica;
        this.errands = errands;
        this.counters = counters;
        this.out = out;
    }

    private boolean allows(Allowance its, String from, long now) {
        boolean allows = its.has(from, now);
        counters.refused += allows ? 0 : 1;
        return allows;
    }

    /** Does an errand that somebody has brought, or passes it on. */
    void errand(String from, FleetMessage.Errand errand, long now, long wall) {
        boolean isList = errand.event().operation().kind() == FleetOperation.Kind.LIST;
        if (!errand.latest() && !epidemic.isReachable(errand.after().time(), wall)) {
            // Nobody can answer it yet, so all would pass it on.
            counters.refused++;
        } else if (!isList || allows(lists, from, now)) {
            long before = replica.store.visited();
            boolean isPassedOn = errands.take(errand, from, now, epidemic.frontier(wall), wall);
            if (isList) {
                long done = Page.BYTES_MAX / 16 + replica.store.visited() - before;
                lists.spent(from, isPassedOn ? PASSED_ON : done, now);
            }
        }
    }

    /** Sends events that somebody wants. */
    void want(String from, FleetMessage.Want want, long now) {
        if (allows(allowance, from, now)) {
            List<Ball> found = epidemic.found(want.events(), now);
            found.forEach(ball -> out.send(Contact.unmet(want.sender()), ball));
            allowance.spent(from, want.events().size() + (long) found.size() * settings.ballBytesMax() / 16, now);
        }
    }

    /** Takes a message of a comparison. What it brings costs nothing, and a question what it makes this node do. */
    void compare(String from, FleetMessage message, long now, long wall) {
        long before = replica.antiEntropy.spent();
        if (message instanceof FleetMessage.Data data) {
            replica.antiEntropy.onData(from, data, now, wall);
        } else if (message instanceof FleetMessage.Same same) {
            replica.antiEntropy.onSame(from, same, now);
        } else if (allows(allowance, from, now)) {
            answer(message, wall);
            allowance.spent(from, replica.antiEntropy.spent() - before, now);
        }
    }

    private void answer(FleetMessage message, long wall) {
        if (message instanceof FleetMessage.Digest digest) {
            replica.antiEntropy.onDigest(digest, epidemic.frontier(wall));
        } else if (message instanceof FleetMessage.Keys keys) {
            replica.antiEntropy.onKeys(keys);
        } else if (message instanceof FleetMessage.Pull pull) {
            replica.antiEntropy.onPull(pull);
        }
    }
}
