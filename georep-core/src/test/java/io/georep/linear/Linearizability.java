package io.georep.linear;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tells whether histories are linearizable: whether every operation can be thought to happen at one moment between its
 * call and its answer, so that all answers are right. Keys are independent of each other, so each is looked at alone. It is the search of
 * Wing and Gong with the memory of Lowe: what was placed so far and the value it led to are never looked at twice.
 */
public final class Linearizability {
    private static final int CONFIGURATIONS_MAX = 2_000_000;

    /** Answered operations by call; those before {@link Place#first} are placed. */
    private final List<Operation> answered = new ArrayList<>();

    private final List<Operation> open = new ArrayList<>();

    /** Where the search is. Also the way back, by {@code from} and {@code last}. */
    private static final class Place {
        final int first;
        final BitSet more;
        final BitSet opened;
        final String value;
        final Place from;
        final Operation last;

        Place(int first, BitSet more, BitSet opened, String value, Place from, Operation last) {
            this.first = first;
            this.more = more;
            this.opened = opened;
            this.value = value;
            this.from = from;
            this.last = last;
        }

        int placed() {
            return first + more.cardinality();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place place
                    && first == place.first
                    && more.equals(place.more)
                    && opened.equals(place.opened)
                    && Objects.equals(value, place.value);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * (31 * first + more.hashCode()) + opened.hashCode()) + Objects.hashCode(value);
        }
    }

    private Linearizability(List<Operation> history) {
        for (Operation each : history) {
            if (each.isAnswered()) {
                answered.add(each);
            } else if (each.kind() != Operation.Kind.READ) {
                open.add(each);
            }
        }
        answered.sort(Comparator.comparingLong(Operation::invoked));
        open.sort(Comparator.comparingLong(Operation::invoked));
    }

    /**
     * Throws if a history of any keys is not linearizable, with what could not be explained. With {@code -Dgeorep.linear.export=FILE} it is
     * also added to a file.
     */
    public static void check(List<Operation> history) {
        TreeMap<String, List<Operation>> byKey = new TreeMap<>();
        history.forEach(each ->
                byKey.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each));
        byKey.values().forEach(ofKey -> {
            String wrong = new Linearizability(ofKey).search();
            ExportedHistories.add(ofKey, wrong == null);
            if (wrong != null) {
                throw new AssertionError(wrong);
            }
        });
    }

    /** Returns whether a history of any keys is linearizable. */
    public static boolean holds(List<Operation> history) {
        try {
            check(history);
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    private String search() {
        ArrayDeque<Place> left = new ArrayDeque<>();
        Set<Place> seen = new HashSet<>();
        Place best = new Place(0, new BitSet(), new BitSet(), null, null, null);
        left.push(best);
        while (!left.isEmpty()) {
            Place place = left.pop();
            if (place.first == answered.size()) {
                return null;
            }
            if (place.placed() > best.placed()) {
                best = place;
            }
            expand(place, left, seen);
            if (seen.size() > CONFIGURATIONS_MAX) {
                throw new IllegalStateException(
                        "undecided after " + seen.size() + " configurations: record fewer operations per key, of "
                                + answered.size() + " answered and " + open.size() + " open ones of "
                                + answered.get(0).key());
            }
        }
        return explain(best);
    }

    /** Places one more operation, in all ways in which that can be done. */
    private void expand(Place place, ArrayDeque<Place> left, Set<Place> seen) {
        long latest = earliestAnswer(place);
        List<Place> next = new ArrayList<>();
        for (int i = open.size() - 1; i >= 0; i--) {
            Operation each = open.get(i);
            if (!place.opened.get(i) && each.invoked() <= latest && each.fits(place.value)) {
                String after = each.after(place.value);
                if (!Objects.equals(after, place.value)) {
                    BitSet opened = (BitSet) place.opened.clone();
                    opened.set(i);
                    next.add(new Place(place.first, place.more, opened, after, place, each));
                }
            }
        }
        for (int i = place.first; i < answered.size() && answered.get(i).invoked() <= latest; i++) {
            Operation each = answered.get(i);
            if (!place.more.get(i) && each.fits(place.value)) {
                String after = each.after(place.value);
                Place placed = with(place, i, after);
                if (each.kind() != Operation.Kind.PUT && Objects.equals(after, place.value)) {
                    // What never changes anything may as well happen now: no other order needs to be tried.
                    next.clear();
                    next.add(placed);
                    break;
                }
                next.add(placed);
            }
        }
        for (Place each : next) {
            if (seen.add(each)) {
                left.push(each);
            }
        }
    }

    private long earliestAnswer(Place place) {
        long earliest = Long.MAX_VALUE;
        for (int i = place.first; i < answered.size() && answered.get(i).invoked() <= earliest; i++) {
            if (!place.more.get(i)) {
                earliest = Math.min(earliest, answered.get(i).answered());
            }
        }
        return earliest;
    }

    private Place with(Place place, int placed, String after) {
        BitSet more = (BitSet) place.more.clone();
        more.set(placed);
        int first = more.nextClearBit(place.first);
        more.clear(place.first, first);
        return new Place(first, more, place.opened, after, place, answered.get(placed));
    }

    private String explain(Place best) {
        long latest = earliestAnswer(best);
        List<Operation> tail = new ArrayList<>();
        for (Place at = best; at.last != null && tail.size() < 8; at = at.from) {
            tail.add(0, at.last);
        }
        List<Operation> stuck = new ArrayList<>();
        for (int i = best.first; i < answered.size() && answered.get(i).invoked() <= latest; i++) {
            if (!best.more.get(i)) {
                stuck.add(answered.get(i));
            }
        }
        StringBuilder text = new StringBuilder("not linearizable: ")
                .append(answered.get(0).key())
                .append(", at best after ")
                .append(best.placed())
                .append(" of ")
                .append(answered.size())
                .append(" answered operations; the last of them:");
        tail.forEach(each -> text.append("\n  ").append(each));
        text.append("\nthe key then has ").append(best.value).append(", and none of these can be next:");
        stuck.forEach(each -> text.append("\n  ").append(each));
        text.append("\nnever answered:");
        open.forEach(each -> text.append("\n  ").append(each));
        return text.toString();
    }
}
