package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.protocol.BootKind;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Collection;
import java.util.List;

/** The membership of a node that knows nobody: what a driver needs to turn, and as little to step through as can be. */
final class LoneMembership implements MembershipProtocol {
    private final NodeIdentity self;

    LoneMembership(NodeIdentity self) {
        this.self = self;
    }

    @Override
    public int channel() {
        return CHANNEL;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {}

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

    @Override
    public Peer frameArrived(NodeIdentity from, FrameHeader header, Turn turn) {
        return null;
    }

    @Override
    public void lifeSign(NodeIdentity from, Turn turn) {}

    @Override
    public void linkUp(NodeIdentity peer, Turn turn) {}

    @Override
    public void linkDown(NodeId peer, String reason, Turn turn) {}

    @Override
    public void writable(NodeId peer, boolean writable, Turn turn) {}

    @Override
    public void refused(String address, String reason, Turn turn) {}

    @Override
    public void bound(String address) {}

    @Override
    public boolean maySend(Peer to) {
        return false;
    }

    @Override
    public FrameHeader nextHeader(Peer to, long nowNanos) {
        throw new IllegalStateException("nothing is sent");
    }

    @Override
    public NodeIdentity self() {
        return self;
    }

    @Override
    public BootKind bootKind() {
        return BootKind.FRESH;
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
        return null;
    }

    @Override
    public Peer ensure(NodeId id, Turn turn) {
        throw new IllegalStateException("nobody is known");
    }

    @Override
    public Collection<? extends Peer> all() {
        return List.of();
    }
}
