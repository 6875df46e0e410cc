package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.Candidates;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.List;

/** What the parts of the key spaces share. */
final class KeyContext {
    final KeySpaceSettings settings;
    final Peers peers;
    final Candidates candidates;
    final KeyTable table;
    final LocalRecords local = new LocalRecords();

    /** The most records of a leaf that a question names: a question that is too long gets no answer. Tests use fewer. */
    int leafHashesMax = 60_000;

    /** Whether the store takes new records. */
    StoreState store = StoreState.READY;

    long written;
    long failed;
    long taken;

    KeyContext(KeySpaceSettings settings, Peers peers) {
        this.settings = settings;
        this.peers = peers;
        this.table = new KeyTable(settings.deletionsKept());
        this.candidates = new Candidates(
                peers, settings.selection(), settings.spreadEvery().toNanos(), KeyLayout.CHANNEL);
    }

    /** Takes what another node says about its clock, once its message is read to the end. */
    void heard(KeyMessages.Head head, BinReader body) {
        body.requireEnd("a message");
        table.heard(head.clock());
    }

    /** Sends records once it is sure that the next boot will write above them. */
    void send(Peer to, int type, Slice body, Turn turn) {
        if (table.isAheadOfStore(turn)) {
            turn.sendWhenDurable(to, type, body, false);
        } else {
            turn.send(to, type, body, false);
        }
    }

    /** Returns why the store takes nothing, for a caller. */
    RejectedException.Reason storeReason() {
        return switch (store) {
            case FULL -> RejectedException.Reason.STORE_FULL;
            case READY, SLOW, STALLED -> RejectedException.Reason.STORE_STALLED;
            default -> RejectedException.Reason.QUEUE_FULL;
        };
    }

    NodeId self() {
        return peers.self().id();
    }

    /** Returns the nodes in reach that have key spaces. */
    List<Peer> inReach() {
        List<Peer> inReach = new ArrayList<>();
        for (Peer peer : peers.linked()) {
            if (peer.version(KeyLayout.CHANNEL) > 0) {
                inReach.add(peer);
            }
        }
        return inReach;
    }
}
