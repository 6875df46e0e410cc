package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Members of a group compare what they have by hashes of slices, then by places, and send each other what is missing.
 * That repairs holes, brings the two sides of a split together, and gives a node that joins all there is.
 */
final class AntiEntropy {
    private static final int KEYS_MAX = 2000;

    /** If both have more in a slice that differs, they compare its parts. */
    private static final int LISTED_MAX = 64;

    private static final int ASKED_MAX = 64;

    private final FleetSettings settings;
    private final GroupView group;
    private final Replica replica;
    private final Outlet out;
    private final FleetCounters counters;
    private final RandomGenerator random;

    /** Addresses of those with whom this node has begun to compare. */
    private final Set<String> asked = new LinkedHashSet<>();

    private long spent;

    /** In which slice it begins to look for what another node lacks. */
    private int next;

    AntiEntropy(
            FleetSettings settings,
            GroupView group,
            Replica replica,
            Outlet out,
            FleetCounters counters,
            RandomGenerator random) {
        this.settings = settings;
        this.group = group;
        this.replica = replica;
        this.out = out;
        this.counters = counters;
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
            Contact member = members.get(random.nextInt(members.size()));
            ask(member.address());
            compare(member, range, replica.comparedFrom(range), bound);
        }
    }

    /** Who has asked this node, and is asked back, is not among them: it chose that itself. */
    private void ask(String address) {
        asked.remove(address);
        asked.add(address);
        if (asked.size() > ASKED_MAX) {
            asked.remove(asked.iterator().next());
        }
    }

    boolean hasAsked(String address) {
        return asked.contains(address);
    }

    private void compare(Contact with, Range range, OrderKey from, OrderKey bound) {
        out.send(with, digest(range, from, bound));
    }

    private FleetMessage.Digest digest(Range range, OrderKey from, OrderKey bound) {
        List<Long> hashes = new ArrayList<>(KeyTree.SLICES);
        for (long hash : replica.store.sums(range, from, bound).hashes) {
            hashes.add(hash);
        }
        return new FleetMessage.Digest(group.self(), range, from, bound, hashes);
    }

    void onDigest(FleetMessage.Digest digest, OrderKey frontier) {
        if (digest.bound().compareTo(frontier) > 0 || digest.hashes().size() != KeyTree.SLICES) {
            return;
        }
        if (!group.range().has(digest.range()) && !replica.coverage.covers(digest.range())) {
            if (digest.range().has(group.range())) {
                compare(digest.sender(), group.range(), digest.from(), digest.bound());
            }
            return;
        }
        // Each may have dropped some of what is old; a node that has nothing yet wants what is left of that.
        OrderKey from = digest.from().equals(OrderKey.FIRST)
                ? OrderKey.FIRST
                : OrderKey.max(digest.from(), replica.comparedFrom(digest.range()));
        KeyTree.Sums own = replica.store.sums(digest.range(), from, digest.bound());
        long slices = 0;
        for (int i = 0; i < KeyTree.SLICES; i++) {
            slices |= own.hashes[i] == digest.hashes().get(i) ? 0 : 1L << i;
        }
        if (slices == 0) {
            out.send(
                    digest.sender(),
                    new FleetMessage.Same(digest.range(), digest.bound(), replica.coverage.covers(digest.range())));
            return;
        }
        compare(digest, from, own, slices);
    }

    /** Tells what there is in slices that differ. Of those where both have much, the parts of one are compared first. */
    private void compare(FleetMessage.Digest digest, OrderKey from, KeyTree.Sums own, long differing) {
        List<OrderKey> keys = new ArrayList<>();
        long listed = 0;
        boolean isDivided = false;
        int begin = random.nextInt(KeyTree.SLICES);
        for (int i = begin; i < begin + KeyTree.SLICES; i++) {
            int slice = i % KeyTree.SLICES;
            if ((differing >>> slice & 1) == 0) {
                continue;
            }
            boolean isMuch = own.counts[slice] > LISTED_MAX && digest.hashes().get(slice) != 0;
            if (isMuch && digest.range().depth() + KeyTree.SLICE_BITS <= Range.DEPTH_MAX) {
                if (!isDivided) {
                    isDivided = true;
                    compare(digest.sender(), KeyTree.range(digest.range(), slice), from, digest.bound());
                }
            } else if (listed == 0 || keys.size() + own.counts[slice] <= KEYS_MAX) {
                listed |= 1L << slice;
                replica.store.forEach(digest.range(), slice, from, digest.bound(), event -> keys.add(event.key()));
                spent += own.counts[slice];
            }
        }
        if (listed != 0) {
            Collections.sort(keys);
            boolean isCut = keys.size() > KEYS_MAX;
            List<OrderKey> told = isCut ? List.copyOf(keys.subList(0, KEYS_MAX)) : keys;
            out.send(
                    digest.sender(),
                    new FleetMessage.Keys(group.self(), digest.range(), from, digest.bound(), listed, told, isCut));
        }
    }

    void onKeys(FleetMessage.Keys keys) {
        spent += keys.keys().size();
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
        // What fits into a message is enough: the next comparison brings others, and begins elsewhere.
        int[] bytes = new int[1];
        int begin = next++ & (KeyTree.SLICES - 1);
        boolean goesOn = true;
        for (int i = begin; goesOn && i < begin + KeyTree.SLICES; i++) {
            int slice = i % KeyTree.SLICES;
            goesOn = (keys.slices() >>> slice & 1) == 0
                    || replica.store.forEach(keys.range(), slice, keys.from(), bound, event -> {
                        if (!theirs.contains(event.key())) {
                            more.add(event);
                            bytes[0] += event.bytes();
                        }
                        return bytes[0] <= settings.ballBytesMax();
                    });
        }
        send(keys.sender(), more);
        if (keys.isCut() && lacking.isEmpty() && more.isEmpty()) {
            // What differs is further on.
            compare(keys.sender(), keys.range(), bound, keys.bound());
        }
    }

    void onPull(FleetMessage.Pull pull) {
        spent += pull.keys().size();
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
            if (bytes + event.bytes() > settings.ballBytesMax() && !fitting.isEmpty()) {
                break;
            }
            bytes += event.bytes();
            fitting.add(event);
        }
        spent += bytes / 16;
        if (!fitting.isEmpty()) {
            out.send(to, new FleetMessage.Data(fitting));
        }
    }

    /** Returns what was done and sent for others until now, in the units of an {@link Allowance}. */
    long spent() {
        return spent + replica.store.visited();
    }

    void onData(String from, FleetMessage.Data data, long now, long wall) {
        data.events().forEach(event -> replica.repair(event, from, now, wall));
    }

    /** Takes the word of a node, if this one has asked for it: who says it unasked may have nothing. */
    void onSame(String member, FleetMessage.Same same, long now) {
        if (asked.stream().noneMatch(address -> out.isAt(address, member))) {
            // Most of these are the end of a comparison that the other one began.
            counters.refused += replica.coverage.lacks(same.range()) ? 1 : 0;
            return;
        }
        int others = group.within(same.range()).size();
        replica.coverage.confirmed(member, same.range(), same.bound(), same.isComplete(), others, now);
    }
}
