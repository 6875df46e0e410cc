package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.MasterMessages.State;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node's way to the keepers of views, of which it may be one. */
final class ViewQuestions {
    private final @Nullable ViewGroup group;
    private final List<NodeId> keepers;
    private final FunnelSettings settings;
    private final Peers peers;
    private @Nullable ViewKeeper keeper;

    /** With null for a group somebody else is the master, and nothing is asked here. */
    ViewQuestions(@Nullable ViewGroup group, FunnelSettings settings, Peers peers) {
        this.group = group;
        keepers = group == null ? List.of() : group.keepers();
        this.settings = settings;
        this.peers = peers;
    }

    void boot(EntryStore store, Turn turn) {
        NodeId self = peers.self().id();
        if (group != null && keepers.contains(self)) {
            keeper = new ViewKeeper(self, group, settings, this::send, store, turn);
        }
    }

    boolean knows(int type) {
        return group != null && type >= MasterMessages.ASK && type <= MasterMessages.STATE;
    }

    /** Asks all keepers. */
    void ask(long number, Renewal renewal, Turn turn) {
        sendAll(MasterMessages.ASK, MasterMessages.ask(number, renewal), turn);
    }

    /** Gives all keepers the order to restore a view. */
    void order(long number, boolean dryRun, Turn turn) {
        sendAll(MasterMessages.ORDER, MasterMessages.order(number, dryRun), turn);
    }

    private void sendAll(int type, Slice body, Turn turn) {
        keepers.forEach(each -> send(each, type, body, false, turn));
    }

    private void send(NodeId to, int type, Slice body, boolean whenDurable, Turn turn) {
        if (to.equals(peers.self().id())) {
            onMessage(to, type, new BinReader(body), turn);
            return;
        }
        Peer peer = peers.find(to);
        if (peer == null || peer.version(FunnelProtocol.CHANNEL) < MasterMessages.SINCE_VERSION) {
            return;
        }
        if (whenDurable) {
            turn.sendWhenDurable(peer, type, body, true);
        } else {
            turn.send(peer, type, body, true);
        }
    }

    void onMessage(NodeId from, int type, BinReader in, Turn turn) {
        if (type == MasterMessages.GRANT) {
            turn.notify(new FunnelEvent.Answered(in.varint(), MasterMessages.readGrant(in)));
        } else if (type == MasterMessages.RESTORED) {
            turn.notify(new FunnelEvent.Restored(in.varint(), MasterMessages.readRestored(in)));
        } else if (keeper != null) {
            toKeeper(keeper, from, type, in, turn);
        }
    }

    private void toKeeper(ViewKeeper own, NodeId from, int type, BinReader in, Turn turn) {
        if (type == MasterMessages.ASK) {
            long number = in.varint();
            Renewal renewal = LedgerEntry.readRenewal(in);
            FunnelContext.end(in);
            own.ask(from, number, renewal, turn);
        } else if (type == MasterMessages.ORDER) {
            long number = in.varint();
            boolean dryRun = FunnelLayout.flag(in);
            FunnelContext.end(in);
            own.order(from, number, dryRun, turn);
        } else if (keepers.contains(from) && type == MasterMessages.LOG) {
            own.onLog(from, in, turn);
        } else if (keepers.contains(from)) {
            own.onState(State.read(in), turn);
        }
    }

    void staleStore(Turn turn) {
        if (keeper != null) {
            keeper.staleStore(turn);
        }
    }

    /** Returns the number of the newest view that this node knows to be decided; 0 for none. */
    long endOfTurn(Turn turn) {
        if (keeper == null) {
            return 0;
        }
        keeper.endOfTurn(turn);
        return keeper.ledger().number();
    }

    long nextDeadlineNanos() {
        return keeper == null ? Long.MAX_VALUE : keeper.nextDeadlineNanos();
    }

    /** For tests. */
    @Nullable
    ViewKeeper keeper() {
        return keeper;
    }
}
