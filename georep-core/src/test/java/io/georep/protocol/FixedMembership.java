package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.protocol.membership.MembershipTurn;
import io.georep.spi.EntryStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A membership for tests of what is around it: everybody is known from the start, possibly nobody, and lives for ever. */
public final class FixedMembership implements MembershipProtocol {
    private static final long HEARTBEAT_NANOS = 1_000_000_000;
    private static final byte[] BOOTS = {CHANNEL, 1};

    private final TreeMap<NodeId, Member> others = new TreeMap<>();
    private final TreeMap<NodeId, String> targets;
    private NodeIdentity self;

    private static final class Member extends HandMadePeers.HandMadePeer {
        private long sent;

        Member(NodeId id) {
            super(id);
            incarnation = 0;
            linked = false;
            channels = Channels.NONE;
        }
    }

    /**
     * The membership of one boot.
     *
     * @param self who this is; incarnation and nonce are drawn at boot
     * @param everybody addresses of all nodes, perhaps this one among them
     */
    public FixedMembership(NodeIdentity self, Map<NodeId, String> everybody) {
        this.self = self;
        targets = new TreeMap<>(everybody);
        targets.remove(self.id());
        targets.keySet().forEach(id -> others.put(id, new Member(id)));
    }

    @Override
    public boolean knows(int type) {
        return type == 0;
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
        self = new NodeIdentity(
                self.id(),
                incarnation,
                1,
                turn.random().nextLong(),
                self.address(),
                self.site(),
                MembershipTurn.of(turn).hosted());
        MembershipTurn.of(turn).targets(targets, List.of());
    }

    @Override
    public Peer frameArrived(NodeIdentity from, FrameHeader header, MembershipTurn turn) {
        Member other = others.get(from.id());
        if (other == null || from.incarnation() < other.incarnation) {
            return null;
        }
        other.incarnation = from.incarnation();
        return other;
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

    @Override
    public void reading(boolean on, MembershipTurn turn) {}

    @Override
    public void onTimer(Turn turn) {
        for (Member other : others.values()) {
            if (other.linked && turn.now() - other.heardSentNanos >= HEARTBEAT_NANOS) {
                turn.send(other, 0, Slice.EMPTY, true);
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        long next = Long.MAX_VALUE;
        for (Member other : others.values()) {
            next = other.linked ? Math.min(next, other.heardSentNanos + HEARTBEAT_NANOS) : next;
        }
        return next;
    }

    @Override
    public FrameHeader nextHeader(Peer to, long nowNanos) {
        Member other = (Member) to;
        other.heardSentNanos = nowNanos;
        return new FrameHeader(self.incarnation(), ++other.sent, 0, 0, true, true, 30_000);
    }

    @Override
    public void lifeSign(NodeIdentity from, MembershipTurn turn) {}

    @Override
    public void linkUp(NodeIdentity peer, MembershipTurn turn) {
        Member other = others.get(peer.id());
        other.linked = true;
        other.channels = peer.channels().sharedWith(turn.hosted());
        other.heardSentNanos = turn.now();
        turn.peerReachable(other);
    }

    @Override
    public void linkDown(NodeId peer, String reason, MembershipTurn turn) {
        others.get(peer).linked = false;
    }

    @Override
    public void writable(NodeId peer, int lane, boolean writable, MembershipTurn turn) {}

    @Override
    public void refused(String address, String reason, MembershipTurn turn) {}

    @Override
    public void bound(String address) {}

    @Override
    public boolean maySend() {
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
    public Peer ensure(NodeId id, @Nullable NodeId teller, MembershipTurn turn) {
        return others.get(id);
    }

    @Override
    public Collection<? extends Peer> all() {
        return others.values();
    }

    @Override
    public Collection<? extends Peer> linked() {
        return others.values().stream().filter(Peer::linked).toList();
    }
}
