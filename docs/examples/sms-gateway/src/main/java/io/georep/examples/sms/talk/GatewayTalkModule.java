package io.georep.examples.sms.talk;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;

/** Brings the talk between gateways to a node. */
public final class GatewayTalkModule implements ProtocolModule<GatewayTalk> {
    /** The same at all gateways; GeoRep itself uses 1 to 3. */
    static final int CHANNEL = 100;

    static final ProtocolId ID = new ProtocolId(CHANNEL, "gateway-talk", 1);

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public Class<GatewayTalk> serviceType() {
        return GatewayTalk.class;
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new TalkProtocol(peers);
    }

    @Override
    public LocalSide<GatewayTalk> local(NodeHandle node) {
        return new LocalTalk(node);
    }
}
