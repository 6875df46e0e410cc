package io.georep.tally;

import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;

/** Brings the tally to a node. */
public record TallyModule(int channel, int version)
        implements ProtocolModule<Tally, TallyProtocol.Command, TallyProtocol.Event> {
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
    public Parts<Tally, TallyProtocol.Command, TallyProtocol.Event> start(
            Place place, Peers peers, NodeHandle<TallyProtocol.Command> node) {
        return new Parts<>(new TallyProtocol(channel, version, peers), new LocalTally(node));
    }
}
