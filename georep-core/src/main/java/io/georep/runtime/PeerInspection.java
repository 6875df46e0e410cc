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
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Answers the questions of operators about the peers. It is a hosted protocol that sends and stores nothing, so that
 * peers are read on the only thread that changes them.
 */
public final class PeerInspection implements HostedProtocol<PeerInspection.Question> {
    /** Channel of these commands; nothing travels on it. */
    public static final int CHANNEL = 255;

    /** What operators ask. */
    public sealed interface Question {}

    /** What they are told, with the token of their question. */
    public sealed interface Answer {
        /** Returns the token of the question. */
        Object token();
    }

    /** Asks for all peers; answered by {@link Snapshot}. */
    public record Read(Object token) implements Question {}

    /** Asks to be told, once, when this many copies of a new entry can be made; answered by {@link Ready}. */
    public record AwaitReady(Object token, int f) implements Question {}

    /** Takes {@link AwaitReady} back. */
    public record Forget(Object token) implements Question {}

    /** Answer to {@link AwaitReady}. */
    public record Ready(Object token) implements Answer {}

    /**
     * Answer to {@link Read}.
     *
     * @param leaving whether this node accepts nothing new because it is drained, leaves, or was removed
     * @param store whether the store of this node takes new entries
     * @param cluster which cluster it belongs to
     * @param decisionsIgnored see {@link Peers#decisionsIgnored}
     */
    public record Snapshot(
            Object token,
            NodeIdentity self,
            boolean leaving,
            StoreState store,
            Peers.Cluster cluster,
            long decisionsIgnored,
            List<Seen> peers)
            implements Answer {
        /** Returns whether f copies of a new entry can be made. */
        public boolean ready(int f) {
            return takesEntries(leaving, store)
                    && peers.stream().filter(Seen::selectable).count() >= f;
        }
    }

    /**
     * A peer as it was in that turn. The fields are those of {@link Peer}, but {@code selectable} is false if the peer does not
     * host the protocol.
     */
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
            boolean foreign,
            long clockAheadMillis,
            boolean clockOff) {}

    private final Peers peers;
    private final int copies;
    private final List<AwaitReady> waiting = new ArrayList<>();
    private StoreState store = StoreState.READY;

    /**
     * Creates an inspection of these peers.
     *
     * @param copies the channel of the protocol for whose copies a node is ready
     */
    public PeerInspection(Peers peers, int copies) {
        this.peers = peers;
        this.copies = copies;
    }

    @Override
    public ProtocolId id() {
        return new ProtocolId(CHANNEL, "peers", 0);
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
    public void onCommand(Question command, Turn turn) {
        if (command instanceof AwaitReady wait) {
            waiting.add(wait);
        } else if (command instanceof Forget forget) {
            waiting.removeIf(wait -> wait.token() == forget.token());
        } else if (command instanceof Read read) {
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
                    read.token(), peers.self(), isLeaving(), store, peers.cluster(), peers.decisionsIgnored(), seen));
        }
    }

    /** Whatever makes a node ready comes with a turn: a frame, a link, an answer of the store, an order. */
    @Override
    public void endOfTurn(Turn turn) {
        if (waiting.isEmpty() || !takesEntries(isLeaving(), store)) {
            return;
        }
        long selectable = peers.all().stream()
                .filter(peer -> takesCopies(peer, turn.now()))
                .count();
        waiting.removeIf(wait -> {
            boolean ready = selectable >= wait.f();
            if (ready) {
                turn.notify(new Ready(wait.token()));
            }
            return ready;
        });
    }

    private static boolean takesEntries(boolean leaving, StoreState store) {
        return !leaving && store.takesEntries();
    }

    private boolean isLeaving() {
        return peers.selfDrained() || peers.leaving();
    }

    private boolean takesCopies(Peer peer, long now) {
        return peer.selectable(now) && peer.version(copies) > 0;
    }

    private Seen seen(Peer peer, long now) {
        return new Seen(
                peer.id(),
                peer.site(),
                peer.state(),
                now - peer.stateSinceNanos(),
                peer.incarnation(),
                peer.rttMinNanos(),
                peer.rttSmoothedNanos(),
                peer.linked(),
                takesCopies(peer, now),
                peer.drained(),
                peer.foreign(),
                peer.clockAheadMillis(now),
                peer.clockOff());
    }
}
