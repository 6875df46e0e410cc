package io.georep.rumour;

import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import java.util.concurrent.CompletionStage;

/** Brings rumours to a node. */
public record RumourModule(int channel)
        implements ProtocolModule<Rumours, RumourProtocol.Command, RumourProtocol.Event> {
    @Override
    public ProtocolId id() {
        return new ProtocolId(channel, "rumours", 1);
    }

    @Override
    public Class<Rumours> serviceType() {
        return Rumours.class;
    }

    @Override
    public Parts<Rumours, RumourProtocol.Command, RumourProtocol.Event> start(
            Place place, Peers peers, NodeHandle<RumourProtocol.Command> node) {
        return new Parts<>(new RumourProtocol(channel, peers), new Local(node));
    }

    private record Local(NodeHandle<RumourProtocol.Command> node)
            implements LocalSide<Rumours, RumourProtocol.Command, RumourProtocol.Event>, Rumours {
        @Override
        public Rumours service() {
            return this;
        }

        @Override
        public void meet(String address) {
            node.command(new RumourProtocol.Meet(address));
        }

        @Override
        public void tell(String rumour) {
            node.command(new RumourProtocol.Tell(rumour));
        }

        @Override
        public CompletionStage<RumourProtocol.View> view() {
            return node.ask(RumourProtocol.Read::new);
        }

        @Override
        public void event(RumourProtocol.Event event) {
            if (event instanceof RumourProtocol.Known known) {
                node.answer(known.token(), known.view());
            }
        }
    }
}
