package io.georep.examples.sms.talk;

import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;

/** Brings the talk between gateways to a node. */
public final class GatewayTalkModule implements ProtocolModule<GatewayTalk, TalkProtocol.Command, TalkProtocol.Event> {
    /** The same at all gateways. */
    static final ProtocolId ID = new ProtocolId(100, "gateway-talk", 1);

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public Class<GatewayTalk> serviceType() {
        return GatewayTalk.class;
    }

    @Override
    public Parts<GatewayTalk, TalkProtocol.Command, TalkProtocol.Event> start(
            Place place, Peers peers, NodeHandle<TalkProtocol.Command> node) {
        return new Parts<>(new TalkProtocol(peers), new LocalTalk(node));
    }
}
