package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Page;
import io.georep.funnel.core.messages.FunnelMessages.Stored;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gets from another node everything newer than what this one has, page by page. */
final class CatchingUp {
    /** After so many pages in a row without an end, the node counts as one that does not keep up. */
    static final int BEHIND_MAX = 8;

    /** How long it waits for silent nodes at most, as a multiple of the first wait. */
    private static final int PATIENCE_MAX = 32;

    private final FunnelContext context;
    private final Commits commits;

    /** The peer that is asked; null if none is. */
    private @Nullable Peer from;

    /**
     * How far the transfer has come. Only the same sender can go on from there: each key comes with its newest commit
     * alone, so what has come up to this place is not all that was committed up to it.
     */
    private Version place = Version.NONE;

    /**
     * The parts of an incomplete transfer, by their places in the store; if a key changes meanwhile, only the newest part is
     * kept. They go into the tables when all are here. A member, and a node that may become one, must have all commits up to
     * some version and no others: a record of a client from behind a gap would make the operations in the gap look repeated.
     */
    private final Map<Slice, Item> collected = new LinkedHashMap<>();

    /** The place behind which a page was lost, as a later page showed; the page was asked for at once. */
    private @Nullable Version lostBehind;

    /** Whether parts are taken as they come, because no master can make this node a member of the next view. */
    boolean takesParts = true;

    /** Whether parts from other nodes are here, which may have more than the node that is asked now. */
    private boolean hasOtherParts;

    /** Removals up to this version need not be known, because everything is sent anew. */
    private Version wiped = Version.NONE;

    /** How many pages have come since the last one that was complete; {@link #BEHIND_MAX} before the first one. */
    private int behind = BEHIND_MAX;

    private long askedAt;
    private long heardAt;

    /** How long the newest page took after the one before: so will the next one. */
    private long gap;

    /**
     * How long nothing may come before another node is asked. This time grows with each node that is asked, because a page may
     * take long on every link.
     */
    private long patience;

    CatchingUp(FunnelContext context, Commits commits) {
        this.context = context;
        this.commits = commits;
        stop();
    }

    boolean isUnderWay() {
        return from != null;
    }

    /** Returns whether what is here is to be dropped for what comes. */
    private boolean beginsAnew() {
        return !wiped.equals(context.progress.wiped());
    }

    /** Returns how much has come that is not taken yet. */
    int collected() {
        return collected.size();
    }

    void stop() {
        from = null;
        collected.clear();
        takesParts = true;
        behind = BEHIND_MAX;
        gap = 0;
        patience = patienceNanos();
    }

    /** Begins, unless it is under way with that node. */
    void ask(Peer whom, Turn turn) {
        if (!isFrom(whom)) {
            boolean wasSilent = from != null && isOver(heardAt, patience, turn.now());
            patience = Math.min(PATIENCE_MAX * patienceNanos(), wasSilent ? 2 * patience : patience);
            from = whom;
            collected.clear();
            place = context.progress.applied();
            context.progress.endAnew();
            wiped = context.progress.wiped();
            hasOtherParts = context.isPartial();
            lostBehind = null;
            behind = BEHIND_MAX;
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
            place = !beginsAnew() && place.isBefore(context.progress.applied()) ? context.progress.applied() : place;
            context.store(turn); // so that what this message says still holds after a crash
            FunnelMessages.catchUp(context.message(), place, wiped, isFollowing());
            turn.sendWhenDurable(whom, FunnelMessages.CATCH_UP, context.scratch.toSlice(), true);
        }
    }

    void peerReachable(Peer peer, Turn turn) {
        if (isFrom(peer)) {
            behind = BEHIND_MAX;
            heardAt = turn.now();
            send(turn);
        }
    }

    /**
     * Returns whether to ask another node: nothing has come for longer than a page may take on a slow link, or the link
     * broke after everything had come, so that the change loses nothing.
     */
    boolean isSilent(long now) {
        Peer whom = from;
        return whom == null || (isFollowing() ? !whom.linked() : isOver(heardAt, patience, now));
    }

    /** Returns the rank of the member that has yet to answer; behind the last one if nobody was asked. */
    int silentRank() {
        return from == null ? context.size() : context.rankOf(from.id());
    }

    /** All that the sender had has come, and it tells what follows. */
    private boolean isFollowing() {
        return behind == 0;
    }

    /** Returns whether everything had come, and what follows comes about as fast as it is committed. */
    boolean keepsUp() {
        Peer whom = from;
        return whom != null && whom.linked() && behind < BEHIND_MAX;
    }

    /**
     * A question waits for the disk. While the disk is full, the question is not asked again; otherwise questions would
     * pile up.
     */
    private boolean isOver(long since, long pause, long now) {
        return now - since > pause && context.storeState().takesEntries();
    }

