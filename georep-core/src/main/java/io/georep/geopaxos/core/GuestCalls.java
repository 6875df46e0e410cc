package io.georep.geopaxos.core;

import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Calls that this node makes for nodes that have no part in the groups: they are requests like those of its own, whose answers leave. */
final class GuestCalls {
    /** Calls of one node that are not answered. */
    static final int OPEN_MAX = 20_000;

    /** Stands for the caller among the requests. */
    private record Guest(NodeId node, long number) {}

    private final BiConsumer<NodeId, GeoMessage> sender;
    private final Set<Guest> open = new HashSet<>();
    private final Map<NodeId, Integer> counts = new HashMap<>();

    GuestCalls(BiConsumer<NodeId, GeoMessage> sender) {
        this.sender = sender;
    }

    /** Returns the request to make for a node; null if it is answered, or under way. */
    @Nullable
    GeoCommand command(NodeId from, GeoMessage.Call call, boolean takesPart) {
        Guest guest = new Guest(from, call.number());
        if (open.contains(guest) && takesPart) {
            return null;
        }
        GeoCommand command = call.command(guest);
        if (call.isAgain() && command instanceof GeoCommand.Submit submit && submit.sequence() == 0) {
            // An earlier boot may have made it, or this node while it had a part.
            sender.accept(from, GeoMessage.Answer.of(call.number(), null));
        } else if (!takesPart) {
            refuse(guest, Reason.NO_PART, Reason.NO_PART.text);
        } else if (counts.getOrDefault(from, 0) >= OPEN_MAX) {
            refuse(guest, Reason.OPEN, OPEN_MAX + " calls of node " + from + " are not answered");
        } else {
            return command;
        }
        return null;
    }

    /** Returns whether a request is one of another node. */
    static boolean isGuest(GeoCommand command) {
        return command.token() instanceof Guest;
    }

    /** A request is under way. */
    void begins(GeoCommand command) {
        if (command.token() instanceof Guest guest && open.add(guest)) {
            counts.merge(guest.node, 1, Integer::sum);
        }
    }

    /** Sends an answer, if it is one for another node. Returns whether it was. */
    boolean tell(GeoEvent answer) {
        if (answer instanceof GeoEvent.Answered it && it.token() instanceof Guest guest) {
            ends(guest);
            sender.accept(guest.node, GeoMessage.Answer.of(guest.number, it.result()));
            return true;
        } else if (answer instanceof GeoEvent.Refused it && it.token() instanceof Guest guest) {
            ends(guest);
            refuse(guest, it.reason(), it.why());
            return true;
        }
        return false;
    }

    private void refuse(Guest guest, Reason reason, String why) {
        sender.accept(guest.node, GeoMessage.Answer.refused(guest.number, reason, why));
    }

    private void ends(Guest guest) {
        if (open.remove(guest)) {
            counts.merge(guest.node, -1, (some, one) -> some == 1 ? null : some + one);
        }
    }
}
