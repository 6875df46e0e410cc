package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which log a member belongs to: that of its seats, until it hears of one that it has to go over to. A member without
 * a log is then taught that one, and founds none before its next boot. A member of a log from which another one has
 * gone on takes the entries of the other one, if it knows no more to be decided than the two have in common; otherwise
 * it takes part in nothing more. It stores that it has left its log, so it never votes there again.
 */
public final class Allegiance {
    private final Journal journal;
    private final LogOutlet outlet;

    /** The log that this member goes over to. It counts while the member still has the log that it has left. */
    private @Nullable Departure departure;

    /** A node that has a log of the group, if this member has none and has heard of one. */
    private @Nullable NodeId elder;

    private long elderLog;

    Allegiance(Journal journal, @Nullable Departure stored, LogOutlet outlet) {
        this.journal = journal;
        this.outlet = outlet;
        departure = stored;
    }

    private @Nullable Departure departure() {
        Departure known = departure;
        return known == null || known.left() != journal.seats().log() ? null : known;
    }

    /** Returns the log that messages of this member belong to; 0 for none. */
    public long log() {
        Departure known = departure();
        return known == null || known.isForGood()
                ? journal.seats().log()
                : known.to().log();
    }

    /** Returns who has a log of the group, if this member has none and must not found one; null otherwise. */
    @Nullable
    NodeId elder() {
        return journal.seats().log() == 0 ? elder : null;
    }

    /** Returns whether it has left its log, and has not come to where the other one begins. */
    public boolean goesOver() {
        return departure() != null;
    }

    /** Returns whether it knows more to be decided than the other log has taken over, so that it takes part in nothing more. */
    public boolean hasEnded() {
        Departure known = departure();
        return known != null && known.isForGood();
    }

    /** Takes note that a node has this log. */
    LogRelation hears(NodeId from, LogPlace other) {
        long own = journal.seats().log();
        if (other.log() == 0 || other.log() == own) {
            return LogRelation.KNOWN;
        } else if (own == 0) {
            return hearsWithout(from, other);
        }
        LogPlace present = place();
        if (other.log() == present.log()) {
            return LogRelation.KNOWN;
        } else if (other.goesOnFrom(present.log())) {
            return leaves(other, present);
        }
        return present.goesOnFrom(other.log()) || hasEnded() ? LogRelation.KNOWN : LogRelation.UNLIKE;
    }

    private LogRelation hearsWithout(NodeId from, LogPlace other) {
        if (elder != null ? elderLog == other.log() || !other.goesOnFrom(elderLog) : journal.begins(other.log())) {
            return LogRelation.KNOWN;
        }
        elder = from;
        elderLog = other.log();
        return LogRelation.ELDER;
    }

    private LogRelation leaves(LogPlace to, LogPlace present) {
        boolean isForGood = hasEnded() || !to.has(present.log(), journal.decided());
        Departure next = new Departure(journal.seats().log(), to, isForGood);
        Departure before = departure();
        if (before == null || before.to().log() != to.log()) {
            outlet.storeDeparture(next);
        }
        departure = next;
        return isForGood ? LogRelation.ENDED : LogRelation.NEXT;
    }

    private List<Origin> origins() {
        Departure known = departure();
        return known == null || known.isForGood()
                ? journal.seats().origins()
                : known.to().origins();
    }

    /** Returns whether the log that it belongs to has gone on from another one. */
    public boolean hasOrigins() {
        return !origins().isEmpty();
    }

    /** Returns whether the log that it belongs to has gone on from this one. */
    public boolean hasGoneOnFrom(long log) {
        for (Origin each : origins()) {
            if (each.log() == log) {
                return true;
            }
        }
        return false;
    }

    /** Returns what this member tells others: where it is in the log that it belongs to. */
    public LogPlace place() {
        return new LogPlace(log(), journal.decided(), journal.last(), origins());
    }
}
