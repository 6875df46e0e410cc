package io.georep.flagons;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one user has seen of a fleet. Operations with the same session, one after the other, see what earlier ones have written and
 * seen, or something newer, at whatever node they are. Not bound to a node: {@link #mark} goes with the user, and makes the session at
 * another node. Thread-safe.
 */
public final class FleetSession {
    private static final Pattern MARK = Pattern.compile("([0-9a-f]{1,16})-([0-9a-f]{1,16})");

    private FleetPlace seen;

    /** Creates a session that has seen nothing. */
    public FleetSession() {
        this(FleetPlace.NONE);
    }

    private FleetSession(FleetPlace seen) {
        this.seen = seen;
    }

    /**
     * Creates a session that has seen what another one had.
     *
     * @param mark of the other session
     * @throws IllegalArgumentException if no session has such a mark
     */
    public static FleetSession of(String mark) {
        Matcher parts = MARK.matcher(mark);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "'" + mark + "' is not the mark of a session: pass on what mark() of the session has returned");
        }
        return new FleetSession(
                new FleetPlace(Long.parseUnsignedLong(parts.group(1), 16), Long.parseUnsignedLong(parts.group(2), 16)));
    }

    /** Returns what it has seen, in at most 33 characters of ASCII. */
    public String mark() {
        FleetPlace place = seen();
        return Long.toHexString(place.time()) + "-" + Long.toHexString(place.source());
    }

    /** Returns the latest place that it has seen; {@link FleetPlace#NONE} if none. */
    public synchronized FleetPlace seen() {
        return seen;
    }

    /** Tells it of a place that it is not to go back behind, for example of a result that another user has passed on. */
    public synchronized void saw(FleetPlace place) {
        if (place.compareTo(seen) > 0) {
            seen = place;
        }
    }

    @Override
    public String toString() {
        return mark();
    }
}
