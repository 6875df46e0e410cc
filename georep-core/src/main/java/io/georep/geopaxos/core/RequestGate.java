package io.georep.geopaxos.core;

import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.protocol.Peers;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a request of this node: the node answers or refuses it at once, or has it ordered. */
final class RequestGate {
    private final Peers peers;
    private final OpenRequests open;
    private final Offers offers;

    RequestGate(Peers peers, OpenRequests open, Offers offers) {
        this.peers = peers;
        this.open = open;
        this.offers = offers;
    }

    /** Has a request ordered, under a number of this node. */
    static void ask(GeoPaxos node, long number, GeoCommand command, long now) {
        if (command instanceof GeoCommand.Submit submit) {
            node.submit(number, submit.client(), submit.sequence(), submit.acked(), submit.operation(), now);
        } else if (command instanceof GeoCommand.Read read) {
            node.read(number, read.operation(), now);
        } else if (command instanceof GeoCommand.Give give) {
            node.move(number, give.objects(), give.from(), give.to(), now);
        } else if (command instanceof GeoCommand.Change change) {
            node.membership().ask(number, change.of(node.membership().layout()), now);
        } else if (command instanceof GeoCommand.Restore restore) {
            node.restorations().restore(number, restore, now);
        }
    }

    /**
     * Returns the answer to a request that is not ordered; null if it is to be.
     *
     * @param isGuest whether others make the calls of this node
     */
    @Nullable
    GeoEvent atOnce(GeoCommand command, GeoPaxos node, BooleanSupplier isGuest, long now) {
        if (command instanceof GeoCommand.ReadStatistics) {
            return new GeoEvent.Statistics(
                    command.token(), GeoStatistics.of(node, open.size(), isGuest.getAsBoolean(), now));
        } else if (command instanceof GeoCommand.ReadPlacement asked) {
            return new GeoEvent.Placed(asked.token(), PlacementPage.of(node, asked, now));
        } else if (peers.self().limited()) {
            return OpenRequests.refused(command, Reason.LIMITED, Reason.LIMITED.text);
        }
        GeoEvent answer = open.refusal(command, node.executor());
        answer = answer == null ? SeatChanges.unknown(command, peers) : answer;
        boolean isCall = command instanceof GeoCommand.Submit || command instanceof GeoCommand.Read;
        // Whoever makes the call for this node knows who has a part, and asks.
        answer = answer == null && !(isCall && isGuest.getAsBoolean()) ? offers.refusal(command, node) : answer;
        answer = answer == null ? node.membership().atOnce(command) : answer;
        if (answer == null && command instanceof GeoCommand.Restore restore) {
            return node.restorations().atOnce(restore, now);
        }
        return answer == null ? OpenRequests.full(command, node.executor()) : answer;
    }
}
