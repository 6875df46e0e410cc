package io.georep.outbox.core.holder;

import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Archive;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** SETTLED (6.9): the origin tells which entries of its streams are finished, some ranges at a time. */
public final class SettledNews {
    /** Most ranges above the floor in a SETTLED message; what is left is said in the next one, about a heartbeat later. */
    private static final int RANGES_MAX = 64;

    private final OutboxContext context;
    private int rangesMax = RANGES_MAX;

    /**
     * How far the tombstones of an own stream were said.
     *
     * @param size how many there were when the first ranges were told; entries that end later are told in a new round
     * @param resumeAt where the ranges begin that are said next, 0 when all were
     */
    private record Said(long size, long resumeAt) {}

    private final Map<StreamId, Said> said = new TreeMap<>();

    /** Own streams with tombstones that were not said. */
    private final Map<StreamId, StreamTable> unsaid = new TreeMap<>();

    /**
     * What one peer has yet to be told of an own stream.
     *
     * @param from where the ranges begin that it is told next, 0 for all
     */
    private record Behind(StreamTable table, long from) {}

    /** Peers that missed a telling: their links had no room, or they became reachable since. */
    private final Map<NodeId, Map<StreamId, Behind>> behind = new TreeMap<>();

    public SettledNews(OutboxContext context) {
        this.context = context;
    }

    /** Takes note that something changed in a stream. */
    void changed(StreamTable table) {
        if (isOwn(table) && !saidAll(table)) {
            unsaid.put(table.id, table);
        }
    }

    /** Forgets a stream in which nothing is left to do. */
    void putAway(StreamTable table) {
        said.remove(table.id);
        unsaid.remove(table.id);
    }

    /** Forgets a peer. */
    void forget(NodeId name) {
        behind.remove(name);
    }

    /** Tells peers in reach about own streams whose tombstones changed; called about once a second. */
    void tick() {
        for (StreamTable table : List.copyOf(unsaid.values())) {
            Said last = said.getOrDefault(table.id, new Said(0, 0));
            RangeList ranges = table.finished.first(last.resumeAt, rangesMax);
            for (Peer peer : context.peers.linked()) {
                if (peer.writable(OutboxKeys.CHANNEL)) {
                    context.outgoing.settled(peer.id(), table, ranges);
                } else {
                    isBehind(peer, new Behind(table, last.resumeAt));
                }
            }
            long size = last.resumeAt == 0 ? table.finished.size() : last.size;
            said.put(table.id, new Said(size, resumeAt(table, ranges)));
            if (saidAll(table)) {
                unsaid.remove(table.id);
            }
        }
        behind.entrySet().removeIf(late -> isPast(context.peers.find(late.getKey()), late.getValue()));
    }

    private void isBehind(Peer peer, Behind next) {
        behind.computeIfAbsent(peer.id(), none -> new TreeMap<>())
                .merge(next.table.id, next, (before, now) -> new Behind(now.table, Math.min(before.from, now.from)));
    }

    /** Returns whether this peer is done: it is told the last of these now, or will be told all when it is reachable again. */
    private boolean isPast(@Nullable Peer peer, Map<StreamId, Behind> streams) {
        return peer == null || !peer.linked() || catchesUp(peer, streams);
    }

    /** Tells one peer what comes next, if its link has room; returns whether nothing is left. Other peers are not told again. */
    private boolean catchesUp(Peer peer, Map<StreamId, Behind> streams) {
        if (peer.writable(OutboxKeys.CHANNEL)) {
            streams.replaceAll((id, next) -> {
                RangeList ranges = next.table.finished.first(next.from, rangesMax);
                context.outgoing.settled(peer.id(), next.table, ranges);
                return new Behind(next.table, resumeAt(next.table, ranges));
            });
            streams.values().removeIf(next -> next.from == 0);
        }
        return streams.isEmpty();
    }

    private boolean isOwn(StreamTable table) {
        return table.id.origin().equals(context.self());
    }

    /** Returns whether nothing of this stream is left to say: all was said, or its origin says it. */
    boolean isSaid(StreamTable table) {
        return !isOwn(table) || saidAll(table);
    }

    private boolean saidAll(StreamTable table) {
        Said last = said.get(table.id);
        long size = table.finished.size();
        return size == 0 || (last != null && last.size == size && last.resumeAt == 0);
    }

    /** Returns where to go on after these ranges, 0 when nothing is left. */
    static long resumeAt(StreamTable table, RangeList told) {
        long end = told.isEmpty() ? 0 : told.to(told.count() - 1);
        return table.finished.above().next(end) >= 0 ? end : 0;
    }

    /** Bounds the ranges of one message; tests set a small bound, so that some are told in a later one. */
    public void rangesMax(int ranges) {
        rangesMax = ranges;
    }

    /** Tells one peer about all own streams that are not old. What one message does not hold follows with the next heartbeats. */
    public void tell(Peer peer) {
        Map<StreamId, Behind> streams = new TreeMap<>();
        for (StreamTable table : context.ledger.tables()) {
            if (isOwn(table) && table.finished.size() > 0) {
                streams.put(table.id, new Behind(table, 0));
            }
        }
        behind.put(peer.id(), streams);
        if (catchesUp(peer, streams)) {
            behind.remove(peer.id());
        }
        for (Archive.Recent ended : context.ledger.recentOf(context.self())) {
            StreamTable table = context.ledger.look(ended.stream(), ended.queue());
            context.outgoing.settled(peer.id(), table, ended.finished());
        }
    }
}
