package io.georep.protocol;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Peers that are in whatever state a test puts them. */
public final class HandMadePeers implements Peers {
    public final TreeMap<NodeId, HandMadePeer> all = new TreeMap<>();
    private NodeIdentity self;
    public BootKind bootKind = BootKind.FRESH;
    public boolean drained;
    public boolean leaving;
    public boolean selfRemoved;

    /** Peers that were shown in lists. */
    public long looks;

    /** Nobody yet but this node. */
    public HandMadePeers(NodeId self) {
        this.self = new NodeIdentity(self, 1, 1000, 77, self + ":1", "east");
    }

    /** One peer: Active and linked until a test says otherwise. */
    public static class HandMadePeer implements Peer {
        private final NodeId id;
        public PeerState state = PeerState.ACTIVE;
        public long incarnation = 1;
        public long generation = 1;
        public boolean linked = true;

        /** Whether its link has no room. */
        public boolean full;

        public Channels channels = Channels.of(Map.of(1, 1, 2, 1));
        public boolean drained;
        public boolean removed;
        public boolean limited;
        public String site = "west";
        public long stateSinceNanos;
        public long heardSentNanos = Long.MIN_VALUE;
        public long failoverNanos = ProtocolConfig.defaults().failoverAfter().toNanos();

        public HandMadePeer(NodeId id) {
            this.id = id;
        }

        @Override
        public NodeId id() {
            return id;
        }

        @Override
        public PeerState state() {
            return state;
        }

        @Override
        public long incarnation() {
            return incarnation;
        }

        @Override
        public long generation() {
            return generation;
        }

        @Override
        public String site() {
            return site;
        }

        @Override
        public boolean linked() {
            return linked;
        }

        @Override
        public int version(int channel) {
            return channels.version(channel);
        }

        @Override
        public boolean selectable(long nowNanos) {
            return state == PeerState.ACTIVE && linked && !drained && !removed;
        }

        @Override
        public boolean writable(int channel) {
            return !full;
        }

        @Override
        public long failoverNanos() {
            return failoverNanos;
        }

        @Override
        public long heardSentNanos() {
            return heardSentNanos;
        }

        @Override
        public boolean drained() {
            return drained;
        }

        @Override
        public boolean removed() {
            return removed;
        }

        @Override
        public boolean limited() {
            return limited;
        }

        @Override
        public long rttMinNanos() {
            return 1_000_000;
        }

        @Override
        public long rttSmoothedNanos() {
            return 1_000_000;
        }

        @Override
        public long stateSinceNanos() {
            return stateSinceNanos;
        }
    }

    /** The peer of this name, which the node knows from now on. */
    public HandMadePeer peer(NodeId id) {
        return all.computeIfAbsent(id, HandMadePeer::new);
    }

    @Override
    public NodeIdentity self() {
        return self;
    }

    /** This node has a limited certificate. */
    public void selfIsLimited() {
        self = self.withLimited(true);
    }

    /** Another process of this node begins. */
    public void selfRestarts() {
        self = new NodeIdentity(self.id(), self.incarnation() + 1, 1000, 77, self.id() + ":1", "east");
    }

    @Override
    public BootKind bootKind() {
        return bootKind;
    }

    @Override
    public boolean selfDrained() {
        return drained;
    }

    @Override
    public boolean selfRemoved() {
        return selfRemoved;
    }

    @Override
    public boolean leaving() {
        return leaving;
    }

    @Override
    public Peer find(NodeId id) {
        return all.get(id);
    }

    @Override
    public Collection<? extends Peer> all() {
        looks += all.size();
        return List.copyOf(all.values());
    }

    @Override
    public Collection<? extends Peer> linked() {
        List<HandMadePeer> linked =
                all.values().stream().filter(HandMadePeer::linked).toList();
        looks += linked.size();
        return linked;
    }
}
