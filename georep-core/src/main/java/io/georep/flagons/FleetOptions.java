package io.georep.flagons;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How one operation on a fleet map is done. Begin with one of the constants.
 *
 * @param consistency how much of the order it waits for
 * @param quorum how many of the nodes that have the key must return the same
 * @param deadline how long it waits for its outcome
 * @param session of the user; null for none
 * @param request names the operation, so that it takes effect once however often it is repeated, here or at other nodes; null if it is not repeated
 */
public record FleetOptions(
        FleetConsistency consistency,
        int quorum,
        Duration deadline,
        @Nullable FleetSession session,
        @Nullable UUID request) {
    /** The largest quorum. A group of nodes that have the same keys has at least as many members, if the fleet has. */
    public static final int QUORUM_MAX = 6;

    /** The longest deadline. */
    public static final Duration DEADLINE_MAX = Duration.ofMinutes(5);

    /** At its place in the order, within 10 seconds. */
    public static final FleetOptions ORDERED = of(FleetConsistency.ORDERED);

    /** Changes at their place in the order; gets of up to three seconds ago. Within 10 seconds. */
    public static final FleetOptions CONVERGING = of(FleetConsistency.CONVERGING);

    /** At once, within 10 seconds at most. */
    public static final FleetOptions ANY = of(FleetConsistency.ANY);

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if one is not kept
     */
    public FleetOptions {
        Objects.requireNonNull(consistency, "consistency");
        if (quorum < 1 || quorum > QUORUM_MAX) {
            throw new IllegalArgumentException("a quorum of " + quorum + ", allowed are 1 to " + QUORUM_MAX);
        }
        if (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(DEADLINE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "a deadline of " + deadline + ", allowed are " + Duration.ofMillis(1) + " to " + DEADLINE_MAX);
        }
    }

    private static FleetOptions of(FleetConsistency consistency) {
        return new FleetOptions(consistency, 1, Duration.ofSeconds(10), null, null);
    }

    /** Returns these options with another quorum. More than 1 is for changes, and for gets at their place in the order. */
    public FleetOptions quorum(int members) {
        return new FleetOptions(consistency, members, deadline, session, request);
    }

    /** Returns these options with another deadline. */
    public FleetOptions within(Duration time) {
        return new FleetOptions(consistency, quorum, time, session, request);
    }

    /** Returns these options for a session. */
    public FleetOptions in(FleetSession user) {
        return new FleetOptions(consistency, quorum, deadline, user, request);
    }

    /** Returns these options for one operation, which may be repeated with them. Use a random UUID for each operation. */
    public FleetOptions request(UUID name) {
        return new FleetOptions(consistency, quorum, deadline, session, name);
    }
}
