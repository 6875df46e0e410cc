package io.georep.funnel.core;

import io.georep.funnel.MapsStatus;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.Standing.Phase;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Holding;
import io.georep.funnel.core.messages.WriteId;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * This node's part in the views: it compares what it holds with the others when a view begins, learns while it is no member, and tells the
 * master what it has.
 */
final class Views {
    private final FunnelContext context;
    private final Commits commits;
    private final CatchingUp catchingUp;
    private final Gathering gathering;
    private final Repair repair;
    private final Parts parts;

    /** The initial content of the view; null until the tail has told it. */
    private @Nullable Holding start;

    private boolean isCaughtUp; // all commits of the initial content are here
    /** Writes of the initial content that are not here yet. */
    private final Set<WriteId> missing = new LinkedHashSet<>();

    private long incarnation;
    private long durablyActive; // the newest view in which the store is durably complete
    private long ready; // the view of which this node has what a member of it has, as a learner

    private long grantsFrom = Long.MIN_VALUE; // what was asked for before is for an earlier incarnation
    private long repeatAt;
    private long heardOfView;
    private boolean isUrgent;
    private ViewMaster.@Nullable Renewal said;
    private @Nullable MapsStatus status;
    private final Suspicion suspicion;

    /** The parts of the protocol that start afresh with a view. */
    interface Parts {
        /** The view begins: this node has its initial content, though perhaps not durably. */
        void begin(Turn turn);

        /** A newer view is known: nothing of the old one counts any more. */
        void end(Turn turn);

        /** The initial content of the view is durable here. */
        void ready(Turn turn);
    }

    Views(
            FunnelContext context,
            Commits commits,
            CatchingUp catchingUp,
            Gathering gathering,
            Repair repair,
            Parts parts) {
        this.context = context;
        this.suspicion = new Suspicion(context);
        this.commits = commits;
        this.catchingUp = catchingUp;
        this.gathering = gathering;
        this.repair = repair;
        this.parts = parts;
    }

    void boot(Turn turn) {
        durablyActive = context.standing.activeView();
        incarnate(turn);
    }

    private void incarnate(Turn turn) {
        incarnation = context.incarnation(turn);
        isUrgent = true;
    }

    /** The store is older than what peers know: another incarnation, which is in no view yet. */
    void staleStore(Turn turn) {
        incarnate(turn);
        grantsFrom = turn.now();
        leave(turn);
        context.standing.beginAnew(); // what the master says of this incarnation counts, also of the same view
        context.storeSelf(turn);
    }

    /** The process stops in order: it reads and writes nothing any more, even under a lease, and says farewell. */
    void leaveForGood(Turn turn) {
        leave(turn);
        context.standing.leave();
        grantsFrom = Long.MAX_VALUE;
        ready = ViewMaster.Renewal.LEFT;
        isUrgent = true;
    }

    void granted(FunnelCommand.Granted grant, Turn turn) {
        View told = grant.grant().view();
        if (told == null || context.knowsBetter(told) || grant.askedAtNanos() <= grantsFrom) {
            return;
        }
        long leaseNanos = grant.grant().lease().toNanos();
        ReadLease lease = ReadLease.granted(grant.askedAtNanos(), grant.askedAtMillis(), leaseNanos, context.settings);
        if (!told.equals(context.standing.view())) {
            adopt(told, turn);
        }
        if (told.rank(context.self()) < 0 || lease == ReadLease.NONE) {
            return;
        }
        context.standing.granted(
                lease, grant.askedAtNanos() + leaseNanos / 2, grant.grant().mayWrite(), turn);
        if (context.standing.phase() == Phase.OUTSIDE) {
            flush(turn);
        }
    }

    private void adopt(View view, Turn turn) {
        leave(turn);
        context.standing.adopt(view, view.rank(context.self()));
        suspicion.view(view);
        suspicion.look(turn.now());
        if (context.standing.rank() < 0) {
            // Whatever of this was to become committed, the members have; they decide over it without this node.
            commits.dropAll(turn);
            learn(turn);
        }
    }

