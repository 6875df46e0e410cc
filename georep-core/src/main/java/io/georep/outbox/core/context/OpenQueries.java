package io.georep.outbox.core.context;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.messages.Outgoing;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Questions to other owners (QUERY) that wait for an answer. Like everything that must arrive, a question is repeated
 * with growing pauses. Without that, one lost frame could make a copy wait for ever for a holder that does not exist
 * any more.
 */
public final class OpenQueries {
    /** Longest pause between two repetitions, in ticks. */
    private static final int PAUSE_TICKS_MAX = 30;

    /** What one owner was asked. */
    private static final class Asked {
        final Map<StreamTable, SequenceSet> open = new LinkedHashMap<>();
        int pause = 1;
        int ticksLeft = 1;
    }

    private final Peers peers;
    private final Outgoing outgoing;
    private final TreeMap<NodeId, Asked> asked = new TreeMap<>();

    OpenQueries(Peers peers, Outgoing outgoing) {
        this.peers = peers;
        this.outgoing = outgoing;
    }

    /** Asks an owner about entries that this node holds. */
    public void ask(NodeId owner, StreamTable table, RangeList ranges) {
        if (!ranges.isEmpty()) {
            asked.computeIfAbsent(owner, none -> new Asked())
                    .open
                    .computeIfAbsent(table, none -> new SequenceSet())
                    .addAll(ranges);
            outgoing.query(owner, table, ranges);
        }
    }

    /** Returns which of these entries an owner was asked about and has not answered for. */
    public RangeList open(NodeId owner, StreamTable table, SequenceView members) {
        Asked ofOwner = asked.get(owner);
        SequenceSet open = ofOwner == null ? null : ofOwner.open.get(table);
        return open == null ? new RangeList() : members.within(open.all());
    }

    /** Closes the questions that an owner has answered. */
    public void answered(NodeId owner, StreamTable table, RangeList ranges) {
        Asked ofOwner = asked.get(owner);
        SequenceSet open = ofOwner == null ? null : ofOwner.open.get(table);
        if (ofOwner != null && open != null) {
            open.removeAll(ranges);
            ofOwner.pause = 1;
            ofOwner.ticksLeft = 1;
            if (open.isEmpty()) {
                ofOwner.open.remove(table);
            }
        }
    }

    /** Closes all questions about a stream of which nothing is left here. */
    public void forget(StreamTable table) {
        asked.values().forEach(ofOwner -> ofOwner.open.remove(table));
    }

    /** Closes all questions to a node whose name is forgotten. */
    public void forget(NodeId owner) {
        asked.remove(owner);
    }

    /** Asks an owner again to which there is a link once more. */
    public void peerReachable(NodeId owner) {
        Asked ofOwner = asked.get(owner);
        if (ofOwner != null) {
            ofOwner.pause = 1;
            ofOwner.ticksLeft = 1;
            repeat(owner, ofOwner);
        }
    }

    /** Returns what some of these nodes have been asked and not answered, null when there is nothing: for tests. */
    @Nullable
    public String open(Predicate<NodeId> nodes) {
        for (Map.Entry<NodeId, Asked> ofOwner : asked.entrySet()) {
            if (nodes.test(ofOwner.getKey()) && !ofOwner.getValue().open.isEmpty()) {
                return ofOwner.getKey() + " was asked about " + ofOwner.getValue().open;
            }
        }
        return null;
    }

    /** Called about once a second. */
    public void tick() {
        asked.values().removeIf(ofOwner -> ofOwner.open.isEmpty());
        asked.forEach((owner, ofOwner) -> {
            Peer peer = peers.find(owner);
            if (peer == null || !peer.linked()) {
                return;
            }
            if (--ofOwner.ticksLeft <= 0) {
                ofOwner.pause = Math.min(PAUSE_TICKS_MAX, 2 * ofOwner.pause);
                ofOwner.ticksLeft = ofOwner.pause;
                repeat(owner, ofOwner);
            }
        });
    }

    private void repeat(NodeId owner, Asked ofOwner) {
        for (Map.Entry<StreamTable, SequenceSet> item : List.copyOf(ofOwner.open.entrySet())) {
            StreamTable table = item.getKey();
            SequenceSet held = table.inState(EntryState.COPY, item.getValue().all());
            held.addAll(table.inState(EntryState.HELD, item.getValue().all()));
            if (held.isEmpty()) {
                ofOwner.open.remove(table);
            } else {
                item.setValue(held);
                outgoing.query(owner, table, held.all());
            }
        }
    }
}
