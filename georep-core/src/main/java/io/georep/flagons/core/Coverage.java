package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * For which positions this node has everything. A node that joins has nothing yet; one whose group was merged lacks the
 * other half. It has a part when members of it have confirmed that both have the same.
 */
final class Coverage {
    private static final int CONFIRMATIONS = 2;

    /** What a part waits for. */
    private static final class Part {
        /** Up to here it may have missed something. */
        final OrderKey bound;

        final long since;
        /** Members. */
        final Set<String> confirmed = new HashSet<>();

        final Set<String> incomplete = new HashSet<>();

        Part(OrderKey bound, long since) {
            this.bound = bound;
            this.since = since;
        }
    }

    private final long giveUpMillis;
    private final List<Range> covered = new ArrayList<>();
    private final Map<Range, Part> parts = new HashMap<>();

    Coverage(long giveUpMillis) {
        this.giveUpMillis = giveUpMillis;
    }

    /** Says that there is nothing to be had from others. */
    void coversAll() {
        covered.add(Range.ALL);
    }

    boolean covers(Range range) {
        if (covered.stream().anyMatch(each -> each.has(range))) {
            return true;
        }
        return covered.stream().anyMatch(range::has) && covers(range.lower()) && covers(range.upper());
    }

    boolean covers(long position) {
        return covered.stream().anyMatch(each -> each.has(position));
    }

    /**
     * Takes a new group.
     *
     * @param bound up to here, events of a new part may have been ignored
     */
    void moved(Range own, OrderKey bound, long now) {
        List<Range> within = new ArrayList<>();
        for (Range range : covered) {
            if (own.has(range)) {
                within.add(range);
            } else if (range.has(own)) {
                within.add(own);
            }
        }
        covered.clear();
        covered.addAll(within);
        Map<Range, Part> before = new HashMap<>(parts);
        parts.clear();
        for (Range range : missing(own)) {
            Part part = before.get(range);
            parts.put(range, part == null ? new Part(bound, now) : part);
        }
    }

    /** Says that this node may have missed something everywhere. */
    void missedSome(Range own, OrderKey bound, long now) {
        covered.clear();
        parts.clear();
        moved(own, bound, now);
    }

    private List<Range> missing(Range range) {
        List<Range> missing = new ArrayList<>();
        if (covers(range)) {
            return missing;
        }
        if (covered.stream().noneMatch(range::has)) {
            missing.add(range);
            return missing;
        }
        missing.addAll(missing(range.lower()));
        missing.addAll(missing(range.upper()));
        return missing;
    }

    /** Returns the first part that is missing; null if none is. */
    @Nullable
    Range next() {
        return parts.keySet().stream()
                .min((a, b) ->
                        a.depth() != b.depth() ? a.depth() - b.depth() : Long.compareUnsigned(a.start(), b.start()))
                .orElse(null);
    }

    boolean lacks(Range range) {
        return parts.containsKey(range);
    }

    OrderKey boundOf(Range range) {
        Part part = parts.get(range);
        return part == null ? OrderKey.FIRST : part.bound;
    }

    /**
     * Takes the word of a member that it has the same. That of two who have all is enough. Those who join a small fleet
     * together have one only: it is enough when all have been asked, or when others did not answer for long. If all who
     * had it are gone, those who are left agree on what they have.
     */
    void confirmed(String member, Range range, OrderKey bound, boolean isComplete, int others, long now) {
        Part part = parts.get(range);
        if (part == null || bound.compareTo(part.bound) < 0) {
            return;
        }
        (isComplete ? part.confirmed : part.incomplete).add(member);
        part.incomplete.removeAll(part.confirmed);
        int asked = part.confirmed.size() + part.incomplete.size();
        boolean isLong = now - part.since > giveUpMillis;
        boolean oneIsEnough = !part.confirmed.isEmpty() && (asked >= others || isLong);
        boolean nobodyHas = isLong && asked >= Math.min(CONFIRMATIONS, Math.max(1, others));
        if (part.confirmed.size() >= CONFIRMATIONS || oneIsEnough || nobodyHas) {
            parts.remove(range);
            covered.add(range);
        }
    }
}