    private void leave(Turn turn) {
        parts.end(turn);
        context.standing.close();
        context.writes.beginFlush();
        catchingUp.stop();
        gathering.begin();
        start = null;
        isCaughtUp = false;
        missing.clear();
        ready = 0;
    }

    /** Asks the tail, or the next one towards the front if it has no link, or does not answer. */
    private void learn(Turn turn) {
        Peer next = context.memberBefore(catchingUp.silentRank());
        Peer whom = next == null ? context.memberBefore(context.size()) : next;
        if (whom != null) {
            catchingUp.ask(whom, turn);
        }
    }

    /** Tells the tail what this node holds, once all of it is durable. */
    private void flush(Turn turn) {
        context.standing.flush();
        context.storeSelf(turn);
        context.store(turn).requireDurable();
        sayFlush(turn);
        if (context.isTail()) {
            long view = context.viewNumber();
            turn.whenDurable(later -> {
                if (context.viewNumber() == view && context.standing.phase() == Phase.FLUSHING) {
                    began(gathering.flushed(context.standing.rank(), holding(), later), later);
                }
            });
        }
    }

    private Holding holding() {
        List<WriteId> ids = context.writes.all().stream().map(Write::id).toList();
        return new Holding(context.progress.applied(), context.clock(), ids, context.newest());
    }

    private void sayFlush(Turn turn) {
        repeatAt = turn.now() + context.settings.resendAfter().toNanos();
        Peer tail = context.tail();
        if (tail != null) {
            FunnelMessages.holding(context.message(), holding());
            turn.sendWhenDurable(tail, FunnelMessages.FLUSH, context.scratch.toSlice(), true);
        }
    }

    void flushed(int rank, Holding holding, Turn turn) {
        if (context.isTail()) {
            context.checkClock(holding.clock(), context.members().get(rank));
            context.heardClock(holding.clock());
            began(gathering.flushed(rank, holding, turn), turn);
        }
    }

    /** Called on the tail when it knows the initial content of the view. */
    private void began(@Nullable Holding what, Turn turn) {
        if (what != null) {
            start = what;
            isCaughtUp = true;
            progress(turn);
        }
    }

    void viewStart(int rank, Holding what, Turn turn) {
        if (context.standing.phase() == Phase.FLUSHING && rank == context.tailRank() && start == null) {
            context.checkClock(what.clock(), context.members().get(rank));
            start = what;
            progress(turn);
        }
    }

    /** Goes on towards the beginning of the view, as far as possible now. */
    void progress(Turn turn) {
        Holding what = start;
        if (what == null || context.standing.phase() != Phase.FLUSHING) {
            began(context.isTail() ? gathering.proceed(turn) : null, turn); // null in any other phase
            return;
        }
        Peer tail = context.tail();
        if (!isCaughtUp && context.progress.applied().isBefore(what.newest())) {
            if (tail != null) {
                catchingUp.ask(tail, turn);
            }
            return;
        }
        missing.clear();
        for (WriteId id : what.ids()) {
            if (context.writes.find(id) == null) {
                missing.add(id);
            }
        }
        if (missing.isEmpty()) {
            activate(what, turn);
        } else if (tail != null) {
            repair.fetch(tail, missing, turn);
        }
    }

    /** Takes writes of older views that were asked for. */
    void writes(List<Write> writes, Turn turn) {
        if (context.standing.phase() != Phase.FLUSHING || !context.storeState().takesEntries()) {
            return;
        }
        if (start == null) {
            if (context.isTail()) {
                began(gathering.writes(writes, turn), turn);
            }
            return;
        }
        context.writes.takeOld(writes, missing, turn);
        writes.forEach(write -> missing.remove(write.id()));
        if (missing.isEmpty()) {
            progress(turn);
        }
    }

