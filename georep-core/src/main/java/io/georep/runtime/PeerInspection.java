package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Answers operators' questions about the peers: a hosted protocol that sends and stores nothing, so that peers are read
 * on the one thread that changes them.
 */
public final class PeerInspection implements HostedProtocol {
    /** Channel of these commands; nothing travels on it. */
    public static final int CHANNEL = 255;

    /** Asks for all peers; answered by {@link Snapshot}. */
    public record Read(Object token) {}

    /**
     * Answer to {@link Read}.
     *
     * @param leaving whether this node accepts nothing new because it is drained, leaves, or was removed
     * @param store whether the store of this node takes new entries
     * @param cluster which cluster it belongs to
     */
    public record Snapshot(
            Object token,
            NodeIdentity self,
            boolean leaving,
            StoreState store,
            Peers.Cluster cluster,
            List<Seen> peers) {}

    /** A peer as it was in that turn; the fields are those of {@link Peer}. */
    public record Seen(
            NodeId id,
            String site,
            PeerState state,
            long sinceNanos,
            long incarnation,
            long rttMinNanos,
            long rttSmoothedNanos,
            boolean linked,
            boolean selectable,
            boolean drained,
            boolean foreign) {}

    private final Peers peers;
    private StoreState store = StoreState.READY;

    /** An inspection of these peers. */
    public PeerInspection(Peers peers) {
        this.peers = peers;
    }

    @Override
    public int channel() {
        return CHANNEL;
    }

    @Override
    public int version() {
        return 0;
    }

    @Override
    public boolean knows(int type) {
        return false;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {}

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        throw new MalformedException("nothing travels on channel " + CHANNEL);
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        store = state;
    }

    @Override
    public void onCommand(Object command, Turn turn) {
        if (command instanceof Read read) {
            List<Seen> seen = new ArrayList<>();
            for (Peer peer : peers.all()) {
                if (!peer.removed()) {
                    seen.add(seen(peer, turn.now()));
                }
            }
            for (Peer stranger : peers.strangers()) {
                seen.add(seen(stranger, turn.now()));
            }
            seen.sort(Comparator.comparing(Seen::id));
            turn.notify(new Snapshot(
                    read.token(), peers.self(), peers.selfDrained() || peers.leaving(), store, peers.cluster(), seen));
        }
    }

    private static Seen seen(Peer peer, long now) {
        return new Seen(
                peer.id(),
                peer.site(),
                peer.state(),
                now - peer.stateSinceNanos(),
                peer.incarnation(),
                peer.rttMinNanos(),
                peer.rttSmoothedNanos(),
                peer.linked(),
                peer.selectable(now),
                peer.drained(),
                peer.foreign());
    }
}
