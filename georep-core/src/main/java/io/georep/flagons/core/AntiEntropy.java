package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Members of a group compare what they have by hashes of slices, then by places, and send each other what is missing.
 * That repairs holes, brings the two sides of a split together, and gives a node that joins all there is.
 */
final class AntiEntropy {
    static final int SLICES = Long.SIZE;
    private static final int KEYS_MAX = 2000;

    private final FleetSettings settings;
    private final GroupView group;
    private final Replica replica;
    private final Outlet out;
    private final RandomGenerator random;

    AntiEntropy(FleetSettings settings, GroupView group, Replica replica, Outlet out, RandomGenerator random) {
        this.settings = settings;
        this.group = group;
        this.replica = replica;
        this.out = out;
        this.random = random;
    }

    /**
     * Compares with somebody: first what this node lacks as a whole, otherwise with any member.
     *
     * @param settled younger events may be on their way
     */
    void begin(OrderKey settled) {
        Range missing = replica.coverage.next();
        Range range = missing == null ? group.range() : missing;
        List<Contact> members = group.within(range);
        if (!members.isEmpty()) {
            OrderKey bound = missing == null ? settled : replica.coverage.boundOf(missing);
            out.send(members.get(random.nextInt(members.size())), digest(range, replica.comparedFrom(range), bound));
        }
    }

    private FleetMessage.Digest digest(Range range, OrderKey from, OrderKey bound) {
        List<Long> hashes = new ArrayList<>(SLICES);
        for (long hash : hashes(range, from, bound)) {
            hashes.add(hash);
        }
        return new FleetMessage.Digest(group.self(), range, from, bound, hashes);
    }

    private long[] hashes(Range range, OrderKey from, OrderKey bound) {
        long[] hashes = new long[SLICES];
        replica.store.forEach(range, from, bound, event -> {
            long hash = event.key().hash();
            hashes[slice(event.key())] += hash;
        });
        return hashes;
    }

    private static int slice(OrderKey key) {
        return (int) (key.hash() >>> 58);
    }

    void onDigest(FleetMessage.Digest digest, OrderKey frontier) {
        if (digest.bound().compareTo(frontier) > 0 || digest.hashes().size() != SLICES) {
            return;
        }
        if (!group.range().has(digest.range()) && !replica.coverage.covers(digest.range())) {
            if (digest.range().has(group.range())) {
                out.send(digest.sender(), digest(group.range(), digest.from(), digest.bound()));
            }
            return;
        }
        // Each may have dropped some of what is old; a node that has nothing yet wants what is left of that.
        OrderKey from = digest.from().equals(OrderKey.FIRST)
                ? OrderKey.FIRST
                : OrderKey.max(digest.from(), replica.comparedFrom(digest.range()));
        long[] own = hashes(digest.range(), from, digest.bound());
        long slices = 0;
        for (int i = 0; i < SLICES; i++) {
            slices |= own[i] == digest.hashes().get(i) ? 0 : 1L << i;
        }
        if (slices == 0) {
            out.send(
                    digest.sender(),
                    new FleetMessage.Same(
                            group.self().id(),
                            digest.range(),
                            digest.bound(),
                            replica.coverage.covers(digest.range())));
            return;
        }
        List<OrderKey> keys = new ArrayList<>();
        long differing = slices;
        replica.store.forEach(digest.range(), from, digest.bound(), event -> {
            if (keys.size() <= KEYS_MAX && (differing >>> slice(event.key()) & 1) != 0) {
                keys.add(event.key());
            }
        });
        boolean isCut = keys.size() > KEYS_MAX;
        if (isCut) {
            keys.remove(KEYS_MAX);
        }
        out.send(
                digest.sender(),
                new FleetMessage.Keys(group.self(), digest.range(), from, digest.bound(), slices, keys, isCut));
    }

    void onKeys(FleetMessage.Keys keys) {
        List<OrderKey> lacking = new ArrayList<>();
        for (OrderKey key : keys.keys()) {
            if (!replica.store.has(key)) {
                lacking.add(key);
            }
        }
        if (!lacking.isEmpty()) {
            out.send(keys.sender(), new FleetMessage.Pull(group.self(), lacking));
        }
        OrderKey bound = keys.isCut() ? keys.keys().get(keys.keys().size() - 1) : keys.bound();
        Set<OrderKey> theirs = new HashSet<>(keys.keys());
        List<Event> more = new ArrayList<>();
        replica.store.forEach(keys.range(), keys.from(), bound, event -> {
            if ((keys.slices() >>> slice(event.key()) & 1) != 0 && !theirs.contains(event.key())) {
                more.add(event);
            }
        });
        send(keys.sender(), more);
    }

    void onPull(FleetMessage.Pull pull) {
        List<Event> events = new ArrayList<>();
        for (OrderKey key : pull.keys()) {
            Event event = replica.store.find(key);
            if (event != null) {
                events.add(event);
            }
        }
        send(pull.sender(), events);
    }

    /** Sends as many as fit; the next comparison brings the others. */
    private void send(Contact to, List<Event> events) {
        List<Event> fitting = new ArrayList<>();
        int bytes = 0;
        for (Event event : events) {
            bytes += event.bytes();
            if (bytes > settings.ballBytesMax() && !fitting.isEmpty()) {
                break;
            }
            fitting.add(event);
        }
        if (!fitting.isEmpty()) {
            out.send(to, new FleetMessage.Data(fitting));
        }
    }

    void onData(FleetMessage.Data data, long wall) {
        data.events().forEach(event -> replica.repair(event, wall));
    }

    void onSame(FleetMessage.Same same, long now) {
        int others = group.within(same.range()).size();
        replica.coverage.confirmed(same.member(), same.range(), same.bound(), same.isComplete(), others, now);
    }
}
