package io.georep.keys.core;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Passes on what was written on this node to the nodes that were not asked to confirm it. A key that is written often is
 * passed on once per round, with its latest value. If a message gets lost, {@link Comparison} finds what is missing.
 */
final class Spreading {
    private static final int MESSAGE_BYTES = 48 << 10;

    private final KeyContext context;

    /** The keys that were written since the last round, and the nodes that got each of them at that time. */
    private final Map<StoredKey, Collection<NodeId>> fresh = new LinkedHashMap<>();

    Spreading(KeyContext context) {
        this.context = context;
    }

    boolean isIdle() {
        return fresh.isEmpty();
    }

    void add(Collection<StoredKey> records, Collection<NodeId> holders) {
        for (StoredKey record : records) {
            if (context.table.has(record)) {
                fresh.put(record, holders);
            }
        }
    }

    void tick(Turn turn) {
        if (fresh.isEmpty()) {
            return;
        }
        for (Peer peer : context.inReach()) {
            boolean isDrained = peer.drained() && peer.state() == PeerState.ACTIVE;
            if (isDrained || peer.selectable(turn.now())) {
                spread(peer, turn);
            }
        }
        fresh.clear();
    }

    private void spread(Peer peer, Turn turn) {
        List<StoredKey> records = new ArrayList<>();
        int bytes = 0;
        for (Map.Entry<StoredKey, Collection<NodeId>> entry : fresh.entrySet()) {
            StoredKey record = entry.getKey();
            if (!entry.getValue().contains(peer.id())) {
                records.add(record);
                bytes += record.bytes() + KeyRecord.OVERHEAD_BYTES;
                if (bytes >= MESSAGE_BYTES) {
                    send(peer, records, turn);
                    records = new ArrayList<>();
                    bytes = 0;
                }
            }
        }
        if (!records.isEmpty()) {
            send(peer, records, turn);
        }
    }

    private void send(Peer peer, List<StoredKey> records, Turn turn) {
        BinWriter out = KeyMessages.start(context.table);
        context.send(peer, KeyMessages.RECORDS, KeyMessages.records(out, records, turn.now()), turn);
    }
}
