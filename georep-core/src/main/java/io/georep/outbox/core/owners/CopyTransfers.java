package io.georep.outbox.core.owners;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.Completion;
import io.georep.outbox.core.holder.Prepared;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Payloads on their way to nodes that should have copies of old entries (6.8.6, 6.11). One page is under way at a time, so a
 * backlog of millions moves in bounded memory. A transfer is repeated a few times. A node that refuses or does not answer is
 * left alone for a while, longer each time: the reason will not be gone at once, and other nodes wait.
 */
public final class CopyTransfers {
    private static final int PAGE_GROUPS = 256;
    private static final long PAGE_BYTES = 256 << 10;

    /** Longest pause after a refusal or no answer, in heartbeats. */
    private static final int PAUSE_MAX = 32;

    /** Longest time for which a transfer is given to be answered, in T_put: each time it is twice as long. */
    private static final int PATIENCE_MAX = 8;

    /** One group on its way to one node. */
    abstract static class Transfer {
        final StreamTable table;
        final Group group;
        final NodeId target;
        final SequenceSet open = new SequenceSet();
        private long repeatAtNanos;
        private int patience = 1;

        Transfer(StreamTable table, Group group, NodeId target) {
            this.table = table;
            this.group = group;
            this.target = target;
            open.addAll(ranges());
        }

        final RangeList ranges() {
            return RangeList.of(group.first, group.to());
        }

        /** The target has durable copies of these. */
        abstract void stored(RangeList ranges, Turn turn);

        /** These will not be tried again now: the target refuses or cannot be reached. */
        abstract void givenUp(RangeList ranges, Turn turn);
    }

    /** How long a node that refused is left alone. */
    private record Pause(int heartbeats, long untilNanos) {}

    /** Takes a page of groups from the store. */
    interface PageReader {
        void read(List<EntryStore.Pair> pairs, Turn turn);
    }

    private final OutboxContext context;
    private final Completion completion;
    private final List<Transfer> underWay = new ArrayList<>();
    private final Map<NodeId, Pause> pauses = new TreeMap<>();
    private boolean reading;

    public CopyTransfers(OutboxContext context, Completion completion) {
        this.context = context;
        this.completion = completion;
    }

    /** Returns whether the next page may be read. */
    boolean isIdle() {
        return underWay.isEmpty() && !reading;
    }

    /** Returns whether a node can take copies now. */
    boolean takes(NodeId node, Turn turn) {
        return !isPaused(node, turn.now()) && context.candidates.isSelectable(node, turn.now());
    }

    /** Returns the nodes that refused lately. */
    List<NodeId> paused(long now) {
        return pauses.keySet().stream().filter(node -> isPaused(node, now)).toList();
    }

    private boolean isPaused(NodeId node, long now) {
        Pause pause = pauses.get(node);
        return pause != null && now < pause.untilNanos;
    }

    /** Reads the page that begins with the group of this entry. */
    void readFrom(StreamTable table, long sequence, PageReader reader, Turn turn) {
        reading = true;
        turn.read(
                OutboxKeys.group(table.id, table.groups.previous(sequence)),
                OutboxKeys.group(table.id, Long.MAX_VALUE),
                PAGE_GROUPS,
                PAGE_BYTES,
                (pairs, more, later) -> {
                    reading = false;
                    reader.read(pairs, later);
                });
    }

    void start(Transfer transfer, Turn turn) {
        underWay.add(transfer);
        send(transfer, turn);
    }

    private void send(Transfer transfer, Turn turn) {
        transfer.repeatAtNanos =
                turn.now() + transfer.patience * context.config.putTimeout().toNanos();
        transfer.patience *= 2;
        // Whether the target still takes copies (rule I6) is asked when the copy leaves, not when it is planned.
        turn.whenWritten(later -> {
            Peer peer = context.peers.find(transfer.target);
            if (peer != null && peer.linked() && peer.state() == PeerState.ACTIVE && underWay.contains(transfer)) {
                later.send(peer, OutboxMessages.REPLICATE, transfer.group.bytes(), false);
            }
        });
    }

    /** Called about once a second: repeats what was not answered, gives up what cannot arrive. */
    void tick(Turn turn) {
        for (Transfer transfer : List.copyOf(underWay)) {
            Peer peer = context.peers.find(transfer.target);
            boolean due = turn.now() >= transfer.repeatAtNanos;
            if (peer == null || peer.state() != PeerState.ACTIVE || peer.removed()) {
                giveUp(transfer, turn);
            } else if (due && !context.candidates.takesCopies(peer, turn.now())) {
                giveUp(transfer, turn);
            } else if (due && transfer.patience > PATIENCE_MAX) {
                pause(transfer.target, turn.now());
                giveUp(transfer, turn);
            } else if (due) {
                send(transfer, turn);
            }
        }
    }

    /** The way to a node is open again: what it was sent may be lost. */
    public void peerReachable(Peer peer, Turn turn) {
        for (Transfer transfer : underWay) {
            if (transfer.target.equals(peer.id()) && transfer.patience <= PATIENCE_MAX) {
                send(transfer, turn);
            }
        }
    }

    private void giveUp(Transfer transfer, Turn turn) {
        underWay.remove(transfer);
        transfer.givenUp(transfer.open.all(), turn);
    }

    /** ACK; returns whether it ended the last transfer of a page. */
    boolean acknowledged(Peer from, StreamTable table, int status, long epoch, RangeList ranges, Turn turn) {
        boolean had = !underWay.isEmpty();
        for (Transfer transfer : had ? List.copyOf(underWay) : List.<Transfer>of()) {
            boolean concerned = transfer.table == table
                    && transfer.target.equals(from.id())
                    && transfer.group.custody.epoch() == epoch;
            RangeList hit = concerned ? transfer.open.within(ranges) : new RangeList();
            if (!hit.isEmpty()) {
                answered(transfer, from, status, hit, turn);
            }
        }
        return had && underWay.isEmpty();
    }

    private void answered(Transfer transfer, Peer from, int status, RangeList hit, Turn turn) {
        if (status == OutboxMessages.STATUS_REFUSED) {
            pause(from.id(), turn.now());
            giveUp(transfer, turn);
            return;
        }
        pauses.remove(from.id());
        transfer.open.removeAll(hit);
        if (transfer.open.isEmpty()) {
            underWay.remove(transfer);
        }
        if (status == OutboxMessages.STATUS_STORED) {
            transfer.stored(hit, turn);
            // Decisions since it left were told only to those who had copies by then.
            if (transfer.group.prepared) {
                Prepared.tellCommits(context, transfer.target, transfer.table, hit);
            }
        } else {
            // The target has a tombstone: the entries were forwarded. That ends them here, as a DELETE would.
            completion.delete(from, transfer.table, hit, turn);
        }
    }

    /** A name is forgotten. */
    public void forget(NodeId node) {
        pauses.remove(node);
    }

    private void pause(NodeId node, long now) {
        Pause before = pauses.get(node);
        if (before == null || now >= before.untilNanos) {
            int heartbeats = before == null ? 1 : Math.min(PAUSE_MAX, 2 * before.heartbeats);
            pauses.put(
                    node,
                    new Pause(
                            heartbeats,
                            now + heartbeats * context.config.heartbeat().toNanos()));
        }
    }
}
