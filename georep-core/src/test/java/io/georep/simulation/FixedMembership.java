package io.georep.simulation;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.BootKind;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Membership for testing the simulator itself: everybody is known from the start and lives for ever. */
final class FixedMembership implements MembershipProtocol {
    private static final long HEARTBEAT_NANOS = World.SECONDS;
    private static final byte[] BOOTS = {CHANNEL, 1};

    private final NodeSoftware.Boot boot;
    private final TreeMap<NodeId, Other> others = new TreeMap<>();
    private final TreeMap<NodeId, String> targets;
    private NodeIdentity self;

    FixedMembership(NodeSoftware.Boot boot, Map<NodeId, String> everybody) {
        this.boot = boot;
        everybody.forEach((id, address) -> {
            if (!id.equals(boot.id())) {
                others.put(id, new Other(id));
            }
        });
        targets = new TreeMap<>(everybody);
        targets.remove(boot.id());
    }

    @Override
    public int channel() {
        return CHANNEL;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        long[] boots = {0};
        store.scanNow(BOOTS, new byte[] {CHANNEL, 2}, (key, value) -> {
            boots[0] = new BinReader(value).i64();
            return true;
        });
        long incarnation = boots[0] + 1;
        turn.store().put(BOOTS, new BinWriter().i64(incarnation).toSlice());
        turn.store().requireDurable();
        self = new NodeIdentity(boot.id(), incarnation, 1, turn.random().nextLong(), boot.address(), boot.site());
        turn.targets(targets, List.of());
    }

    @Override
    public Peer frameArrived(NodeIdentity from, FrameHeader header, Turn turn) {
        Other other = others.get(from.id());
        if (from.incarnation() < other.incarnation) {
            return null;
        }
        other.incarnation = from.incarnation();
        return other;
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

    @Override
    public void onTimer(Turn turn) {
        for (Other other : others.values()) {
            if (other.linked && turn.now() - other.sentAt >= HEARTBEAT_NANOS) {
                turn.send(other, CHANNEL, 0, Slice.EMPTY, true);
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        long next = Long.MAX_VALUE;
        for (Other other : others.values()) {
            next = other.linked ? Math.min(next, other.sentAt + HEARTBEAT_NANOS) : next;
        }
        return next;
    }

    @Override
    public FrameHeader nextHeader(Peer to, long nowNanos) {
        Other other = (Other) to;
        other.sentAt = nowNanos;
        return new FrameHeader(self.incarnation(), ++other.sent, 0, 0, true, true);
    }

    @Override
    public void lifeSign(NodeIdentity from, Turn turn) {}

    @Override
    public void linkUp(NodeIdentity peer, Turn turn) {
        Other other = others.get(peer.id());
        other.linked = true;
        other.sentAt = turn.now();
        turn.peerReachable(other);
    }

    @Override
    public void linkDown(NodeId peer, String reason, Turn turn) {
        others.get(peer).linked = false;
    }

    @Override
    public void writable(NodeId peer, boolean writable, Turn turn) {}

    @Override
    public void refused(String address, String reason, Turn turn) {}

    @Override
    public void bound(String address) {}

    @Override
    public boolean maySend(Peer to) {
        return true;
    }

    @Override
    public BootKind bootKind() {
        return BootKind.PROMPT;
    }

    @Override
    public NodeIdentity self() {
        return self;
    }

    @Override
    public boolean selfDrained() {
        return false;
    }

    @Override
    public boolean leaving() {
        return false;
    }

    @Override
    public Peer find(NodeId id) {
        return others.get(id);
    }

    @Override
    public Peer ensure(NodeId id, Turn turn) {
        return others.get(id);
    }

    @Override
    public Collection<? extends Peer> all() {
        return others.values();
    }

    private static final class Other implements Peer {
        private final NodeId id;
        private long incarnation;
        private long sent;
        private long sentAt;
        private boolean linked;

        Other(NodeId id) {
            this.id = id;
        }

        @Override
        public NodeId id() {
            return id;
        }

        @Override
        public PeerState state() {
            return PeerState.ACTIVE;
        }

        @Override
        public long incarnation() {
            return incarnation;
        }

        @Override
        public long generation() {
            return 1;
        }

        @Override
        public String site() {
            return "";
        }

        @Override
        public boolean linked() {
            return linked;
        }

        @Override
        public boolean selectable(long nowNanos) {
            return linked;
        }

        @Override
        public long heardSentNanos() {
            return sentAt;
        }

        @Override
        public boolean drained() {
            return false;
        }

        @Override
        public boolean removed() {
            return false;
        }

        @Override
        public long rttMinNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public long rttSmoothedNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public long stateSinceNanos() {
            return 0;
        }
    }
}
