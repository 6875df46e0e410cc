package io.georep.outbox.core.messages;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what one turn has to tell each peer about ranges, so that a thousand acknowledgements become one message.
 * What promises something leaves after this turn's batch is durable: it is then true for good. What only says that
 * something is over leaves when the batch is written, since a lost mark can only cause a duplicate. A refusal does not
 * wait: it promises nothing and is most needed when the store does not answer.
 */
public final class Outgoing {

    /** What can be merged: same type, stream and content. */
    private record Key(
            int type,
            StreamTable table,
            int status,
            long epoch,
            @Nullable Custody custody) {
        /** Returns what gives standing to a DELETE or RELEASE that follows (6.19.3). */
        static Key claim(StreamTable table, Custody claim) {
            return new Key(OutboxMessages.CLAIM, table, 0, 0, claim);
        }
    }

    private final Peers peers;
    private int rangesMax = OutboxBounds.RANGES_MAX;
    private final TreeMap<NodeId, Map<Key, SequenceSet>> gathered = new TreeMap<>();

    public Outgoing(Peers peers) {
        this.peers = peers;
    }

    /** Sets how many ranges one message may have; tests split small messages. */
    public void rangesMax(int ranges) {
        rangesMax = ranges;
    }

    public void ack(NodeId to, StreamTable table, int status, long epoch, RangeList ranges) {
        add(to, new Key(OutboxMessages.ACK, table, status, epoch, null), ranges);
    }

    public void delete(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.DELETE, table, 0, 0, null), ranges);
    }

    public void deleted(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.DELETED, table, 0, 0, null), ranges);
    }

    public void update(NodeId to, StreamTable table, Custody claim, RangeList ranges) {
        add(to, new Key(OutboxMessages.UPDATE, table, 0, 0, claim), ranges);
    }

    public void updated(NodeId to, StreamTable table, long epoch, RangeList ranges) {
        add(to, new Key(OutboxMessages.UPDATED, table, 0, epoch, null), ranges);
    }

    public void release(NodeId to, StreamTable table, Custody claim, RangeList ranges) {
        add(to, new Key(OutboxMessages.RELEASE, table, 0, 0, claim), ranges);
    }

    public void released(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.RELEASED, table, 0, 0, null), ranges);
    }

    public void query(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.QUERY, table, 0, 0, null), ranges);
    }

    public void settled(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.SETTLED, table, 0, 0, null), ranges);
    }

    public void decided(NodeId to, StreamTable table, RangeList ranges) {
        add(to, new Key(OutboxMessages.DECIDED, table, 0, 0, null), ranges);
    }

    private void add(NodeId to, Key key, RangeList ranges) {
        if (!ranges.isEmpty()) {
            gathered.computeIfAbsent(to, none -> new LinkedHashMap<>())
                    .computeIfAbsent(key, none -> new SequenceSet())
                    .addAll(ranges);
        }
    }

    /** Sends everything gathered to peers with a link; what others miss is repeated when they are reachable. */
    public void flush(Turn turn) {
        gathered.forEach((to, items) -> {
            Peer peer = peers.find(to);
            if (peer != null && peer.linked()) {
                items.forEach((key, members) -> send(peer, key, members, turn));
            }
        });
        gathered.clear();
    }

    /** Before this node says something about entries, it tells by which claims it was an owner of them. */
    public void sendClaims(Peer peer, StreamTable table, RangeList ranges, Turn turn) {
        Map<Custody, SequenceSet> claims = table.duties.finishedClaims.of(ranges);
        claims.forEach((claim, entries) -> send(peer, Key.claim(table, claim), entries, turn));
    }

    private void send(Peer peer, Key key, SequenceSet members, Turn turn) {
        boolean urgent = key.type == OutboxMessages.ACK;
        RangeList all = members.all();
        switch (key.type) {
            case OutboxMessages.DELETE,
                    OutboxMessages.RELEASE,
                    OutboxMessages.RELEASED,
                    OutboxMessages.UPDATE,
                    OutboxMessages.UPDATED -> sendClaims(peer, key.table, all, turn);
            default -> {}
        }
        for (int next = 0; next < all.count(); next += rangesMax) {
            RangeList page = all.slice(next, Math.min(all.count(), next + rangesMax));
            if (urgent && key.status == OutboxMessages.STATUS_REFUSED) {
                turn.send(peer, key.type, body(key, page), true);
            } else if (isPromise(key.type)) {
                turn.sendWhenDurable(peer, key.type, body(key, page), urgent);
            } else {
                turn.sendWhenWritten(peer, key.type, body(key, page), urgent);
            }
        }
    }

    /** Returns whether others rely on it: a copy that is kept, a claim, a commit, an owner that is replaced. */
    private static boolean isPromise(int type) {
        return switch (type) {
            case OutboxMessages.ACK,
                    OutboxMessages.UPDATE,
                    OutboxMessages.UPDATED,
                    OutboxMessages.RELEASE,
                    OutboxMessages.DECIDED -> true;
            default -> false;
        };
    }

    private static Slice body(Key key, RangeList page) {
        Custody custody = key.custody;
        return switch (key.type) {
            case OutboxMessages.ACK -> OutboxMessages.ack(key.table.id, key.status, key.epoch, page);
            case OutboxMessages.UPDATED -> OutboxMessages.updated(key.table.id, key.epoch, page);
            case OutboxMessages.DELETED, OutboxMessages.RELEASED -> OutboxMessages.ranges(key.table.id, page);
            default ->
                custody == null
                        ? OutboxMessages.queueRanges(key.table, page)
                        : OutboxMessages.claim(key.table, custody, page);
        };
    }
}
