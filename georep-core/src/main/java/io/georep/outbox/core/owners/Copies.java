package io.georep.outbox.core.owners;

import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.List;

/** The receiving end of REPLICATE (rules b1, b2, b9): a copy is stored, acknowledged, and nothing else happens. */
public final class Copies {
    private final OutboxContext context;
    private final Claims claims;

    public Copies(OutboxContext context, Claims claims) {
        this.context = context;
        this.claims = claims;
    }

    public void replicate(Peer from, Group group, Turn turn) {
        Custody offered = group.custody.withState(EntryState.COPY);
        if (!offered.owners().contains(context.self()) || !offered.owners().contains(from.id())) {
            throw new MalformedException("REPLICATE from " + from.id() + " to " + context.self() + " for owners "
                    + offered.owners() + ": both must be owners");
        }
        RangeList all = RangeList.of(group.first, group.to());
        if (!context.knows(offered.owners(), from.id(), turn) || !knowsOrigin(group.stream.origin(), from, turn)) {
            StreamTable unknown = context.ledger.look(group.stream, group.queue);
            ack(from, unknown, OutboxMessages.STATUS_REFUSED, offered.epoch(), all);
            return;
        }
        StreamTable table = context.ledger.open(group.stream, group.queue);
        RangeList finished = table.finished.within(all);
        RangeList open = all.without(finished);
        ack(from, table, OutboxMessages.STATUS_DELETED, offered.epoch(), finished);
        RangeList known = knownTo(table, from, open, offered, turn);
        store(from, table, group, open.without(known), offered, turn);
    }

    /** Learns the name of the origin: the node that ends these entries tells it, even if it is no owner. */
    private boolean knowsOrigin(NodeId origin, Peer from, Turn turn) {
        return context.peers.find(origin) != null || context.knows(List.of(origin), from.id(), turn);
    }

    /** Entries this node already has some custody of: a repetition, or a new epoch after a replacement. */
    private RangeList knownTo(StreamTable table, Peer from, RangeList open, Custody offered, Turn turn) {
        SequenceSet known = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(open);
            Custody mine = part.custody();
            // Made an owner again since its release: by rank, since both sides of a partition may have released it.
            if (hit.isEmpty() || (mine.state() == EntryState.REMOVED && offered.outranks(mine))) {
                continue;
            }
            known.addAll(hit);
            if (mine.state() == EntryState.REMOVED) {
                ack(from, table, OutboxMessages.STATUS_REFUSED, offered.epoch(), hit);
            } else {
                if (offered.epoch() > mine.epoch()) {
                    claims.learn(table, hit, offered, from.id(), turn);
                }
                ack(from, table, OutboxMessages.STATUS_STORED, offered.epoch(), hit);
            }
        }
        return known.all();
    }

    private void store(Peer from, StreamTable table, Group group, RangeList fresh, Custody offered, Turn turn) {
        if (fresh.isEmpty()) {
            return;
        }
        if (!context.store.takesEntries()
                || context.peers.leaving()
                || context.peers.selfDrained()
                || !context.senderRights.brings(from.id(), table)) {
            ack(from, table, OutboxMessages.STATUS_REFUSED, offered.epoch(), fresh);
            return;
        }
        claims.releaseFormerHolder(table, fresh, offered);
        // An entry once dropped and now copied again may still have its bytes here, in a group of live neighbours.
        RangeList again = table.covered.within(fresh);
        context.ledger.custody(table, again, offered, turn);
        if (group.prepared && !again.isEmpty()) {
            context.ledger.note(table, Fact.Mark.PREPARED, again);
        }
        if (!group.prepared) {
            context.ledger.note(table, Fact.Mark.DECIDED, table.prepared.within(fresh));
        }
        RangeList missing = fresh.without(again);
        for (int i = 0; i < missing.count(); i++) {
            Group part = group.part(missing.from(i), missing.to(i), group.custody);
            context.ledger.stored(table, part, offered, turn);
        }
        ack(from, table, OutboxMessages.STATUS_STORED, offered.epoch(), fresh);
        claims.evaluate(table, offered, turn);
    }

    /**
     * The way to a holder is open again (6.3.10). The way from it may have been open all the time, so this node may
     * have acknowledged copies in vain. The holder can wait for the newest copies only.
     */
    public void peerReachable(Peer holder) {
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                Custody custody = part.custody();
                if (custody.state() == EntryState.COPY && custody.first().equals(holder.id())) {
                    long end = part.members().last() + 1;
                    RangeList newest = part.members().within(end - context.config.pendingPutsMax(), end);
                    ack(holder, table, OutboxMessages.STATUS_STORED, custody.epoch(), newest);
                }
            }
        }
    }

    private void ack(Peer to, StreamTable table, int status, long epoch, RangeList ranges) {
        context.outgoing.ack(to.id(), table, status, epoch, ranges);
    }
}
