package io.georep.outbox;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.protocol.BootKind;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import java.util.Collection;
import java.util.List;

/** The membership of a node that is alone. */
final class LonePeers implements Peers {
    private static final NodeId ID = NodeId.of("solo");

    @Override
    public NodeIdentity self() {
        return new NodeIdentity(ID, 1, 1, 1, "solo:1", "");
    }

    @Override
    public BootKind bootKind() {
        return BootKind.PROMPT;
    }

    @Override
    public boolean selfDrained() {
        return false;
    }

    @Override
    public boolean leaving() {
        return false;
    }

    @Override
    public Peer find(NodeId id) {
        return null;
    }

    @Override
    public Peer ensure(NodeId id, Turn turn) {
        throw new AssertionError("nobody else is here: " + id);
    }

    @Override
    public Collection<? extends Peer> all() {
        return List.of();
    }
}
