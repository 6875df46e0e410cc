package io.georep.consensus;

import io.georep.model.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Which log a member belongs to: that of its seats, until it hears in this boot that there is one that it has to go over to. A member without
 * a log then founds none, and is taught the other one. A member of a log that another one has gone on from takes the entries of that one, if it
 * knows no more to be decided than the two have in common; otherwise it takes part in nothing more.
 */
final class Allegiance {
    private final Journal journal;

    /** Where it goes over to, from whom it heard that, and which log it had then. It counts while it still has that one. */
    private @Nullable LogPlace next;

    private @Nullable NodeId elder;
    private long left;

    Allegiance(Journal journal) {
        this.journal = journal;
    }

    private @Nullable LogPlace next() {
        return journal.seats().log() == left ? next : null;
    }

    /** Returns the log that messages of this member belong to; 0 for none. */
    long log() {
        LogPlace to = next();
        return to == null || left == 0 || hasEnded() ? journal.seats().log() : to.log();
    }

    /** Returns who has a log of the group, if this member has none and must not found one; null otherwise. */
    @Nullable
    NodeId elder() {
        return next() != null && left == 0 ? elder : null;
    }

    /** Returns whether it has left its log, and has not come to where the other one begins. */
    boolean goesOver() {
        return next() != null && left != 0;
    }

    /** Returns whether it knows more to be decided than the other log has taken over, so that it can take nothing of that. */
    boolean hasEnded() {
        LogPlace to = next();
        return to != null && left != 0 && !to.has(left, journal.decided());
    }

    /** A node has this log. */
    Kinship hears(NodeId from, LogPlace place) {
        long own = journal.seats().log();
        LogPlace to = next();
        if (place.log() == 0 || place.log() == own || (to != null && place.log() == to.log())) {
            return Kinship.KNOWN;
        }
        if (own == 0 ? to == null && !journal.begins(place.log()) : place.goesOnFrom(to == null ? own : to.log())) {
            next = place;
            elder = from;
            left = own;
            return own == 0 ? Kinship.ELDER : hasEnded() ? Kinship.ENDED : Kinship.NEXT;
        }
        boolean isFormer = own == 0 || place().goesOnFrom(place.log()) || (to != null && to.goesOnFrom(place.log()));
        return isFormer ? Kinship.KNOWN : Kinship.UNLIKE;
    }

    /** Returns what this member tells others. */
    LogPlace place() {
        LogPlace to = next();
        boolean isOwn = to == null || left == 0 || hasEnded();
        return new LogPlace(
                isOwn ? journal.seats().log() : to.log(),
                journal.decided(),
                journal.last(),
                isOwn ? journal.seats().origins() : to.origins());
    }
}
