package io.georep.keys.local;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.keys.core.KeyProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;

/** Adds key spaces to a node. */
public record KeySpacesModule(KeySpaceSettings settings) implements ProtocolModule<KeySpaces> {
    /** Room for versions and lengths in the largest message. */
    private static final int MESSAGE_SLACK = 256 << 10;

    @Override
    public ProtocolId id() {
        return KeyProtocol.ID;
    }

    @Override
    public Class<KeySpaces> serviceType() {
        return KeySpaces.class;
    }

    @Override
    public int messageBytesMax() {
        return KeySpace.BATCH_BYTES_MAX + MESSAGE_SLACK;
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new KeyProtocol(settings, peers);
    }

    @Override
    public LocalSide<KeySpaces> local(NodeHandle node) {
        return new LocalKeySpaces(node);
    }
}
