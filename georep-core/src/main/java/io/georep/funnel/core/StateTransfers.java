package io.georep.funnel.core;

import io.georep.funnel.core.Tables.Cursor;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.CatchUp;
import io.georep.funnel.core.messages.Version;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends everything newer than a version, in pages, to nodes that ask for it. Each question acknowledges a page. As many
 * pages are on their way at a time as the link has room for. So a transfer is as fast as its receiver, and goes on
 * where it was cut off. A transfer begins anew only if this node has forgotten removals that the receiver does not know.
 */
final class StateTransfers {
    private static final int PAGE_ITEMS = 4096;

    /** Most pages to one receiver that are not acknowledged. At first it is one, and one more each time: the link may have little room. */
    static final int WINDOW = 8;

    /** For how long after its last progress removals, and its place, are kept for a learner. */
    private static final long LEARNER_NANOS = 60_000_000_000L;

    /** Where the next page begins, and the ends of those on the way. */
    private static final class Place {
        final Cursor cursor;
        final ArrayDeque<Version> sent = new ArrayDeque<>();
        Version version;
        int window = 1;

        Place(Version version, Cursor cursor) {
            this.version = version;
            this.cursor = cursor;
        }

        /** Takes the acknowledgement of a page and of all before it. Returns false if no page under way ends there. */
        boolean acknowledged(Version until) {
            if (!sent.contains(until)) {
                return false;
            }
            while (!sent.remove().equals(until)) {
                // links keep the order, so those before have come too
            }
            window = Math.min(WINDOW, window + 1);
            return true;
        }
    }

    private final FunnelContext context;

    /** Where the next page of each receiver begins. */
    private final Map<NodeId, Place> places = new TreeMap<>();

    /** Receivers that want to be told of the next commits. */
    private final Map<NodeId, CatchUp> followers = new TreeMap<>();

    /** What nodes that are no members have durably, as far as they said. */
    private final Map<NodeId, Learner> learners = new TreeMap<>();

    /** What is known of a node that is no member. */
    private static final class Learner {
        /** It had everything up to this version when its transfer began. If the transfer is cut off, it joins with this. */
        Version applied;

        /** How far the transfer has come. */
        Version place;

        /** Whether it had everything when it asked last. */
        boolean follows;

        /** When it last made progress. */
        long at;

        /**
         * The version at which it began anew here, as it was told. It has nothing but what it was sent since, so it
         * needs only the removals of those keys, no more than there were at its place. Null if it may have more.
         */
        @Nullable
        Version wiped;

        /** The newest key that it was sent. */
        long born;

        Learner(CatchUp question, long now) {
            applied = question.applied();
            place = question.applied();
            follows = question.follow();
            at = now;
        }

        /**
         * Returns whether so many removals may be kept for it. A node that follows may join at any time and must not
         * begin anew.
         */
        boolean isWaitedFor(long removals, long most) {
            return removals <= (follows || wiped != null ? 2 * most : most);
        }

        /** Returns whether it goes on with what it was sent here. */
        boolean goesOn(CatchUp question) {
            return question.wiped().equals(wiped);
        }

        boolean needs(Cell removed) {
            return wiped != null && removed.born <= born && removed.isNewerThan(place);
        }
    }

    StateTransfers(FunnelContext context) {
        this.context = context;
    }

    void begin() {
        places.values().forEach(this::close);
        places.clear();
        followers.clear();
        learners.clear();
    }

    private void close(@Nullable Place place) {
        if (place != null) {
            context.tables.close(place.cursor);
        }
    }

    void asked(Peer from, CatchUp question, Turn turn) {
        boolean serves = context.isServing() || context.standing.phase() == Standing.Phase.FLUSHING;
        if (!serves) {
            return;
        }
        if (context.rankOf(from.id()) < 0) {
            learns(learners.computeIfAbsent(from.id(), id -> new Learner(question, turn.now())), question, turn.now());
        }
        followers.remove(from.id());
        if (question.follow() && !question.applied().isBefore(context.progress.applied())) {
            followers.put(from.id(), question);
        } else if (from.writable(FunnelLayout.CHANNEL) || !isRepeated(from, question)) {
            answer(from, question, turn);
        } // else the page that answers it is still on its way
    }

    private void learns(Learner learner, CatchUp question, long now) {
        Version place = question.applied();
        // A place that changes may also be the beginning, if it begins anew.
        if (!learner.place.equals(place) || !place.isBefore(context.progress.applied())) {
            boolean isAll = question.follow() || place.isBefore(learner.applied);
            learner.applied = isAll ? place : learner.applied;
            learner.place = place;
            learner.follows = question.follow();
            learner.at = now;
        }
        boolean isAgain = place.equals(Version.NONE) && question.wiped().equals(learner.wiped);
        if (isAgain || (question.follow() && !place.isBefore(context.progress.horizon()))) {
            learner.wiped = null; // from the beginning again, it may have been sent something elsewhere
        }
    }

    private boolean isRepeated(Peer from, CatchUp question) {
        Place place = places.get(from.id());
        return place != null && !place.version.equals(question.applied());
    }

