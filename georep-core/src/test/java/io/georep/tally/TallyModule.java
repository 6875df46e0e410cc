package io.georep.tally;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;

/** Brings the tally to a node. */
public record TallyModule(int channel, int version) implements ProtocolModule<Tally> {
    /** In its newest version. */
    public TallyModule(int channel) {
        this(channel, TallyProtocol.VERSION);
    }

    @Override
    public ProtocolId id() {
        return new ProtocolId(channel, "tally", version);
    }

    @Override
    public Class<Tally> serviceType() {
        return Tally.class;
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new TallyProtocol(channel, version, peers);
    }

    @Override
    public LocalSide<Tally> local(NodeHandle node) {
        return new LocalTally(node);
    }
}