    private void activate(Holding what, Turn turn) {
        context.heardClock(what.clock());
        for (Write other : context.writes.activate(what.ids())) {
            commits.drop(other, turn);
        }
        long view = context.viewNumber();
        context.progress.beginView(view);
        context.standing.serve();
        context.storeSelf(turn);
        context.store(turn).requireDurable();
        parts.begin(turn);
        turn.whenDurable(later -> {
            if (context.viewNumber() == view && context.isServing()) {
                durablyActive = view;
                context.progress.beganDurably(view);
                parts.ready(later);
            }
        });
    }

    /** Called when everything has come that was asked for with {@link CatchingUp#ask}. */
    void caughtUp(Turn turn) {
        if (context.standing.phase() != Phase.LEARNING) {
            isCaughtUp = start != null;
            progress(turn);
        } else if (ready != context.viewNumber()) {
            long view = context.viewNumber();
            // Kept until the next view: the master may count this node as ready for longer than it is.
            catchingUp.takesParts = false;
            context.storeSelf(turn);
            context.store(turn).requireDurable();
            turn.whenDurable(later -> ready(view));
        }
    }

    private void ready(long view) {
        if (context.standing.phase() == Phase.LEARNING && context.viewNumber() == view && ready != view) {
            ready = view;
            isUrgent = true;
        }
    }

    void peerReachable(Peer peer, Turn turn) {
        int rank = context.rankOf(peer.id());
        if (rank < 0) {
            return;
        }
        if (context.standing.phase() == Phase.LEARNING && (rank == context.tailRank() || !catchingUp.isUnderWay())) {
            catchingUp.ask(peer, turn);
        } else if (context.standing.phase() == Phase.FLUSHING && rank == context.tailRank()) {
            sayFlush(turn);
        } else if (context.isTail()) {
            gathering.peerReachable(rank, turn);
        }
    }

    /** Takes note that another node says that it is in a newer view. */
    void newer(long view) {
        if (view != heardOfView) {
            heardOfView = view;
            isUrgent = true;
        }
    }

    /** Returns whether the next view may be near: a member has gone away, so the master is asked often for two leases. */
    boolean isViewNear(long now) {
        long twoLeases = 2 * context.settings.lease().toNanos();
        return context.standing.rank() >= 0 && suspicion.missesOne(twoLeases, now);
    }

    void tick(Turn turn) {
        suspicion.look(turn.now());
        isUrgent |= isViewNear(turn.now());
        if (context.standing.phase() == Phase.LEARNING && catchingUp.isSilent(turn.now())) {
            learn(turn);
        }
        if (context.standing.phase() == Phase.FLUSHING
                && turn.now() >= repeatAt
                && context.storeState().takesEntries()) {
            sayFlush(turn);
            progress(turn);
        }
    }

    void endOfTurn(Turn turn) {
        if (context.standing.lease() != ReadLease.NONE
                && context.standing.lease().isVoid(turn.now(), turn.wallMillis())) {
            // The machine was suspended, or the wall clock was stepped: a view without this node may have begun. The
            // master knows.
            context.standing.loseLease();
            isUrgent = true;
        }
        context.shown.endOfTurn(context.standing.hasContent() ? context.standing.lease() : ReadLease.NONE);
        if (ready != 0 && ready != ViewMaster.Renewal.LEFT && !catchingUp.keepsUp()) {
            ready = 0; // all would wait for a member that joins while it is far behind
            isUrgent = true;
        }
        long active = Math.min(durablyActive, context.standing.activeView());
        ViewMaster.Renewal renewal = new ViewMaster.Renewal(
                context.self(),
                incarnation,
                active,
                ready,
                ready == ViewMaster.Renewal.LEFT ? List.of() : suspicion.unreachable(turn.now()));
        if (isUrgent || !renewal.equals(said)) {
            turn.notify(new FunnelEvent.Ask(renewal, isUrgent));
            said = renewal;
            isUrgent = false;
        }
        MapsStatus now = new MapsStatus(context.standing.view(), role());
        if (!now.equals(status)) {
            status = now;
            turn.notify(new FunnelEvent.Status(now));
        }
    }

    private MapsStatus.Role role() {
        return MapsStatus.Role.valueOf(context.standing.phase().name()); // both enums have the same names
    }
}