    private long patienceNanos() {
        return 20 * context.settings.resendAfter().toNanos();
    }

    void tick(Turn turn) {
        long pause = 2 * Math.max(gap, context.settings.resendAfter().toNanos());
        if (from != null && isOver(askedAt, isFollowing() ? patience : Math.min(patience, pause), turn.now())) {
            send(turn);
        }
    }

    /**
     * Takes a page.
     *
     * @return whether everything that was there has come
     */
    boolean page(Peer sender, Page page, Turn turn) {
        boolean isLearning = context.standing.phase() == Standing.Phase.LEARNING;
        if (!isFrom(sender) || (page.full() && context.isServing())) {
            return false;
        }
        if (place.isBefore(page.from())) {
            heardAt = turn.now();
            if (!place.equals(lostBehind)) { // once for all pages behind the lost one
                lostBehind = place;
                send(turn);
            }
            return false;
        }
        List<Item> items = items(page); // before anything is changed: one may be malformed
        gap = isFollowing() ? 0 : turn.now() - heardAt;
        heardAt = turn.now();
        if (page.full() && !page.horizon().equals(wiped)) { // otherwise this answers a repetition of the question
            wiped = page.horizon();
            collected.clear();
            place = Version.NONE;
            behind = BEHIND_MAX;
        }
        boolean isAgain = !page.complete()
                && !place.isBefore(page.until())
                && !place.equals(page.from()); // else older commits came to the sender meanwhile
        if (isAgain) {
            askedAt = turn.now(); // it was asked for twice, and what follows it too
            return false;
        }
        for (Item item : items) {
            Slice key = Slice.of(item.storeKey());
            collected.remove(key); // it is to be the last one
            boolean isForgotten = item instanceof Cell cell && cell.value == null && !cell.isNewerThan(page.horizon());
            if (!isForgotten || !beginsAnew()) {
                collected.put(key, item);
            }
        }
        place = place.isBefore(page.until()) ? page.until() : place;
        if (page.complete() || (isLearning && takesParts)) {
            take(turn);
            if (page.complete()) {
                ends(page, isLearning, turn);
            } else {
                forget(place.isBefore(page.horizon()) ? place : page.horizon(), turn);
            }
            // Together with the parts: the newest record says how much is here only if nothing before it is missing.
            context.storeSelf(turn);
        }
        if (isLearning && page.complete() && hasOtherParts && context.isPartial()) {
            beginAnew(turn);
            return false;
        }
        if (isLearning || !page.complete()) {
            behind = page.complete() ? 0 : Math.min(behind + 1, BEHIND_MAX);
            send(turn);
        } else {
            stop();
        }
        return page.complete();
    }

    /**
     * What the other nodes had beyond this is lost with them. Their parts are dropped: they would compete with what is
     * committed in its place.
     */
    private void beginAnew(Turn turn) {
        wiped = Version.NONE;
        dropAll(wiped, turn);
        place = Version.NONE;
        behind = BEHIND_MAX;
        hasOtherParts = false;
        send(turn);
    }

    /** Takes what has come. */
    private void take(Turn turn) {
        if (beginsAnew()) {
            dropAll(wiped, turn);
        }
        for (Item item : collected.values()) {
            if (!item.isNewerThan(context.progress.applied())) {
                continue; // commits overtook it, and a removal among them may be forgotten
            }
            if (item instanceof ClientRecord client) {
                commits.takeClient(client, turn);
            } else if (item instanceof Cell cell) {
                commits.take(cell, turn);
            }
        }
        collected.clear();
    }

    private void ends(Page page, boolean isLearning, Turn turn) {
        context.progress.takenUpTo(page.until());
        place = context.progress.applied();
        patience = patienceNanos();
        if (context.progress.horizon().isBefore(page.horizon())) {
            if (isLearning) {
                forget(page.horizon(), turn);
            }
            context.progress.forgetUpTo(page.horizon());
        }
    }

    private void forget(Version upTo, Turn turn) {
        context.forgetRemovals(upTo, cell -> false, turn);
    }

    private static List<Item> items(Page page) {
        List<Item> items = new ArrayList<>(page.items().size());
        for (Stored stored : page.items()) {
            byte[] record = stored.record().toArray();
            items.add(
                    stored.isClient()
                            ? ClientRecord.read(FunnelLayout.clientPlace(stored.name()), record)
                            : Cell.of(FunnelLayout.keyPlace(stored.name()), record));
        }
        return items;
    }

    /** The sender has forgotten removals that this node may not know, so what this node has is dropped. */
    private void dropAll(Version horizon, Turn turn) {
        context.standing.loseContent();
        commits.dropAll(turn); // forgotten removals may have removed these, too
        commits.toldUntil(context.newest());
        context.tables.clear(context.store(turn), context.shown::changed);
        context.progress.beginAnew(horizon);
        context.storeSelf(turn);
    }
}
