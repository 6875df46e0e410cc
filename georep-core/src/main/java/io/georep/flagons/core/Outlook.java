package io.georep.flagons.core;

import java.util.ArrayDeque;

/**
 * How much of the fleet a node still sees. One that suddenly hears nothing from most of the nodes it knew, or that sees less
 * than two fifths of the fleet that it did, may be on the small side of a split.
 */
final class Outlook {
    private static final long WINDOW_MILLIS = 10_000;

    /** By then the sizes of groups tell. */
    private static final long SUSPECTED_MILLIS = 60_000;

    /** A third that fails at once is no split, and it may be more than a third of those near a node. */
    private static final double PART = .4;

    private static final long REMEMBERED_MILLIS = 3_600_000;

    private record Heard(long at, int lost) {}

    private final ArrayDeque<Heard> heard = new ArrayDeque<>();
    private int lost;
    private int answered;
    private long suspectedUntil = Long.MIN_VALUE;
    private double size;
    private double largest;
    private long largestAt;

    /** A node has replied. */
    void answered(long now) {
        heard.add(new Heard(now, 0));
        answered++;
        forget(now);
    }

    /** So many nodes that were known do not reply or cannot be reached; others are known still. */
    void lost(int count, int known, long now) {
        heard.add(new Heard(now, count));
        lost += count;
        forget(now);
        if (lost > 1 && lost > known && lost > answered) {
            suspectedUntil = now + SUSPECTED_MILLIS;
        }
    }

    private void forget(long now) {
        while (!heard.isEmpty() && now - heard.element().at() > WINDOW_MILLIS) {
            Heard oldest = heard.remove();
            lost -= oldest.lost();
            answered -= oldest.lost() == 0 ? 1 : 0;
        }
    }

    /** The fleet seems to have so many nodes. */
    void sees(double nodes, long now) {
        size = nodes;
        if (nodes >= largest || now - largestAt > REMEMBERED_MILLIS) {
            largest = nodes;
            largestAt = now;
        }
    }

    int size() {
        return (int) Math.round(size);
    }

    /** Returns whether this node may see the smaller part of the fleet only. */
    boolean isCutOff(long now) {
        return now < suspectedUntil || size < PART * largest;
    }
}
