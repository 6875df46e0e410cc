package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.keepers.KeeperStore;
import io.georep.funnel.core.keepers.LedgerEntry;
import io.georep.funnel.core.keepers.MasterMessages;
import io.georep.funnel.core.keepers.MasterMessages.State;
import io.georep.funnel.core.keepers.ViewKeeper;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries a node's questions to the keepers of views. The node may be a keeper itself. */
final class ViewQuestions {
    private final @Nullable ViewGroup group;
    private final List<NodeId> keepers;
    private final FunnelSettings settings;
    private final Peers peers;
    private @Nullable ViewKeeper keeper;

    /** If the group is null, the master is something else, and no question goes this way. */
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
        } else if (group != null) {
            new KeeperStore().boot(store, keepers); // it may have been one
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
        keepers.forEach(each -> send(each, type, body, turn));
    }

    private void send(NodeId to, int type, Slice body, Turn turn) {
        if (to.equals(peers.self().id())) {
            take(to, !peers.self().limited(), type, new BinReader(body), turn);
            return;
        }
        Peer peer = peers.find(to);
        if (peer != null && peer.version(FunnelLayout.CHANNEL) > 0) {
            turn.send(peer, type, body, true);
        }
    }

    /**
     * Takes a message of another node. Each node asks only for itself. Otherwise it could say that another one has
     * left, and so take it out before its lease ends. Keepers alone grant and decide, and a limited node gives no
     * orders, be it this one.
     */
    void onMessage(Peer from, int type, BinReader in, Turn turn) {
        take(from.id(), !from.limited(), type, in, turn);
    }

    private void take(NodeId from, boolean mayOrder, int type, BinReader in, Turn turn) {
        ViewKeeper own = keeper;
        if (type == MasterMessages.ASK) {
            long number = in.varint();
            Renewal renewal = LedgerEntry.readRenewal(in);
            in.requireEnd("a message");
            if (!renewal.node().equals(from)) {
                throw new MalformedException(from + " asks the keepers of views in the name of " + renewal.node());
            }
            if (own != null) {
                own.ask(number, renewal, turn);
            }
        } else if (type == MasterMessages.ORDER) {
            long number = in.varint();
            boolean dryRun = FunnelLayout.flag(in);
            in.requireEnd("a message");
            if (own != null && (dryRun || mayOrder)) {
                own.order(from, number, dryRun, turn);
            } else if (own != null) {
                own.refuse(from, number, turn);
            }
        } else if (keepers.contains(from)) {
            fromKeeper(from, type, in, turn);
        }
    }

    private void fromKeeper(NodeId from, int type, BinReader in, Turn turn) {
        if (type == MasterMessages.GRANT) {
            turn.notify(new FunnelEvent.Answered(in.varint(), MasterMessages.readGrant(in)));
        } else if (type == MasterMessages.RESTORED) {
            turn.notify(new FunnelEvent.Restored(in.varint(), MasterMessages.readRestored(in)));
        } else if (keeper != null && type == MasterMessages.LOG) {
            keeper.onLog(from, in, turn);
        } else if (keeper != null) {
            keeper.onState(State.read(in), turn);
        }
    }

    /**
     * Returns whether each other keeper has counted this process as present. It would not have if it had met a later one by then, so
     * nothing was decided with a later one and no lease given to it. This is no proof against a process that went back to a snapshot of
     * its memory, so it counts only against the word of a node that may be lying.
     */
    boolean haveCountedThisProcess() {
        NodeId self = peers.self().id();
        List<NodeId> others =
                keepers.stream().filter(each -> !each.equals(self)).toList();
        return !others.isEmpty() && others.stream().allMatch(this::hasHeard);
    }

    private boolean hasHeard(NodeId keeper) {
        Peer peer = peers.find(keeper);
        return peer != null && peer.heardSentNanos() != Long.MIN_VALUE;
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
