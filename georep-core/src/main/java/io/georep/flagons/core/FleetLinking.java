package io.georep.flagons.core;

import io.georep.model.NodeIdentity;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.LinkingTurn;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/** What a node of a fleet and a mere client of one have in common: links, and the turn under way. */
abstract class FleetLinking implements LinkingProtocol<FleetCommand> {
    private static final long NANOS = 1_000_000;

    final FleetLinks links = new FleetLinks(this::isAwaited);
    private @Nullable LinkingTurn turn;

    /** Returns whether this process has asked an address by itself, and awaits an answer of who is there. */
    abstract boolean isAwaited(String address);

    @Override
    public final ProtocolId id() {
        return FleetProtocol.ID;
    }

    @Override
    public final boolean knows(int type) {
        return FleetCodec.knows(type);
    }

    @Override
    public final void onLinkUp(String address, NodeIdentity process, Turn given) {
        links.up(address, process.id(), LinkingTurn.of(given));
    }

    final void turn(Turn given) {
        turn = LinkingTurn.of(given);
    }

    final LinkingTurn turn() {
        if (turn == null) {
            throw new IllegalStateException("outside of a turn");
        }
        return turn;
    }

    static long millis(Turn turn) {
        return Math.floorDiv(turn.now(), NANOS);
    }

    static long nanos(long millis) {
        return millis * NANOS;
    }
}
