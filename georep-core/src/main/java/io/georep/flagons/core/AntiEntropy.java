package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Members of a group compare what they have by hashes of slices, then by places, and send each other what is missing.
 * That repairs holes, brings the two sides of a split together, and gives a node that joins all there is.
 */
final class AntiEntropy {
    private static final int SLICES = Long.SIZE;
    private static final int KEYS_MAX = 2000;

    private final FleetSettings settings;
    private final Rules rules;
    private final GroupView group;
    private final OperationStore store;
    private final Coverage coverage;
    private final Outlet out;
    private final RandomGenerator random;
    private final Consumer<Event> repair;

    AntiEntropy(
            FleetSettings settings,
            Rules rules,
            GroupView group,
            OperationStore store,
            Coverage coverage,
            Outlet out,
            RandomGenerator random,
            Consumer<Event> repair) {
        this.settings = settings;
        this.rules = rules;
        this.group = group;
        this.store = store;
        this.coverage = coverage;
        this.out = out;
        this.random = random;
        this.repair = repair;
    }

    /**
     * Compares with somebody: first what this node lacks as a whole, otherwise with any member.
     *
     * @param settled younger events may be on their way
     */
    void begin(OrderKey settled) {
        Range missing = coverage.next();
        Range range = missing == null ? group.range() : missing;
        List<Contact> members = group.within(range);
        if (!members.isEmpty()) {
            OrderKey bound = missing == null ? rules.comparedUpTo(settled) : coverage.boundOf(missing);
            out.send(members.get(random.nextInt(members.size())), digest(range, bound));
        }
    }

    private FleetMessage.Digest digest(Range range, OrderKey bound) {
        List<Long> hashes = new ArrayList<>(SLICES);
        for (long hash : hashes(range, bound)) {
            hashes.add(hash);
        }
        return new FleetMessage.Digest(group.self(), range, bound, hashes);
    }

    private long[] hashes(Range range, OrderKey bound) {
        long[] hashes = new long[SLICES];
        store.forEach(range, bound, event -> {
            long hash = event.key().hash();
            hashes[slice(event.key())] += hash;
        });
        return hashes;
    }

    private static int slice(OrderKey key) {
        return (int) (key.hash() >>> 58);
    }

    void onDigest(FleetMessage.Digest digest, OrderKey frontier) {
        if (!rules.mayCompare(digest.bound(), frontier) || digest.hashes().size() != SLICES) {
            return;
        }
        if (!group.range().has(digest.range()) && !coverage.covers(digest.range())) {
            if (digest.range().has(group.range())) {
                out.send(digest.from(), digest(group.range(), digest.bound()));
            }
            return;
        }
        long[] own = hashes(digest.range(), digest.bound());
        long slices = 0;
        for (int i = 0; i < SLICES; i++) {
            slices |= own[i] == digest.hashes().get(i) ? 0 : 1L << i;
        }
        if (slices == 0) {
            out.send(
                    digest.from(),
                    new FleetMessage.Same(
                            group.self().id(), digest.range(), digest.bound(), coverage.covers(digest.range())));
            return;
        }
        List<OrderKey> keys = new ArrayList<>();
        long differing = slices;
        store.forEach(digest.range(), digest.bound(), event -> {
            if (keys.size() <= KEYS_MAX && (differing >>> slice(event.key()) & 1) != 0) {
                keys.add(event.key());
            }
        });
        boolean isCut = keys.size() > KEYS_MAX;
        if (isCut) {
            keys.remove(KEYS_MAX);
        }
        out.send(
                digest.from(),
                new FleetMessage.Keys(group.self(), digest.range(), digest.bound(), slices, keys, isCut));
    }

    void onKeys(FleetMessage.Keys keys) {
        List<OrderKey> lacking = new ArrayList<>();
        for (OrderKey key : keys.keys()) {
            if (!store.has(key)) {
                lacking.add(key);
            }
        }
        if (!lacking.isEmpty()) {
            out.send(keys.from(), new FleetMessage.Pull(group.self(), lacking));
        }
        OrderKey bound = keys.isCut() ? keys.keys().get(keys.keys().size() - 1) : keys.bound();
        Set<OrderKey> theirs = new HashSet<>(keys.keys());
        List<Event> more = new ArrayList<>();
        store.forEach(keys.range(), bound, event -> {
            if ((keys.slices() >>> slice(event.key()) & 1) != 0 && !theirs.contains(event.key())) {
                more.add(event);
            }
        });
        send(keys.from(), more);
    }

    void onPull(FleetMessage.Pull pull) {
        List<Event> events = new ArrayList<>();
        for (OrderKey key : pull.keys()) {
            Event event = store.find(key);
            if (event != null) {
                events.add(event);
            }
        }
        send(pull.from(), events);
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

    void onData(FleetMessage.Data data) {
        data.events().forEach(repair);
    }

    void onSame(FleetMessage.Same same, long now) {
        int others = group.within(same.range()).size();
        coverage.confirmed(same.member(), same.range(), same.bound(), same.isComplete(), others, now);
    }
}
