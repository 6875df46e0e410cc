package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.funnel.Topology;
import io.georep.funnel.core.keepers.MasterMessages;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one process, of which every message that comes and goes is judged: {@link ReportJudge} looks at reports, commits and
 * the begin of views, {@link WayJudge} at the ways of data.
 */
public final class FunnelWatch implements HostedProtocol<FunnelCommand> {
    private final FunnelProtocol protocol;
    private final BooleanSupplier losesNext;
    private final ReportJudge reports;
    private final WayJudge ways;

    /**
     * Watches a protocol.
     *
     * @param hints what the writer of a value asked for
     * @param losesNext whether the next report or commit is lost, though the link is up
     */
    public FunnelWatch(FunnelProtocol protocol, Function<Slice, Topology> hints, BooleanSupplier losesNext) {
        this.protocol = protocol;
        this.losesNext = losesNext;
        reports = new ReportJudge(protocol.context());
        ways = new WayJudge(protocol.context(), hints);
    }

    /** The one that is watched. */
    public FunnelProtocol protocol() {
        return protocol;
    }

    @Override
    public Durability durability() {
        return protocol.durability();
    }

    @Override
    public ProtocolId id() {
        return protocol.id();
    }

    @Override
    public boolean knows(int type) {
        return protocol.knows(type);
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        protocol.boot(store, new Watched(turn));
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        if (type > FunnelMessages.UPDATE) {
            protocol.onMessage(from, type, body, new Watched(turn)); // between keepers of views
            return;
        }
        Slice message = body.raw(body.remaining());
        BinReader in = new BinReader(message);
        long view = FunnelBounds.VIEW.read(in);
        reports.came(from, type, view, in);
        ways.came(type, view, message);
        protocol.onMessage(from, type, new BinReader(message), new Watched(turn));
        if (type == FunnelMessages.REPORT) {
            reports.check();
        }
    }

    @Override
    public void onPeerChanged(Peer peer, PeerState before, Turn turn) {
        protocol.onPeerChanged(peer, before, new Watched(turn));
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        ways.repeats(true);
        protocol.onPeerReachable(peer, new Watched(turn));
        ways.repeats(false);
    }

    @Override
    public boolean needs(NodeId id) {
        return protocol.needs(id);
    }

    @Override
    public void onStaleStore(boolean isCertain, Turn turn) {
        protocol.onStaleStore(isCertain, new Watched(turn));
    }

    @Override
    public void onCommand(FunnelCommand command, Turn turn) {
        NodeId self = protocol.context().peers.self().id();
        if (command instanceof FunnelCommand.AskKeepers ask
                && !ask.renewal().node().equals(self)) {
            // A story lets somebody ask who is no node of the simulation, or does not run.
            Slice body = MasterMessages.ask(ask.number(), ask.renewal());
            Peer stranger = new HandMadePeers.HandMadePeer(ask.renewal().node());
            protocol.onMessage(stranger, MasterMessages.ASK, new BinReader(body), new Watched(turn));
            return;
        }
        protocol.onCommand(command, new Watched(turn));
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        protocol.onStoreState(state, new Watched(turn));
    }

    @Override
    public void onTimer(Turn turn) {
        protocol.onTimer(new Watched(turn));
    }

    @Override
    public long nextDeadlineNanos() {
        return protocol.nextDeadlineNanos();
    }

    @Override
    public void endOfTurn(Turn turn) {
        protocol.endOfTurn(new Watched(turn));
        reports.check();
    }

    private void sent(Peer to, int type, Slice body) {
        if (type > FunnelMessages.UPDATE) {
            return;
        }
        BinReader in = new BinReader(body);
        long view = FunnelBounds.VIEW.read(in);
        reports.left(type, view, in);
        ways.left(to, type, view, body);
    }

    /** A turn whose messages are seen. */
    private final class Watched implements Turn {
        private final Turn turn;

        Watched(Turn turn) {
            this.turn = turn;
        }

        @Override
        public long now() {
            return turn.now();
        }

        @Override
        public long wallMillis() {
            return turn.wallMillis();
        }

        @Override
        public RandomGenerator random() {
            return turn.random();
        }

        @Override
        public StoreBatch store() {
            return turn.store();
        }

        @Override
        public int storeBacklog() {
            return turn.storeBacklog();
        }

        @Override
        public void send(Peer to, int type, Slice body, boolean urgent) {
            sent(to, type, body);
            boolean mayBeLost = type == FunnelMessages.REPORT || type == FunnelMessages.COMMIT;
            if (!mayBeLost || !losesNext.getAsBoolean()) {
                turn.send(to, type, body, urgent);
            }
        }

        @Override
        public void sendWhenWritten(Peer to, int type, Slice body, boolean urgent) {
            sent(to, type, body);
            turn.sendWhenWritten(to, type, body, urgent);
        }

        @Override
        public void whenWritten(Later action) {
            turn.whenWritten(later -> action.run(new Watched(later)));
        }

        @Override
        public void notify(Object event) {
            turn.notify(event);
        }

        @Override
        public void notifyWhenWritten(Object event) {
            turn.notifyWhenWritten(event);
        }

        @Override
        public void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Scanned answer) {
            turn.read(
                    from, to, pairsMax, bytesMax, (pairs, more, later) -> answer.run(pairs, more, new Watched(later)));
        }

        @Override
        public @Nullable Peer ensurePeer(NodeId id, @Nullable NodeId teller) {
            return turn.ensurePeer(id, teller);
        }
    }

    /** Throws what was found. */
    static void fail(String rule, String what, @Nullable Object where) {
        throw new AssertionError(rule + ": " + what + (where == null ? "" : " " + where));
    }
}