    private void answer(Peer to, CatchUp question, Turn turn) {
        Version has = question.applied();
        Version since = has.isBefore(question.wiped()) ? question.wiped() : has;
        Learner learner = learners.get(to.id());
        boolean full = since.isBefore(context.progress.horizon()) && (learner == null || !learner.goesOn(question));
        if (full && learner != null && learner.wiped == null && context.isServing()) {
            learner.wiped = context.progress.horizon();
        }
        Version from = full ? Version.NONE : has;
        Place place = places.get(to.id());
        if (place == null || (!place.acknowledged(from) && !place.version.equals(from))) {
            close(place);
            place = new Place(from, context.tables.after(from));
            places.put(to.id(), place);
        }
        boolean isMore = place.sent.size() < place.window && (place.cursor.next != null || place.sent.isEmpty());
        while (isMore) {
            isMore = send(to, place, full, turn)
                    && !full // the receiver must have dropped all before it gets the next one
                    && place.sent.size() < place.window
                    && to.writable(FunnelLayout.CHANNEL);
        }
    }

    /** Sends a page; whether there is another one. */
    private boolean send(Peer to, Place place, boolean full, Turn turn) {
        Version from = place.version;
        List<Item> items = page(place.cursor);
        boolean isComplete = place.cursor.next == null;
        Version until = context.progress.applied();
        Version horizon = context.progress.horizon();
        Learner learner = learners.get(to.id());
        if (learner != null && learner.wiped != null) {
            items.forEach(item ->
                    learner.born = item instanceof Cell cell ? Math.max(learner.born, cell.born) : learner.born);
            // The same removals if it asks again; otherwise it would begin anew for each page of them.
            horizon = full && !isComplete ? learner.wiped : horizon;
        }
        if (!isComplete) {
            Item last = items.get(items.size() - 1);
            until = last.isNewerThan(from) ? new Version(last.view, last.commit) : from;
        }
        place.version = until;
        place.sent.add(until);
        FunnelMessages.page(
                context.message(),
                full,
                isComplete,
                from,
                until,
                horizon,
                items.stream().map(Item::stored).toList());
        turn.send(to, FunnelMessages.PAGE, context.scratch.toSlice(), false);
        return !isComplete;
    }

    /** Whole commits: what one commit changed is in one page. */
    private List<Item> page(Cursor cursor) {
        List<Item> items = new ArrayList<>();
        int bytes = 0;
        Item next = cursor.next;
        while (next != null) {
            boolean isSameCommit = !items.isEmpty() && isSameCommit(items.get(items.size() - 1), next);
            if (!isSameCommit && (bytes >= context.pageBytes || items.size() >= PAGE_ITEMS)) {
                break;
            }
            items.add(next);
            bytes += next.storeKey().length + next.record().length;
            next = next.next;
        }
        cursor.next = next;
        return items;
    }

    private static boolean isSameCommit(Item a, @Nullable Item b) {
        return b != null && a.view == b.view && a.commit == b.commit;
    }

    /**
     * Returns up to which version removals may be forgotten, except those that a learner {@link #needs}, which are kept until
     * it gets them. A node that only follows, because it may not join, soon gets all of them. Nothing is kept for a node that
     * makes no progress or needs too many: it begins anew, and then needs no more than there are keys.
     */
    Version forgettable(Version appliedByAll, long now) {
        Version known = appliedByAll;
        for (Map.Entry<NodeId, Learner> each : List.copyOf(learners.entrySet())) {
            Learner learner = each.getValue();
            boolean getsOn = now - learner.at <= LEARNER_NANOS;
            if (getsOn && learner.isWaitedFor(context.tables.removals(), context.settings.keysMax())) {
                boolean isBound = learner.wiped == null || learner.follows;
                known = isBound && learner.applied.isBefore(known) ? learner.applied : known;
                continue;
            }
            learner.wiped = null;
            if (!getsOn && !isLinked(each.getKey())) {
                learners.remove(each.getKey());
                close(places.remove(each.getKey()));
            }
        }
        return known;
    }

    /** Returns whether a node that is no member was sent this key, and is still to hear that it was removed. */
    boolean needs(Cell removed) {
        for (Learner learner : learners.values()) {
            if (learner.needs(removed)) {
                return true;
            }
        }
        return false;
    }

    private boolean isLinked(NodeId id) {
        Peer peer = context.peers.find(id);
        return peer != null && peer.linked();
    }

    /** Tells those who follow what was committed in this turn. */
    void endOfTurn(Turn turn) {
        if (followers.isEmpty() || !context.isServing()) {
            return;
        }
        List<NodeId> told = new ArrayList<>();
        for (Map.Entry<NodeId, CatchUp> follower : followers.entrySet()) {
            Peer peer = context.peers.find(follower.getKey());
            if (peer == null || !peer.linked()) {
                told.add(follower.getKey());
            } else if (follower.getValue().applied().isBefore(context.progress.applied())) {
                told.add(follower.getKey());
                answer(peer, follower.getValue(), turn);
            }
        }
        told.forEach(followers::remove);
    }
}
