package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.funnel.core.messages.FunnelMessages.Holding;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Messages of a view that this node does not know yet: the newest FLUSH of each peer. */
final class EarlyFlushes {
    private final Map<NodeId, Early> early = new TreeMap<>();

    private record Early(Peer from, long view, Slice body) {}

    /** Takes a FLUSH again once this node knows its view. */
    interface Receiver {
        /** Called with a message that was checked when it came. */
        void take(Peer from, BinReader body);
    }

    /**
     * Keeps a FLUSH.
     *
     * @param in behind the number of the view
     * @param whole the message
     */
    void keep(Peer from, long view, BinReader in, Slice whole) {
        Holding.read(in); // fails here if it is malformed, while its sender is known
        early.put(from.id(), new Early(from, view, Slice.of(whole.toArray())));
    }

    /** Hands on the messages of views that are known now. */
    void upTo(long view, Receiver receiver) {
        if (early.isEmpty()) {
            return;
        }
        List<Early> messages = new ArrayList<>(early.values());
        messages.removeIf(message -> message.view > view);
        for (Early message : messages) {
            early.remove(message.from.id());
            try {
                receiver.take(message.from, new BinReader(message.body));
            } catch (MalformedException ignored) {
                // Its clock cannot be true. The sender repeats it, and then it is refused as a frame.
            }
        }
    }

    void forget(NodeId peer) {
        early.remove(peer);
    }
}
