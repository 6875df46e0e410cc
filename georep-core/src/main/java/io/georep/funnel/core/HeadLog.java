package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelMessages.Announced;
import io.georep.model.NodeId;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes that one head made in the present view, by counter, and at the tail what was reported of them. Places below {@code base}
 * are done.
 */
final class HeadLog {
    /**
     * Most announced writes that are not here. A further one holds everything back, like a write that was not
     * announced.
     */
    static final int ANNOUNCED_MAX = 1000;

    /** How far a counter may be ahead of the oldest write that is not done. */
    static final int AHEAD_MAX = 1 << 20;

    private @Nullable Write[] ring = new Write[64];
    private long[] reported = new long[64];
    private boolean[] done = new boolean[64];
    private long base = 1;

    /** No write with a smaller counter is here. */
    private long firstHere = 1;

    /** One more than the greatest counter that was mentioned. */
    private long end = 1;

    /** What is not here, though its key and clock are known. */
    private final TreeMap<Long, Announced> announced = new TreeMap<>();

    /** All up to this counter were taken in, or announced. */
    private long contiguous;

    /** The clock of the newest of these that is known: later ones have greater clocks. */
    private long contiguousClock;

    /** The head said that it has made so many. */
    private long known;

    long base() {
        return base;
    }

    long end() {
        return end;
    }

    private int at(long counter) {
        return (int) counter & (ring.length - 1);
    }

    /** Returns whether a counter can be right. A wrong one is too far ahead. */
    boolean mayReach(long counter) {
        return counter - base < AHEAD_MAX;
    }

    /** Makes room for a counter that {@link #mayReach}. */
    void reach(long counter) {
        if (counter - base >= ring.length) {
            grow(counter);
        }
        for (; end <= counter; end++) {
            int place = at(end);
            ring[place] = null;
            reported[place] = 0;
            done[place] = false;
        }
    }

    private void grow(long counter) {
        int size = ring.length;
        while (counter - base >= size) {
            size *= 2;
        }
        @Nullable Write[] largerRing = new Write[size];
        long[] largerReported = new long[size];
        boolean[] largerDone = new boolean[size];
        for (long each = base; each < end; each++) {
            int to = (int) each & (size - 1);
            largerRing[to] = ring[at(each)];
            largerReported[to] = reported[at(each)];
            largerDone[to] = done[at(each)];
        }
        ring = largerRing;
        reported = largerReported;
        done = largerDone;
    }

    /** Returns a write that is here and not done. */
    @Nullable
    Write get(long counter) {
        return counter >= base && counter < end ? ring[at(counter)] : null;
    }

    /** Returns the first write that is here and not done; null if there is none. */
    @Nullable
    Write first() {
        firstHere = Math.max(firstHere, base);
        while (firstHere < end && get(firstHere) == null) {
            firstHere++;
        }
        return get(firstHere);
    }

    boolean isDone(long counter) {
        return counter < base || (counter < end && done[at(counter)]);
    }

    /** Adds a write whose counter was {@linkplain #reach reached}. */
    void put(Write write) {
        ring[at(write.counter)] = write;
        firstHere = Math.min(firstHere, write.counter);
        announced.remove(write.counter);
        advance();
    }

    /** Takes the key and clock of a write that its head has announced; its counter was {@linkplain #reach reached}. */
    void announce(Announced write) {
        boolean isNews = get(write.counter()) == null && !isDone(write.counter());
        if (isNews && announced.size() < ANNOUNCED_MAX) {
            announced.put(write.counter(), write);
            advance();
        }
    }

    /** Returns whether a write of this head that is not here comes before this one of the same key. */
    boolean hasAnnouncedBefore(Write write, NodeId head) {
        if (announced.isEmpty()) {
            return false;
        }
        for (Announced each : announced.values()) {
            if (write.compareStamp(each.clock(), head) > 0 && each.key().equals(write.key())) {
                return true;
            }
        }
        return false;
    }

    private void advance() {
        while (contiguous + 1 < end) {
            Write next = get(contiguous + 1);
            Announced told = next == null ? announced.get(contiguous + 1) : null;
            if (next == null && told == null && !isDone(contiguous + 1)) {
                return;
            }
            contiguous++;
            if (next != null) {
                contiguousClock = next.clock;
            } else if (told != null) {
                contiguousClock = told.clock();
            }
        }
    }

    /** The write is committed or settled. */
    void done(long counter) {
        if (counter < base || counter >= end) {
            return;
        }
        ring[at(counter)] = null;
        done[at(counter)] = true;
        announced.remove(counter);
        advance();
        while (base < end && done[at(base)]) {
            base++;
        }
    }

    /** Adds members that have reported a write; returns all that have. */
    long report(long counter, long ranks) {
        if (counter < base || counter >= end) {
            return 0;
        }
        int place = at(counter);
        reported[place] |= ranks;
        return reported[place];
    }

    long reportedBy(long counter) {
        return counter >= base && counter < end ? reported[at(counter)] : 0;
    }

    /** The head has made so many writes. */
    void known(long counter) {
        known = Math.max(known, counter);
    }

    /** Returns whether writes are missing that the head is known to have made. */
    boolean hasGap() {
        return contiguous < known;
    }

    /** Returns a clock below which no write is missing. */
    long missingFrom() {
        return contiguousClock + 1;
    }
}
