package io.georep.flagons.core;

import java.security.PublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the nodes of a fleet spread and order operations. All nodes of a fleet have the same settings.
 *
 * @param paper whether times are counted and ages are hops, as printed; otherwise hybrid clocks and milliseconds
 * @param fanout to how many nodes a ball goes
 * @param whole to how many of them the events themselves go; the others get hints, and ask for what they lack
 * @param horizon the age above which an event is stable: milliseconds, or hops
 * @param relays in how many rounds a node passes an event on; in the profile of the paper each copy is passed on
 * @param roundMillis from one ball to the next
 * @param viewSize how many nodes a node knows for passing on
 * @param shuffleLength how many of them it exchanges at a time
 * @param shuffleMillis from one exchange to the next
 * @param antiEntropyMillis from one comparison with a member of the group to the next
 * @param groupMin a group with fewer members is merged with its neighbour
 * @param groupMax a group with more members is divided
 * @param topDown whether ranges are divided from the top, which settles for any positions; otherwise each group
 *     doubles and halves as printed
 * @param clockBoundMillis how far a time may be from this node's wall clock
 * @param ballBytesMax most bytes of events in a message
 * @param perSourceMax most events of one source on their way
 * @param holesMax the share of events that a node may miss or hear too late before it does more
 * @param writers the keys of those who may change something; empty if anybody may
 * @param retentionMillis how long operations are kept one by one; a node that was away for longer starts empty
 */
public record FleetSettings(
        boolean paper,
        int fanout,
        int whole,
        long horizon,
        int relays,
        long roundMillis,
        int viewSize,
        int shuffleLength,
        long shuffleMillis,
        long antiEntropyMillis,
        int groupMin,
        int groupMax,
        boolean topDown,
        long clockBoundMillis,
        int ballBytesMax,
        int perSourceMax,
        double holesMax,
        List<Writers.Key> writers,
        long retentionMillis) {
    private static final long ROUND = 125;
    private static final int WHOLE = 3;
    private static final double HOLES = 1e-3;
    private static final int BALL_BYTES = 48 * 1024;
    private static final long DAY = 86_400_000L;

    /** Checks what would never work. */
    public FleetSettings {
        if (whole < 1 || whole > fanout) {
            throw new IllegalArgumentException("whole events go to 1 node or more, and to no more than hints do");
        }
        if (fanout < 1 || fanout > viewSize || shuffleLength < 1 || shuffleLength > viewSize) {
            throw new IllegalArgumentException("fanout and length of a shuffle are from 1 to the size of the view");
        }
        if (relays < 1) {
            throw new IllegalArgumentException("an event that nobody passes on reaches nobody");
        }
        if (groupMin < 1 || groupMax < 2 * groupMin) {
            throw new IllegalArgumentException("a group that was divided must be large enough: max >= 2 min");
        }
    }

    /** Returns the settings for fleets of up to about so many nodes: age in milliseconds, two rounds of relaying. */
    public static FleetSettings hardened(int nodes) {
        return hardened(nodes, ROUND);
    }

    /** Returns the same with another time from one ball to the next, on which all others depend. */
    public static FleetSettings hardened(int nodes, long round) {
        boolean isSmall = nodes <= 300;
        // In a large fleet a node asks for part of the events, which takes longer than to be sent them.
        int fanout = isSmall ? 11 : nodes <= 1000 ? 10 : 12;
        int rounds = isSmall ? 12 : nodes <= 1000 ? 22 : 24;
        return new FleetSettings(
                false,
                fanout,
                isSmall ? fanout : WHOLE,
                rounds * round,
                2,
                round,
                30,
                5,
                round,
                4 * round,
                6,
                12,
                true,
                5000,
                BALL_BYTES,
                512,
                HOLES,
                List.of(),
                DAY);
    }

    /** Returns the settings as printed, with ages in hops and relaying until the end. */
    public static FleetSettings paper(int fanout, int hops) {
        return new FleetSettings(
                true,
                fanout,
                fanout,
                hops,
                1,
                ROUND,
                20,
                5,
                ROUND,
                ROUND,
                6,
                12,
                false,
                5000,
                BALL_BYTES,
                1 << 20,
                HOLES,
                List.of(),
                DAY);
    }

    /** Returns these settings with another time for which operations are kept one by one. */
    FleetSettings keeping(long otherRetentionMillis) {
        return with(writers, otherRetentionMillis);
    }

    /** Returns these settings for a fleet in which only those with one of these keys, for Ed25519, change anything. */
    public FleetSettings writtenBy(List<PublicKey> allowed) {
        return writtenBy(allowed, Map.of());
    }

    /** Returns the same; what one of the other keys has signed counts at places before the time of this key. */
    public FleetSettings writtenBy(List<PublicKey> allowed, Map<PublicKey, Instant> retired) {
        List<Writers.Key> keys = new ArrayList<>();
        allowed.forEach(key -> keys.add(new Writers.Key(key, Long.MAX_VALUE)));
        retired.forEach((key, until) -> keys.add(new Writers.Key(key, until.toEpochMilli())));
        return with(List.copyOf(keys), retentionMillis);
    }

    private FleetSettings with(List<Writers.Key> otherWriters, long otherRetentionMillis) {
        return new FleetSettings(
                paper,
                fanout,
                whole,
                horizon,
                relays,
                roundMillis,
                viewSize,
                shuffleLength,
                shuffleMillis,
                antiEntropyMillis,
                groupMin,
                groupMax,
                topDown,
                clockBoundMillis,
                ballBytesMax,
                perSourceMax,
                holesMax,
                otherWriters,
                otherRetentionMillis);
    }

    /** Returns after how long an event is stable, at about the latest. */
    long stableMillis() {
        return paper ? horizon * roundMillis : horizon;
    }

    /** Returns how long a node may be away and go on with what it has on disk. */
    long awayMillisMax() {
        return retentionMillis / 2;
    }
}
