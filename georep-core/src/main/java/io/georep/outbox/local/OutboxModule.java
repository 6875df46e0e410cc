package io.georep.outbox.local;

import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxService;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.spi.CodecResolver;
import io.georep.spi.PeerSelection;

/**
 * Adds the outbox to a node.
 *
 * @param selection who gets copies
 * @param codecs for payloads without a codec of their own, after the built-in ones
 * @param copiesMax the most copies on other nodes that any entry gets
 */
public record OutboxModule(PeerSelection selection, CodecResolver codecs, int copiesMax)
        implements ProtocolModule<OutboxService, OutboxCommand, OutboxEvent> {
    @Override
    public ProtocolId id() {
        return OutboxProtocol.ID;
    }

    @Override
    public Class<OutboxService> serviceType() {
        return OutboxService.class;
    }

    @Override
    public Parts<OutboxService, OutboxCommand, OutboxEvent> start(
            Place place, Peers peers, NodeHandle<OutboxCommand> node) {
        return new Parts<>(
                new OutboxProtocol(place.config(), peers, limited(place.config())),
                new LocalOutboxes(node, this, place));
    }

    /** Returns the policy, limited to the round trips that the settings ask for. */
    private PeerSelection limited(ProtocolConfig config) {
        return config.minRtt().isZero() ? selection : selection.atLeast(config.minRtt(), false);
    }
}
