package io.georep.keys.local;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyEvent;
import io.georep.keys.core.KeyProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;

/** Adds key spaces to a node. */
public record KeySpacesModule(KeySpaceSettings settings) implements ProtocolModule<KeySpaces, KeyCommand, KeyEvent> {
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
    public Parts<KeySpaces, KeyCommand, KeyEvent> start(Place place, Peers peers, NodeHandle<KeyCommand> node) {
        return new Parts<>(new KeyProtocol(settings, peers), new LocalKeySpaces(node));
    }
}
