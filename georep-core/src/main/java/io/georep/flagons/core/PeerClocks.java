package io.georep.flagons.core;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Compares the wall clock of this node with those of the nodes it hears, each of which counts once: if most differ, the one that
 * is off must be its own.
 */
final class PeerClocks {
    private static final int KEPT = 16;

    /** Nobody has to be heard for longer after the own clock was set. */
    private static final long DOUBT_MILLIS = 10_000;

    private final long bound;
    private final Map<String, Long> offsets = new LinkedHashMap<>();
    private long aheadOfNow;
    private long doubtedUntil = Long.MIN_VALUE;
    private boolean isStarted;
    private long now;

    PeerClocks(long bound) {
        this.bound = bound;
    }

    /**
     * Looks at the own clocks, and returns whether the wall clock was set since the last look, or the other one stood still. Then what
     * was heard before says nothing any more.
     */
    boolean isSet(long nowMillis, long ownWall) {
        long ahead = ownWall - nowMillis;
        boolean isSet = isStarted && Math.abs(ahead - aheadOfNow) > bound;
        aheadOfNow = ahead;
        isStarted = true;
        now = nowMillis;
        if (isSet && !offsets.isEmpty()) {
            offsets.clear();
            doubtedUntil = nowMillis + DOUBT_MILLIS;
        }
        return isSet;
    }

    void heard(String peer, long theirWall, long ownWall) {
        offsets.remove(peer);
        offsets.put(peer, theirWall - ownWall);
        if (offsets.size() > KEPT) {
            offsets.remove(offsets.keySet().iterator().next());
        }
    }

    /** Returns whether most of the others differ from the own clock by more than the bound, or nobody was heard since it was set. */
    boolean isOff() {
        long differing = offsets.values().stream()
                .filter(offset -> Math.abs(offset) > bound)
                .count();
        return 2 * differing > offsets.size() || (offsets.isEmpty() && now < doubtedUntil);
    }

    /** Returns whether others were heard, and most of them agree with the own clock. */
    boolean isConfirmed() {
        return !offsets.isEmpty() && !isOff();
    }
}
