package io.georep.rumour;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;
import java.util.concurrent.CompletionStage;

/** Brings rumours to a node. */
public record RumourModule(int channel) implements ProtocolModule<Rumours> {
    @Override
    public ProtocolId id() {
        return new ProtocolId(channel, "rumours", 1);
    }

    @Override
    public Class<Rumours> serviceType() {
        return Rumours.class;
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new RumourProtocol(channel, peers);
    }

    @Override
    public LocalSide<Rumours> local(NodeHandle node) {
        return new Local(node);
    }

    private record Local(NodeHandle node) implements LocalSide<Rumours>, Rumours {
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
        public void event(Object event) {
            if (event instanceof RumourProtocol.Known known) {
                node.answer(known.token(), known.view());
            }
        }
    }
}
