package io.georep.flagons.local;

import io.georep.concurrent.Registrations.Registered;
import io.georep.flagons.core.Page;
import io.georep.model.Slice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is still to be asked of the groups for the listener of a prefix. The positions of keys are asked for in parts, so that one group that
 * does not answer holds up its part only. Application thread.
 */
final class Listing {
    /** A power of two. */
    static final int PARTS = 16;

    private static final long PART = Long.divideUnsigned(-1L, PARTS) + 1;

    final Registered<Watch> watch;
    final long begunAt;

    /** Whether there was one before, during which changes may have passed by. */
    final boolean isAnew;

    /** Whether changes may have passed by since it began. */
    boolean isOutdated;

    private int left = PARTS;

    /** Keys that were told before and are in no page: they are read before all counts as listed. */
    private final Set<Watch.Key> unheard = new HashSet<>();

    Listing(Registered<Watch> watch, long now, boolean isAnew) {
        this.watch = watch;
        begunAt = now;
        this.isAnew = isAnew;
    }

    /** Returns whether its listener is there, and was not listed for anew since. */
    boolean isOn() {
        return watch.isOn() && watch.listener().listing == this;
    }

    /** The rest of a part. */
    record Part(Listing of, long from, Slice after, long last) {
        Slice question() {
            return Page.question(from, after, last, of.watch.listener().prefix);
        }

        /** Returns whether a page can be the answer: otherwise it would be asked for again and again. */
        boolean isAnswer(Page page) {
            boolean isAhead = Long.compareUnsigned(page.next(), from) > 0
                    || (page.next() == from && Page.isBehind(page.after(), after));
            return page.isLast() || (isAhead && Long.compareUnsigned(page.next(), last) <= 0);
        }

        Part from(Page page) {
            return new Part(of, page.next(), page.after(), last);
        }
    }

    Part part(int number) {
        return new Part(this, PART * number, Slice.EMPTY, PART * number + (PART - 1));
    }

    /** Takes the keys that are to be read. */
    void reads(List<Watch.Key> keys) {
        unheard.addAll(keys);
    }

    /** Takes note that a key was read, and returns whether it was the last one of those. */
    boolean isDoneWith(Watch.Key key) {
        return unheard.remove(key) && unheard.isEmpty();
    }

    /** Returns whether with this part all were answered. */
    boolean isDoneWithOne() {
        return --left == 0;
    }
}
