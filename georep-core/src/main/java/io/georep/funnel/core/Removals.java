package io.georep.funnel.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The marks of removals: of the keys that were committed to have no value, in the order in which that came. */
final class Removals {
    /** Marks that are void are taken out when they are more than the others, and more than this. */
    private static final int VOID_MIN = 1024;

    /** Void when the cell has a newer commit. */
    private record Mark(Cell cell, long view, long commit) {
        boolean isValid() {
            return cell.view == view && cell.commit == commit;
        }
    }

    private final ArrayDeque<Mark> marks = new ArrayDeque<>();
    private int size;

    /** How many keys have one. */
    int size() {
        return size;
    }

    /** Whether the counter can be true. */
    boolean fits() {
        return size >= 0 && size <= marks.size();
    }

    /** The newest commit of a key is a removal. */
    void add(Cell cell) {
        size++;
        marks.add(new Mark(cell, cell.view, cell.commit));
        if (marks.size() > VOID_MIN && marks.size() > 2 * size) {
            marks.removeIf(mark -> !mark.isValid());
        }
    }

    /** A key that has one is about to get a newer commit. */
    void leave() {
        size--;
    }

    void clear() {
        marks.clear();
        size = 0;
    }

    /** Whether some may be forgotten up to this version. */
    boolean has(Version upTo) {
        Mark first = marks.peek();
        return first != null && Version.compare(first.view, first.commit, upTo.view(), upTo.commit()) <= 0;
    }

    /** Forgets them up to a version; returns their keys, as {@link Tables#forgetRemovals} says. */
    List<Cell> forget(Version upTo, long leastClock) {
        List<Cell> forgotten = new ArrayList<>();
        while (has(upTo)) {
            Mark first = marks.element();
            Cell cell = first.cell;
            boolean isValid = first.isValid();
            if (isValid && (cell.clock >= leastClock || cell.isDirty() || cell.own > 0)) {
                break;
            }
            marks.remove();
            if (isValid) {
                size--;
                forgotten.add(cell);
            }
        }
        return forgotten;
    }
}
