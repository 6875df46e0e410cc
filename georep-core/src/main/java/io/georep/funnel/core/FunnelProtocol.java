package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.core.keepers.ViewKeeper;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.CatchUp;
import io.georep.funnel.core.messages.FunnelMessages.Commit;
import io.georep.funnel.core.messages.FunnelMessages.Holding;
import io.georep.funnel.core.messages.FunnelMessages.Page;
import io.georep.funnel.core.messages.FunnelMessages.Report;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Funnel Replication (G. Laden, R. Melamed, Y. Vigfusson, LADIS 2011): maps that are the same on all members of a view.
 * Any member may be the head of a write. It sends the write to the others on the way that is fastest ({@link Head}).
 * Each reports to the last member, the tail, when the write is durable there ({@link Relay}). The tail commits in the
 * order of stamps ({@link Tail}), and everybody applies the commits in its order ({@link Commits}). So a key without
 * uncommitted writes is the same everywhere, and can be read from memory. Views come from a master ({@link Views}); at
 * the beginning of each the members compare what they hold ({@link Gathering}).
 */
public final class FunnelProtocol implements HostedProtocol<FunnelCommand> {
    /** Number of this protocol in the envelope and first byte of its keys. */
    public static final int CHANNEL = FunnelLayout.CHANNEL;

    /** Version of its messages. */
    public static final int VERSION = 1;

    /** What a node announces of it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "maps", VERSION);

    /** Room that messages need beside the largest value, or beside the largest list of writes. */
    private static final int MESSAGE_SLACK = 1 << 20;

    /** What is done at the end of each turn with all that the turn brought, in this order. */
    @SuppressWarnings("ImmutableEnumChecker") // its functions hold nothing
    private enum Ending {
        /** As head: writes that waited for room are issued, and what this turn issued leaves. */
        ISSUE((maps, turn) -> maps.head.endOfTurn(turn)),
        /** What need not wait for a store is counted as stored, so that the tail can commit it at once. */
        COUNT_UNSTORED((maps, turn) -> maps.relay.endOfIntake(turn)),
        /** As tail: what all members have is committed, and the others are told. */
        COMMIT((maps, turn) -> maps.tail.endOfTurn(maps.transfers, turn)),
        /** Nodes that follow without being members are told of these commits. */
        TELL_FOLLOWERS((maps, turn) -> maps.transfers.endOfTurn(turn)),
        /** The tail is asked for what readers want of keys that are still dirty after the commits. */
        ASK_FOR_READS((maps, turn) -> maps.reads.endOfTurn(turn)),
        /** The tail is told what is stored here; what this turn gave to the store follows once it is durable. */
        REPORT((maps, turn) -> maps.relay.endOfTurn(turn)),
        /** By the tables as they are now, the next expiry is planned. */
        PLAN_EXPIRY((maps, turn) -> maps.expiry.endOfTurn(turn)),
        /** Writers hear what became of their writes, listeners what changed. */
        ANSWER((maps, turn) -> maps.commits.endOfTurn(turn)),
        /** As keeper of views: a view that was decided is asked for, by what follows. */
        KEEP_VIEWS(FunnelProtocol::keepViews),
        /** Readers see the tables as they are now, and the master is asked. */
        SHOW((maps, turn) -> maps.views.endOfTurn(turn)),
        /** Last, because all before may have left something: what has waited long enough for the store is written. */
        STORE_LATE((maps, turn) ->
                maps.context.late.endOfTurn(maps.context.isServing() && !maps.context.peers.leaving(), turn));

        private static final List<Ending> ALL = List.of(values());

        private final BiConsumer<FunnelProtocol, Turn> step;

        Ending(BiConsumer<FunnelProtocol, Turn> step) {
            this.step = step;
        }
    }

    private final FunnelContext context;
    private final Commits commits;
    private final Head head;
    private final Tail tail;
    private final Relay relay;
    private final CommitIntake intake;
    private final StateTransfers transfers;
    private final CatchingUp catchingUp;
    private final Repair repair;
    private final Reads reads;
    private final Views views;
    private final Expiry expiry;

    private final ViewQuestions keepers;
    private final EarlyFlushes early = new EarlyFlushes();
    private final Ticks ticks;

