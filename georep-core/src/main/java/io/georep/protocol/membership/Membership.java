package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.BootKind;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Who is there: greeting, gossip, failure detection, leaving and returning. */
public final class Membership implements MembershipProtocol {
    private final ProtocolConfig config;
    private final LocalNode local;
    private final LifeSigns lifeSigns;

    /** A membership with the default reading of life signs. */
    public Membership(ProtocolConfig config, LocalNode local) {
        this(config, local, LifeSigns.UNSOLICITED);
    }

    /** A membership with another reading of life signs, for replaying published tables. */
    public Membership(ProtocolConfig config, LocalNode local, LifeSigns lifeSigns) {
        this.config = config;
        this.local = local;
        this.lifeSigns = lifeSigns;
    }

    @Override
    public int channel() {
        return CHANNEL;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        throw todo();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        throw todo();
    }

    @Override
    public @Nullable Peer frameArrived(NodeIdentity from, FrameHeader header, Turn turn) {
        throw todo();
    }

    @Override
    public void lifeSign(NodeIdentity from, Turn turn) {
        throw todo();
    }

    @Override
    public void linkUp(NodeIdentity peer, Turn turn) {
        throw todo();
    }

    @Override
    public void linkDown(NodeId peer, String reason, Turn turn) {
        throw todo();
    }

    @Override
    public void writable(NodeId peer, boolean writable, Turn turn) {
        throw todo();
    }

    @Override
    public void refused(String address, String reason, Turn turn) {
        throw todo();
    }

    @Override
    public void bound(String address) {
        throw todo();
    }

    @Override
    public boolean maySend(Peer to) {
        throw todo();
    }

    @Override
    public FrameHeader nextHeader(Peer to, long nowNanos) {
        throw todo();
    }

    @Override
    public NodeIdentity self() {
        throw todo();
    }

    @Override
    public BootKind bootKind() {
        throw todo();
    }

    @Override
    public boolean selfDrained() {
        throw todo();
    }

    @Override
    public boolean leaving() {
        throw todo();
    }

    @Override
    public @Nullable Peer find(NodeId id) {
        throw todo();
    }

    @Override
    public Peer ensure(NodeId id, Turn turn) {
        throw todo();
    }

    @Override
    public Collection<? extends Peer> all() {
        throw todo();
    }

    private UnsupportedOperationException todo() {
        return new UnsupportedOperationException(local + " " + lifeSigns + " " + config.profile());
    }
}
