package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.NodeId;
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
    final KeyTable table = new KeyTable();
    final LocalRecords local = new LocalRecords();

    /** Whether the store takes new records. */
    StoreState store = StoreState.READY;

    long written;
    long failed;
    long taken;

    KeyContext(KeySpaceSettings settings, Peers peers) {
        this.settings = settings;
        this.peers = peers;
        this.candidates = new Candidates(
                peers, settings.selection(), settings.spreadEvery().toNanos(), KeyProtocol.CHANNEL);
    }

    /** Takes what another node says about its clock and about forgotten deletions, once its message is read to the end. */
    void heard(KeyMessages.Head head, BinReader body, Turn turn) {
        if (body.hasMore()) {
            throw new MalformedException(body.remaining() + " bytes after the end of a message");
        }
        long givenUp = table.heard(head.clock(), head.forgotten(), turn);
        if (givenUp > 0) {
            turn.notify(new KeyEvent.GivenUp(givenUp));
        }
    }

    NodeId self() {
        return peers.self().id();
    }

    /**
     * Returns the other members of the cluster, as far as this node knows: all nodes except those that an operator removed, and
     * those that are in reach and have no key spaces.
     */
    List<Peer> others() {
        List<Peer> others = new ArrayList<>();
        for (Peer peer : peers.all()) {
            boolean hasNone = peer.linked() && peer.version(KeyProtocol.CHANNEL) == 0;
            if (!peer.removed() && !peer.foreign() && !hasNone) {
                others.add(peer);
            }
        }
        return others;
    }

    /** Returns the nodes in reach that have key spaces. */
    List<Peer> inReach() {
        List<Peer> inReach = new ArrayList<>();
        for (Peer peer : peers.linked()) {
            if (peer.version(KeyProtocol.CHANNEL) > 0) {
                inReach.add(peer);
            }
        }
        return inReach;
    }
}
