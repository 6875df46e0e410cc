package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Who is near this node, and so which group it belongs to. Contacts are kept by how many bits of their positions they share
 * with this node: enough of each to decide whether that range is divided, and to find the way to any position.
 */
final class GroupView {
    /** More than three of the times from one word of a member to the next, in ticks. */
    private static final int AGE_MAX = 240;

    /**
     * The same for nodes that are not in the group. Those beside it speak to this node only if they see the same groups, and of the others
     * only shuffles tell, which are rare while nothing happens. They show that a range is divided; those that are gone are dropped as soon as
     * somebody tries to reach them.
     */
    private static final int FAR_AGE_MAX = 8 * AGE_MAX;

    /** How often in a row the depth must come out differently before it changes. */
    private static final int STEADY = 8;

    private static final int TOLD_MAX = 40;

    private final FleetSettings settings;
    private final RandomGenerator random;
    private final Gone gone;

    /** By position: a node that takes the place of another one makes it forgotten at once. */
    private final TreeMap<Long, Known> known = new TreeMap<>();

    private Contact self;
    private int differs;
    private long tick;

    GroupView(Contact self, FleetSettings settings, RandomGenerator random, Gone gone) {
        this.self = self;
        this.settings = settings;
        this.random = random;
        this.gone = gone;
    }

    /** Says how late it is. */
    void at(long now) {
        tick = now;
    }

    Contact self() {
        return self;
    }

    Range range() {
        return Range.around(self.position(), self.depth());
    }

    /** Takes the depth of others, when this node starts. */
    void startAt(int depth) {
        self = self.at(depth);
        differs = 0;
    }

    /** Takes news, and returns whether a node has come that is in the group or beside it. */
    boolean learn(Aged entry) {
        Contact contact = entry.contact();
        Known news = new Known(contact, tick - entry.age());
        if (contact.position() == self.position() || entry.age() > AGE_MAX || gone.has(news)) {
            return false;
        }
        Known old = known.get(contact.position());
        if (old != null && old.since() >= news.since()) {
            return false;
        }
        known.put(contact.position(), news);
        return (old == null || old.contact().id() != contact.id()) && around().has(contact.position());
    }

    /** Forgets a node that cannot be reached, and returns whether it was known. */
    boolean lose(String address) {
        return known.values().removeIf(entry -> {
            boolean isIt = entry.contact().address().equals(address);
            if (isIt) {
                gone.add(entry.contact().id(), tick);
            }
            return isIt;
        });
    }

    /** Drops what is too old or more than needed, and returns whether the group has changed. */
    boolean age() {
        int[] sharing = sharing();
        int most = 2 * settings.groupMax() + 2;
        for (int bits = 0; bits < sharing.length; bits++) {
            if (sharing[bits] > most) {
                dropOldest(bits, sharing[bits] - most);
            }
        }
        Range group = range();
        known.values()
                .removeIf(entry ->
                        tick - entry.since() > (group.has(entry.contact().position()) ? AGE_MAX : FAR_AGE_MAX));
        return settle();
    }

    /** Returns the group and the one beside it. */
    private Range around() {
        return Range.around(self.position(), Math.max(0, self.depth() - 1));
    }

    private void dropOldest(int bits, int count) {
        known.values().stream()
                .filter(entry -> common(entry.contact()) == bits)
                .sorted(Comparator.comparingLong(Known::since))
                .limit(count)
                .toList()
                .forEach(entry -> known.remove(entry.contact().position()));
    }

    private int common(Contact contact) {
        return Math.min(Range.DEPTH_MAX, Long.numberOfLeadingZeros(contact.position() ^ self.position()));
    }

    private boolean settle() {
        int depth = settings.topDown() ? fromTheTop() : stepByStep();
        differs = depth == self.depth() ? 0 : differs + 1;
        if (differs < STEADY) {
            return false;
        }
        startAt(depth);
        return true;
    }

    /** Returns whether the group is as the positions of the others say. */
    boolean isSettled() {
        return differs == 0;
    }

