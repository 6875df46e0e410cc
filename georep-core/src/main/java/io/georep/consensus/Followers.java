package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a leader knows of all members, by what they have said to it. */
final class Followers {
    private final Journal journal;
    private final TreeMap<NodeId, Follower> followers = new TreeMap<>();

    Followers(Journal journal) {
        this.journal = journal;
    }

    void add(NodeId member) {
        followers.computeIfAbsent(member, name -> new Follower(journal.decided() + 1));
    }

    void removeIf(Predicate<NodeId> condition) {
        followers.keySet().removeIf(condition);
    }

    @Nullable
    Follower find(NodeId member) {
        return followers.get(member);
    }

    void forEach(BiConsumer<NodeId, Follower> action) {
        followers.forEach(action);
    }

    /** Returns the member that has answered this leader with this seat; null if none has yet. */
    private @Nullable Follower of(Seat seat) {
        Follower follower = followers.get(seat.node());
        return follower == null || follower.seat == null || !seat.admits(follower.seat) ? null : follower;
    }

    long matchedBy(Seat seat) {
        Follower follower = of(seat);
        return follower == null ? -1 : follower.matched;
    }

    /** Returns for how long a seat has not renewed its promise to keep this leader, in nanoseconds. */
    long ageOf(Seat seat, long now) {
        Follower follower = of(seat);
        return follower == null ? Long.MAX_VALUE : now - follower.echo;
    }

    /** Returns how many seats have accepted everything up to a slot, and were heard since this time of the leader's clock. */
    int knowing(long slot, long since) {
        int knowing = 0;
        for (Seat seat : journal.seats().list()) {
            Follower follower = of(seat);
            knowing += follower != null && follower.matched >= slot && follower.echo - since >= 0 ? 1 : 0;
        }
        return knowing;
    }

    /** Returns how many seats were heard after this time of the leader's clock. */
    long heardAfter(long time) {
        return journal.seats().list().stream()
                .map(this::of)
                .filter(follower -> follower != null && follower.echo - time > 0)
                .count();
    }

    /** Returns up to where enough seats have accepted, and no farther than that. */
    long agreed(long most) {
        Seats seats = journal.seats();
        long[] matched = new long[seats.list().size()];
        for (int i = 0; i < matched.length; i++) {
            matched[i] = Math.min(most, matchedBy(seats.list().get(i)));
        }
        Arrays.sort(matched);
        return matched[matched.length - seats.quorum()];
    }

    /** Returns for how long enough seats have not renewed their promises, in nanoseconds. */
    long heardAge(long now) {
        Seats seats = journal.seats();
        long[] ages = new long[seats.list().size()];
        for (int i = 0; i < ages.length; i++) {
            ages[i] = ageOf(seats.list().get(i), now);
        }
        Arrays.sort(ages);
        return ages[seats.quorum() - 1];
    }

    /** Returns a member whose name has a seat, with another store, and that has caught up; null if there is none. */
    @Nullable
    Seat emptied() {
        for (Map.Entry<NodeId, Follower> each : followers.entrySet()) {
            Seat seat = each.getValue().seat;
            if (seat != null
                    && seat.lasts()
                    && journal.seats().names(each.getKey())
                    && !journal.seats().has(seat)
                    && isClose(each.getValue())) {
                return seat;
            }
        }
        return null;
    }

    /**
     * Returns the seats of these members: those that they have, or will have with the stores that have caught up. Empty if one has neither.
     */
    List<Seat> seats(Collection<NodeId> members) {
        List<Seat> seats = new ArrayList<>();
        for (NodeId member : new LinkedHashSet<>(members)) {
            Seat caughtUp = caughtUp(member);
            Seat known = caughtUp == null ? journal.seats().of(member) : caughtUp;
            if (known == null) {
                return List.of();
            }
            seats.add(known);
        }
        return seats;
    }

    /** Returns the seat of a member that has caught up and may have a vote; null otherwise. */
    private @Nullable Seat caughtUp(NodeId member) {
        Follower follower = followers.get(member);
        Seat seat = follower == null || !isClose(follower) ? null : follower.seat;
        return seat == null || !seat.lasts() ? null : seat;
    }

    /**
     * Under load a member that is farther away than others never has all that is decided. But it has to know the present seats: what it has
     * accepted behind them may be of a log that this one has gone on from.
     */
    private boolean isClose(Follower follower) {
        return follower.matched >= journal.seats().slot()
                && follower.matched >= journal.base()
                && follower.matched + Leadership.WINDOW >= journal.decided();
    }
}
