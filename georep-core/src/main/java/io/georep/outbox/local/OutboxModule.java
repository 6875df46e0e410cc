package io.georep.outbox.local;

import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxService;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;
import io.georep.spi.CodecResolver;
import io.georep.spi.PeerSelection;

/**
 * The outbox as it is brought to a node.
 *
 * @param selection who gets copies
 * @param codecs for payloads without a codec of their own, after the built-in ones
 * @param networked whether there can be other nodes
 * @param copiesMax the most copies on other nodes that any entry gets
 */
public record OutboxModule(
        ProtocolConfig config, PeerSelection selection, CodecResolver codecs, boolean networked, int copiesMax)
        implements ProtocolModule<OutboxService> {
    @Override
    public ProtocolId id() {
        return OutboxProtocol.ID;
    }

    @Override
    public Class<OutboxService> serviceType() {
        return OutboxService.class;
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new OutboxProtocol(config, peers, selection);
    }

    @Override
    public LocalSide<OutboxService> local(NodeHandle node) {
        return new LocalOutboxes(node, this);
    }
}
