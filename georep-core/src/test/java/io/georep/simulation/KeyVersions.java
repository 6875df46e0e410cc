package io.georep.simulation;

import io.georep.keys.core.KeyAudit.Seen;
import io.georep.keys.core.KeyAudit.Version;
import io.georep.keys.core.KeyLook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All versions of all keys, and who has which. A version is of one value. No node drops a value, and none drops the mark of a
 * deletion before its time is over, which a wall clock that was set forward may shorten.
 */
final class KeyVersions {
    /** By so much of it at most clocks may be wrong about a time. */
    private static final long CLOCK_ERROR_PARTS = 100;

    /**
     * A version that was seen.
     *
     * @param value null for a deletion
     * @param at when it was seen first, in true nanoseconds
     */
    private record Known(@Nullable String value, long at) {
        @Override
        public String toString() {
            return value + " since " + at / World.MILLIS;
        }
    }

    private record Held(Version version, long since) {}

    /** How wrong the wall clock of a node is, in milliseconds. */
    private static final class Wall {
        long least = Long.MAX_VALUE;

        /** By so much time went too fast between two processes at most. */
        long skipped;
    }

    private final World world;
    private final long keptNanos;
    private final Map<String, TreeMap<Version, Known>> known = new TreeMap<>();
    private final Map<SimulatedNode, Map<String, Held>> held = new HashMap<>();
    private final Map<SimulatedNode, Wall> walls = new HashMap<>();
    private final Map<SimulatedNode, Long> destroyedAt = new HashMap<>();

    KeyVersions(World world, Duration deletionsKept) {
        this.world = world;
        keptNanos = deletionsKept.toNanos();
    }

    private Wall wall(SimulatedNode node) {
        return walls.computeIfAbsent(node, any -> new Wall());
    }

    private long wrongMillis(SimulatedNode node) {
        return node.clock().wallMillis() - world.now() / World.MILLIS;
    }

    /** What is left of the time of deletions was read by the wall clock. */
    void booted(SimulatedNode node) {
        Wall wall = wall(node);
        wall.least = Math.min(wall.least, wrongMillis(node));
        wall.skipped = Math.max(wall.skipped, wrongMillis(node) - wall.least);
    }

    void destroyed(SimulatedNode node) {
        destroyedAt.put(node, world.now());
        held.remove(node);
    }

    /** When the disk of a node was replaced last; -1 if never. */
    long destroyedAt(SimulatedNode node) {
        return destroyedAt.getOrDefault(node, -1L);
    }

    void turned(SimulatedNode node, KeyLook look) {
        Wall wall = wall(node);
        wall.least = Math.min(wall.least, wrongMillis(node));
        Map<String, Held> here = held.computeIfAbsent(node, any -> new HashMap<>());
        look.gone().forEach(key -> gone(node, key, here.remove(key))); // and may be there anew
        for (Seen seen : look.news()) {
            seen(node, seen);
            Held before = here.get(seen.key());
            if (before == null || !before.version.equals(seen.version())) {
                here.put(seen.key(), new Held(seen.version(), world.now()));
            }
        }
    }

    private void seen(SimulatedNode node, Seen seen) {
        Known before = known.computeIfAbsent(seen.key(), any -> new TreeMap<>())
                .putIfAbsent(seen.version(), new Known(seen.value(), world.now()));
        if (before != null && !String.valueOf(before.value).equals(String.valueOf(seen.value()))) {
            throw new AssertionError("two values of version " + seen.version() + " of " + seen.key() + ": " + before
                    + " and " + seen.value() + ", the latter on " + node);
        }
    }

    private void gone(SimulatedNode node, String key, Held was) {
        Known mark = known.get(key).get(was.version);
        if (mark.value != null || world.now() < overAt(mark)) {
            throw new AssertionError(node + " has dropped " + key + " " + was.version + " " + mark
                    + " too early: kept for " + Duration.ofNanos(keptNanos));
        }
    }

    /** The earliest moment at which a deletion may be dropped: clocks that were set forward add up as nodes tell what is left. */
    private long overAt(Known mark) {
        return mark.at + keptNanos - keptNanos / CLOCK_ERROR_PARTS - skippedMillis() * World.MILLIS;
    }

    private long skippedMillis() {
        return walls.values().stream().mapToLong(wall -> wall.skipped).sum();
    }

    /** Since when a node has what it has; now, if that is not known. */
    long heldSince(SimulatedNode node, Seen has) {
        Held since = held.getOrDefault(node, Map.of()).get(has.key());
        return since == null || !since.version.equals(has.version()) ? world.now() : since.since;
    }

    private NavigableMap<Version, Known> since(String key, Version version) {
        return known.getOrDefault(key, new TreeMap<>()).tailMap(version, true);
    }

    /** Whether there was a deletion that is this version or a later one. */
    boolean isDeletedSince(String key, Version version) {
        return since(key, version).values().stream().anyMatch(each -> each.value == null);
    }

    /**
     * Whether nothing need be left of a version, but for what a node has: it was deleted since, and what the node has was written when the
     * time of that deletion was over. Where wall clocks were set forward, a node may have been away for longer than that time, and
     * brings back what it had.
     */
    boolean mayBeForgotten(String key, Version version, @Nullable Seen has) {
        long writtenAt = has == null ? Long.MAX_VALUE : known.get(key).get(has.version()).at;
        long by = skippedMillis() > 0 ? Math.max(writtenAt, world.now()) : writtenAt;
        return since(key, version).values().stream().anyMatch(each -> each.value == null && overAt(each) <= by);
    }

    /** The versions of a value, in order. */
    List<Version> of(String key, String value) {
        List<Version> versions = new ArrayList<>();
        known.getOrDefault(key, new TreeMap<>()).forEach((version, each) -> {
            if (value.equals(each.value)) {
                versions.add(version);
            }
        });
        return versions;
    }

    /** All that is known of a key, for people. */
    String of(String key) {
        return String.valueOf(known.get(key));
    }
}