    /** A range is divided if it has too many members, and both halves have enough. */
    private int fromTheTop() {
        int[] sharing = sharing();
        int within = 1 + Arrays.stream(sharing).sum();
        int depth = 0;
        while (depth < Range.DEPTH_MAX
                && within > settings.groupMax()
                && sharing[depth] >= settings.groupMin()
                && within - sharing[depth] >= settings.groupMin()) {
            within -= sharing[depth++];
        }
        return depth;
    }

    private int stepByStep() {
        int size = 1 + members().size();
        if (size < settings.groupMin() && self.depth() > 0) {
            return self.depth() - 1;
        }
        return size > settings.groupMax() && self.depth() < Range.DEPTH_MAX ? self.depth() + 1 : self.depth();
    }

    /** Returns how many share exactly so many first bits with this node. */
    private int[] sharing() {
        int[] sharing = new int[Range.DEPTH_MAX + 1];
        known.values().forEach(entry -> sharing[common(entry.contact())]++);
        return sharing;
    }

    /** Returns how many nodes the fleet has, if there are as many elsewhere as here. */
    double fleetSize() {
        Range around = around();
        // Others may have gone with half of the fleet, and nobody has tried to reach them since.
        return (1 + knownIn(around).stream().filter(this::isHeardOf).count()) * Math.pow(2, around.depth());
    }

    /** Returns whether somebody has told of a node not long ago. */
    private boolean isHeardOf(Known entry) {
        return tick - entry.since() <= AGE_MAX;
    }

    /** Returns the other members of the group. */
    List<Contact> members() {
        return within(range());
    }

    List<Contact> within(Range range) {
        List<Contact> found = new ArrayList<>();
        knownIn(range).forEach(entry -> found.add(entry.contact()));
        return found;
    }

    /** What shares its first bits lies together, whether it is compared with a sign or without. */
    private Collection<Known> knownIn(Range range) {
        return range.depth() == 0
                ? known.values()
                : known.subMap(range.start(), true, range.last(), true).values();
    }

    /** Returns what the members and their neighbours are told, the youngest news first. */
    List<Aged> told() {
        Range around = around();
        List<Aged> told = new ArrayList<>();
        told.add(new Aged(self, 0));
        known.values().stream()
                .filter(entry -> around.has(entry.contact().position()))
                .sorted(Comparator.comparingLong(Known::since).reversed())
                .limit(TOLD_MAX)
                .forEach(entry -> told.add(entry.aged(tick)));
        return told;
    }

    /** Returns who is told: members and neighbours, at random if they are many. */
    List<Contact> listeners() {
        List<Contact> all = within(around());
        while (all.size() > TOLD_MAX) {
            all.remove(random.nextInt(all.size()));
        }
        return all;
    }

    /** Returns the contacts that are nearest to a position, the nearest first. */
    List<Aged> nearest(long position, int count) {
        List<Aged> all = new ArrayList<>();
        known.values().stream()
                .filter(this::isHeardOf)
                .sorted((a, b) -> Long.compareUnsigned(
                        a.contact().position() ^ position, b.contact().position() ^ position))
                .limit(count)
                .forEach(entry -> all.add(entry.aged(tick)));
        return all;
    }

    /**
     * Returns a contact that is nearer to a position than this node, one that was heard of not long ago if there is any; null if this node
     * knows none.
     */
    @Nullable
    Contact nextTo(long position) {
        Contact next = nextTo(position, this::isHeardOf);
        return next == null ? nextTo(position, entry -> true) : next;
    }

    private @Nullable Contact nextTo(long position, Predicate<Known> among) {
        int own = Long.numberOfLeadingZeros(self.position() ^ position);
        List<Contact> nearer = new ArrayList<>();
        int best = own;
        for (Known entry : known.values()) {
            int shared = among.test(entry)
                    ? Long.numberOfLeadingZeros(entry.contact().position() ^ position)
                    : own;
            if (shared > best) {
                nearer.clear();
                best = shared;
            }
            if (shared == best && shared > own) {
                nearer.add(entry.contact());
            }
        }
        return nearer.isEmpty() ? null : nearer.get(random.nextInt(nearer.size()));
    }
}
