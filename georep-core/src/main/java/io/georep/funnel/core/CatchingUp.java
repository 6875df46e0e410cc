package io.georep.funnel.core;

import io.georep.funnel.core.FunnelMessages.Page;
import io.georep.funnel.core.FunnelMessages.Stored;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/** Gets from another node everything newer than what this one has, page by page. */
final class CatchingUp {
    private final FunnelContext context;
    private final Commits commits;

    /** Who is asked; null if nobody is. */
    private @Nullable Peer from;

    private boolean isFollowing;
    private long askedAt;
    private long heardAt;

    CatchingUp(FunnelContext context, Commits commits) {
        this.context = context;
        this.commits = commits;
    }

    boolean isUnderWay() {
        return from != null;
    }

    void stop() {
        from = null;
        isFollowing = false;
    }

    /** Begins, unless it is under way with that node. */
    void ask(Peer whom, Turn turn) {
        if (!isFrom(whom)) {
            from = whom;
            isFollowing = false;
            heardAt = turn.now();
            send(turn);
        }
    }

    private boolean isFrom(Peer peer) {
        return from != null && from.id().equals(peer.id());
    }

    private void send(Turn turn) {
        Peer whom = from;
        if (whom != null) {
            askedAt = turn.now();
            context.store(turn); // so that what is said here is there after a crash
            FunnelMessages.catchUp(context.message(), context.applied, context.wiped, isFollowing);
            turn.sendWhenDurable(whom, FunnelMessages.CATCH_UP, context.scratch.toSlice(), true);
        }
    }

    void peerReachable(Peer peer, Turn turn) {
        if (isFrom(peer)) {
            isFollowing = false;
            send(turn);
        }
    }

    /** Whether nothing has come for so long that somebody else is to be asked; a page may take its time on a slow link. */
    boolean isSilent(long now) {
        return from == null || (!isFollowing && isOver(heardAt, patienceNanos(), now));
    }

    /** Returns the rank of the member that has yet to answer; behind the last one if nobody was asked. */
    int silentRank() {
        return from == null ? context.size() : context.rankOf(from.id());
    }

    /** Whether everything has come that was there, and what follows is told. */
    boolean isFollowing() {
        return isFollowing;
    }

    /** A question waits for the disk. While that is full it is not asked again, or all of them would pile up. */
    private boolean isOver(long since, long pause, long now) {
        return now - since > pause && context.store.takesEntries();
    }

    private long patienceNanos() {
        return 20 * context.settings.resendAfter().toNanos();
    }

    void tick(Turn turn) {
        long pause = isFollowing
                ? patienceNanos()
                : 2 * context.settings.resendAfter().toNanos();
        if (from != null && isOver(askedAt, pause, turn.now())) {
            send(turn);
        }
    }

    /**
     * Takes a page.
     *
     * @return whether everything that was there has come
     */
    boolean page(Peer sender, Page page, Turn turn) {
        boolean isLearning = context.phase == FunnelContext.Phase.LEARNING;
        if (!isFrom(sender) || (page.full() && context.isServing()) || context.applied.isBefore(page.from())) {
            return false;
        }
        heardAt = turn.now();
        if (page.full() && !page.horizon().equals(context.wiped)) {
            dropAll(page.horizon(), turn); // else this is the answer to a question that was repeated
        }
        for (Stored stored : page.items()) {
            byte[] record = stored.record().toArray();
            Slice name = stored.name();
            if (stored.isClient()) {
                commits.takeClient(FunnelLayout.clientPlace(name), record, turn);
            } else {
                commits.take(FunnelLayout.keyPlace(name), record, turn);
            }
        }
        if (context.applied.isBefore(page.until())) {
            context.applied = page.until();
        }
        if (context.horizon.isBefore(page.horizon()) && page.complete()) {
            context.horizon = page.horizon();
        }
        if (isLearning || !page.complete()) {
            isFollowing = page.complete();
            send(turn);
        } else {
            stop();
        }
        return page.complete();
    }

    /** Removals were forgotten that this node may not know: what it has is worth nothing. */
    private void dropAll(Version horizon, Turn turn) {
        context.wasServing = false;
        context.mirror.readable(Lease.NONE);
        commits.toldUntil(context.applied);
        context.tables.clear(context.store(turn), context::show);
        context.applied = Version.NONE;
        context.durablyApplied = Version.NONE;
        context.activeView = 0;
        context.horizon = horizon;
        context.wiped = horizon;
        context.storeSelf(turn);
    }
}