    /**
     * Creates it.
     *
     * @param mirror what readers see
     * @param durability of the node's store
     * @param group decides over the views; null if somebody else does
     */
    public FunnelProtocol(
            FunnelSettings settings, Peers peers, Mirror mirror, Durability durability, @Nullable ViewGroup group) {
        keepers = new ViewQuestions(group, settings, peers);
        ticks = new Ticks(settings);
        context = new FunnelContext(settings, peers, mirror, durability);
        commits = new Commits(context);
        head = new Head(context, commits);
        tail = new Tail(context, commits);
        relay = new Relay(context, tail);
        catchingUp = new CatchingUp(context, commits);
        transfers = new StateTransfers(context);
        intake = new CommitIntake(context, commits, catchingUp, transfers);
        repair = new Repair(context, relay, tail, catchingUp);
        reads = new Reads(context);
        expiry = new Expiry(context, head);
        Gathering gathering = new Gathering(context, catchingUp, repair);
        views = new Views(context, commits, catchingUp, gathering, repair, new InView());
    }

    private final class InView implements Views.Parts {
        @Override
        public void begin(Turn turn) {
            context.planner.view(context.members(), context.standing.rank());
            head.begin();
            tail.begin();
            relay.begin();
            intake.begin();
            repair.begin(turn.now());
        }

        @Override
        public void end(Turn turn) {
            head.end(turn);
            relay.stop();
            intake.begin();
            transfers.begin();
        }

        @Override
        public void ready(Turn turn) {
            if (context.isTail()) {
                tail.ready(context.standing.rank(), turn);
            }
            relay.ready();
        }
    }

    /**
     * Returns how long a message may be. The longest is a page with one commit: a key with its value, and the record of a client with the
     * value that it met.
     */
    public static int messageBytesMax(FunnelSettings settings) {
        return 2 * settings.valueBytesMax() + MESSAGE_SLACK;
    }

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public boolean knows(int type) {
        return (type >= FunnelMessages.DATA && type <= FunnelMessages.UPDATE) || keepers.knows(type);
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        Version newest = context.tables.boot(store, turn.store(), cell -> {
            context.heardClock(cell.clock);
            context.shown.changed(cell);
        });
        context.progress.boot(newest);
        store.scanNow(FunnelLayout.SELF, FunnelLayout.behind('V'), (key, content) -> {
            FunnelLayout.Self self = FunnelLayout.Self.decode(content);
            context.standing.boot(self.activeView());
            context.progress.boot(self);
            context.heardClock(self.clock());
            return true;
        });
        context.writes.boot(store, turn);
        keepers.boot(store, turn);
        views.boot(turn);
        views.endOfTurn(turn); // the master is asked from now on
        ticks.boot(turn.now());
    }

    @Override
    public void onCommand(FunnelCommand command, Turn turn) {
        if (command instanceof FunnelCommand.Calls calls) {
            for (FunnelCommand call : calls.calls()) {
                call(call, turn);
            }
        } else {
            call(command, turn);
        }
    }

    private void call(FunnelCommand call, Turn turn) {
        if (call instanceof FunnelCommand.Write write) {
            head.write(write, turn);
        } else if (call instanceof FunnelCommand.Read read) {
            reads.read(read, turn);
        } else if (call instanceof FunnelCommand.Granted granted) {
            context.figures.granted(granted.grant(), turn.now() - granted.askedAtNanos());
            views.granted(granted, turn);
            takeEarly(turn);
        } else if (call instanceof FunnelCommand.AskKeepers ask) {
            keepers.ask(ask.number(), ask.renewal(), turn);
        } else if (call instanceof FunnelCommand.OrderRestore order) {
            keepers.order(order.number(), order.dryRun(), turn);
        } else if (call instanceof FunnelCommand.Leave) {
            views.leaveForGood(turn);
        } else if (call instanceof FunnelCommand.ReadStatistics read) {
            turn.notify(new FunnelEvent.Statistics(read.token(), context.figures.with(context)));
        } else {
            throw new IllegalArgumentException("not a command of replicated maps: " + call);
        }
    }

    private void takeEarly(Turn turn) {
        if (context.standing.phase() != Standing.Phase.OUTSIDE) {
            early.upTo(context.viewNumber(), (from, body) -> onMessage(from, FunnelMessages.FLUSH, body, turn));
        }
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        if (keepers.knows(type)) {
            keepers.onMessage(from, type, body, turn);
            return;
        }
        Slice message = body.raw(body.remaining());
        BinReader in = new BinReader(message);
        long view = FunnelBounds.VIEW.read(in);
        boolean isOutside = context.standing.phase() == Standing.Phase.OUTSIDE;
        boolean isAhead = view > context.viewNumber() || (view == context.viewNumber() && isOutside);
        if (isAhead) {
            if (type == FunnelMessages.FLUSH) {
                early.keep(from, view, in, message);
            }
            views.newer(view);
        } else if (view == context.viewNumber()) {
            int rank = context.rankOf(from.id());
            if (type == FunnelMessages.CATCH_UP) {
                transfers.asked(from, CatchUp.read(in), turn);
            } else if (rank >= 0 && rank != context.standing.rank()) {
                handle(from, rank, type, in, message, turn);
            }
        }
    }

