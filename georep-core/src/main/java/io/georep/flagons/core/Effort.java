package io.georep.flagons.core;

import java.util.HashSet;
import java.util.Set;

/**
 * How far and how long a node passes events on, and how often it missed some. If it misses more than it may, it waits
 * longer before it takes an event as stable, or passes events on to more nodes: at most one and a half times as long,
 * and to twice as many.
 */
final class Effort {
    private static final long LOOK_MILLIS = 30_000;
    private static final int STEPS_MAX = 4;
    private static final double KEPT = .5;

    /** Fewer missed ones may be chance. */
    private static final int MISSED_MIN = 3;

    /** A node that misses so many times more than it may does not have what the others have. */
    private static final int FAR_MORE = 10;

    private static final int FAR_MORE_MIN = 10;

    /**
     * A node that misses events through its own fault misses some of nearly all sources. If it misses some of fewer
     * than one source in so many, the fault is theirs.
     */
    private static final int SOURCES_SHARE = 3;

    private static final int SOURCES_MAX = 4_096;

    /** What was counted since this node took stock last. */
    private static final class Lately {
        private int taken;
        private int missed;

        /** The addresses of sources that were heard, and of those among them of which something was missed. */
        private final Set<String> sources = new HashSet<>();

        private final Set<String> missedSources = new HashSet<>();

        void took(Event event) {
            taken++;
            heard(event);
        }

        void missed(Event event) {
            missed++;
            if (heard(event)) {
                missedSources.add(event.origin().address());
            }
        }

        private boolean heard(Event event) {
            String source = event.origin().address();
            return sources.contains(source) || (sources.size() < SOURCES_MAX && sources.add(source));
        }

        boolean isBeyond(double rate) {
            return missed >= FAR_MORE_MIN
                    && missed > rate * (taken + missed)
                    && SOURCES_SHARE * missedSources.size() > sources.size();
        }

        void clear() {
            taken = 0;
            missed = 0;
            sources.clear();
            missedSources.clear();
        }
    }

    private final FleetSettings settings;
    private double delivered;
    private double late;
    private double own;
    private double repaired;
    private double stableMillis;
    private int longer;
    private int wider;
    private boolean missedFarMore;
    private final Lately events = new Lately();
    private final Lately operations = new Lately();
    private long lookAt = Long.MIN_VALUE;

    Effort(FleetSettings settings) {
        this.settings = settings;
    }

    /** An event was delivered so long after it was made. */
    void delivered(Event event, long age) {
        delivered++;
        events.took(event);
        stableMillis += (age - stableMillis) / Math.min(delivered, 100);
    }

    void late(Event event) {
        late++;
        events.missed(event);
    }

    /** An operation of the own group came by itself. */
    void own(Event event) {
        own++;
        operations.took(event);
    }

    /** An operation of the own group came by comparison only. */
    void repaired(Event event) {
        repaired++;
        operations.missed(event);
    }

    /** Takes stock now and then. What is longer ago counts less. */
    void look(long now) {
        if (now < lookAt || settings.paper()) {
            return;
        }
        lookAt = now + LOOK_MILLIS;
        longer = next(longer, late, lateRate());
        wider = next(wider, repaired, missedRate());
        missedFarMore = isFarMore();
        events.clear();
        operations.clear();
        delivered *= KEPT;
        late *= KEPT;
        own *= KEPT;
        repaired *= KEPT;
    }

    private int next(int step, double missed, double rate) {
        if (missed >= MISSED_MIN && rate > settings.holesMax()) {
            return Math.min(STEPS_MAX, step + 1);
        }
        return rate < settings.holesMax() / 4 ? Math.max(0, step - 1) : step;
    }

    /**
     * Returns whether this node has lately missed so many events, of so many sources, that it cannot be sure of what
     * it has until it has compared. Perhaps its machine has no time for it, or its links lose most messages.
     */
    boolean missesFarMore() {
        return missedFarMore || isFarMore();
    }

    private boolean isFarMore() {
        double rate = FAR_MORE * settings.holesMax();
        return !settings.paper() && (events.isBeyond(rate) || operations.isBeyond(rate));
    }

    private double lateRate() {
        return late / Math.max(1, late + delivered);
    }

    private double missedRate() {
        return repaired / Math.max(1, repaired + own);
    }

    double holeRate() {
        return lateRate() + missedRate();
    }

    long stableMillis() {
        return Math.round(stableMillis);
    }

    int fanout() {
        return Math.min(settings.viewSize(), settings.fanout() + wider * settings.fanout() / STEPS_MAX);
    }

    long horizon() {
        return settings.horizon() + longer * settings.horizon() / (2 * STEPS_MAX);
    }
}
