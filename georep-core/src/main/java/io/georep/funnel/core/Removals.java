package io.georep.funnel.core;

import io.georep.funnel.core.messages.Version;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The marks of removals: of the keys that were committed to have no value, in the order in which that came. */
final class Removals {
    /** How many marks are looked at in a turn. */
    static final int FORGET_MAX = 4096;

    /** Void marks are taken out when they outnumber the others and this number. */
    private static final int VOID_MIN = 1024;

    /** A removal that may be forgotten. Void when the cell has a newer commit. */
    private record Mark(Cell cell, long view, long commit) {
        boolean isValid() {
            return cell.view == view && cell.commit == commit;
        }

        boolean isUpTo(Version version) {
            return Version.compare(view, commit, version.view(), version.commit()) <= 0;
        }
    }

    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    /** Marks that were still needed when they could have been forgotten; all are older than the others. */
    private final ArrayDeque<Mark> kept = new ArrayDeque<>();

    private int size;

    /** Returns how many keys have one. */
    int size() {
        return size;
    }

    /** Returns whether the counter can be right. */
    boolean fits() {
        return size >= 0 && size <= marks.size() + kept.size();
    }

    /** The newest commit of a key is a removal. */
    void add(Cell cell) {
        size++;
        marks.add(new Mark(cell, cell.view, cell.commit));
        int all = marks.size() + kept.size();
        if (all > VOID_MIN && all > 2 * size) {
            marks.removeIf(mark -> !mark.isValid());
            kept.removeIf(mark -> !mark.isValid());
        }
    }

    /** A key that has one is about to get a newer commit. */
    void leave() {
        size--;
    }

    void clear() {
        marks.clear();
        kept.clear();
        size = 0;
    }

    /** Returns whether some may be forgotten up to this version. */
    boolean has(Version upTo) {
        Mark first = kept.isEmpty() ? marks.peek() : kept.peek();
        return first != null && first.isUpTo(upTo);
    }

    /** Forgets some up to a version; returns their keys, as {@link Tables#forgetRemovals} says. */
    List<Cell> forget(Version upTo, long leastClock, Predicate<Cell> needed) {
        List<Cell> forgotten = new ArrayList<>();
        int left = FORGET_MAX;
        Mark first = kept.peek();
        while (left > 0 && first != null && first.isUpTo(upTo)) {
            if (first.isValid() && (needed.test(first.cell) || isInUse(first.cell, leastClock))) {
                break;
            }
            kept.remove();
            forget(first, forgotten);
            first = kept.peek();
            left--;
        }
        first = marks.peek();
        while (left > 0 && first != null && first.isUpTo(upTo)) {
            boolean isNeeded = first.isValid() && needed.test(first.cell);
            if (first.isValid() && !isNeeded && isInUse(first.cell, leastClock)) {
                break;
            }
            marks.remove();
            if (isNeeded) {
                kept.add(first);
            } else {
                forget(first, forgotten);
            }
            first = marks.peek();
            left--;
        }
        return forgotten;
    }

    private static boolean isInUse(Cell cell, long leastClock) {
        return cell.clock >= leastClock || cell.isDirty() || cell.own > 0;
    }

    private void forget(Mark mark, List<Cell> forgotten) {
        if (mark.isValid()) {
            size--;
            forgotten.add(mark.cell);
        }
    }
}