    private void handle(Peer from, int rank, int type, BinReader body, Slice message, Turn turn) {
        switch (type) {
            case FunnelMessages.DATA -> relay.data(body, message, turn);
            case FunnelMessages.PART -> relay.part(body, message, turn);
            case FunnelMessages.REPORT -> tail.report(rank, from, Report.read(body, context.size()), turn);
            case FunnelMessages.RESEND -> {
                body.requireEnd("a message");
                relay.reportAll();
            }
            case FunnelMessages.COMMIT -> intake.commit(Commit.read(body, context.size()), turn);
            case FunnelMessages.FLUSH -> views.flushed(rank, Holding.read(body), turn);
            case FunnelMessages.VIEW_START -> views.viewStart(rank, Holding.read(body), turn);
            case FunnelMessages.FETCH -> repair.fetched(from, body, turn);
            case FunnelMessages.GROUP -> group(body, turn);
            case FunnelMessages.PAGE -> {
                if (catchingUp.page(from, Page.read(body), turn)) {
                    intake.drain(turn);
                    views.caughtUp(turn);
                }
            }
            case FunnelMessages.QUERY -> reads.query(from, body, turn);
            case FunnelMessages.LAST -> reads.last(body, turn);
            case FunnelMessages.UPDATE -> repair.update(from, body, turn);
            default -> throw new IllegalStateException("no message of replicated maps: type " + type);
        }
    }

    private void group(BinReader body, Turn turn) {
        List<Write> writes = GroupCodec.read(body.raw(body.remaining()));
        if (context.isServing()) {
            relay.group(writes, turn);
        } else {
            views.writes(writes, turn);
        }
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        catchingUp.peerReachable(peer, turn);
        views.peerReachable(peer, turn);
        int rank = context.rankOf(peer.id());
        if (rank >= 0 && context.isServing()) {
            if (rank == context.tailRank()) {
                relay.reportAll();
            }
            tail.announceTo(peer, turn);
            head.peerReachable(peer, turn);
            reads.peerReachable(peer);
        }
    }

    @Override
    public void onStaleStore(boolean isCertain, Turn turn) {
        if (isCertain || !keepers.haveCountedThisProcess()) {
            views.staleStore(turn);
            keepers.staleStore(turn);
        }
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        context.storeIs(state);
    }

    @Override
    public void onTimer(Turn turn) {
        head.tick(turn);
        reads.tick(turn);
        expiry.tick(turn);
        if (ticks.isDue(turn.now())) {
            views.tick(turn);
            ticks.next(views.isViewNear(turn.now()), turn.now());
            catchingUp.tick(turn);
            repair.tick(turn);
            relay.tick(turn);
        }
    }

    @Override
    public void onPeerChanged(Peer peer, PeerState before, Turn turn) {
        if (context.rankOf(peer.id()) >= 0) {
            ticks.hurry(turn.now()); // one that leaves in order is taken out at once
        }
    }

    @Override
    public void onPeerForgotten(NodeId id) {
        early.forget(id);
    }

    @Override
    public long nextDeadlineNanos() {
        long calls = Math.min(head.nextDeadlineNanos(), reads.nextDeadlineNanos());
        calls = Math.min(calls, keepers.nextDeadlineNanos());
        if (context.standing.view() == null) {
            return calls; // of a view that this node had before
        }
        long others = Math.min(expiry.nextDeadlineNanos(), context.late.nextDeadlineNanos());
        return Math.min(ticks.nextDeadlineNanos(), Math.min(calls, others));
    }

    @Override
    public void endOfTurn(Turn turn) {
        for (Ending each : Ending.ALL) {
            each.step.accept(this, turn);
        }
        context.check();
    }

    private void keepViews(Turn turn) {
        long decided = keepers.endOfTurn(turn);
        if (decided > context.viewNumber()) {
            views.newer(decided);
        }
    }

    /** For tests: what this node keeps of the views; null if it is no keeper. */
    @Nullable
    ViewKeeper keeper() {
        return keepers.keeper();
    }

    /** For tests: what the parts share. */
    FunnelContext context() {
        return context;
    }

    /** For tests. */
    CatchingUp catchingUp() {
        return catchingUp;
    }

    /** For tests. */
    Relay relay() {
        return relay;
    }

    /** For tests. */
    Reads reads() {
        return reads;
    }
}
