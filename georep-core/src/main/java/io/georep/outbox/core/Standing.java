package io.georep.outbox.core;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/**
 * Who may say of a copy kept here that it is not needed any more (rule 6.19): the origin of the entry, and whoever is or was an
 * owner as far as this node was told. Whoever ends an entry of another node therefore sends ahead the claim by which it held
 * the entry. Of others it is not believed.
 */
final class Standing {
    /** How long after one report of refused words the next one may follow. */
    private static final long REPORT_NANOS = 60_000_000_000L;

    private final OutboxContext context;
    private boolean reported;
    private long reportedNanos;

    Standing(OutboxContext context) {
        this.context = context;
    }

    /** Returns those of these entries of which this peer may say it. Counts and reports the others. */
    RangeList believed(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        if (from.id().equals(table.id.origin())) {
            return ranges;
        }
        SequenceSet refused = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            if (part.custody().state() != EntryState.REMOVED
                    && !part.custody().owners().contains(from.id())) {
                refused.addAll(part.members().within(ranges));
            }
        }
        if (refused.isEmpty()) {
            return ranges;
        }
        refused.removeAll(table.duties.unreleased.of(from.id()).within(ranges));
        refused.removeAll(table.duties.named.of(from.id()).within(ranges));
        if (!refused.isEmpty()) {
            refuse(from.id(), table, refused.size(), turn);
        }
        return ranges.without(refused.all());
    }

    /** CLAIM: the claim by which the sender may say what follows about entries. Of what is not live here nothing is noted. */
    void claims(NodeId from, @Nullable StreamTable table, Custody claim, RangeList ranges) {
        if (table != null && claim.owners().contains(from)) {
            table.parts()
                    .forEach(part -> table.duties.named(from, part.members().within(ranges)));
        }
    }

    /** A name is forgotten. */
    void forget(NodeId name) {
        context.ledger.tables().forEach(table -> table.duties.forgotten(name));
    }

    private void refuse(NodeId from, StreamTable table, long entries, Turn turn) {
        context.counters.endsRefused += entries;
        if (!reported || turn.now() - reportedNanos >= REPORT_NANOS) {
            reported = true;
            reportedNanos = turn.now();
            turn.notify(new OutboxEvent.EndRefused(table.queue, from, entries));
        }
    }
}
