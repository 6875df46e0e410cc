package io.georep.examples.sms.talk;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.runtime.LocalSide;
import io.georep.runtime.NodeHandle;
import io.georep.runtime.ProtocolModule;

/** Brings the talk between gateways to a node. */
public final class GatewayTalkModule implements ProtocolModule<GatewayTalk> {
    /** The same at all gateways; GeoRep itself uses 1 to 3. */
    static final int CHANNEL = 100;

    static final int VERSION = 1;

    @Override
    public String name() {
        return "gateway-talk";
    }

    @Override
    public int channel() {
        return CHANNEL;
    }

    @Override
    public int version() {
        return VERSION;
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
