package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.sets.OwnerSets;
import io.georep.outbox.core.sets.OwnerView;
import io.georep.outbox.core.sets.RangeList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is noted of the entries of one {@link StreamTable} for single owners: what this node has to tell them until they
 * confirm it, and what it doubts of them. Changed by the named transitions alone; those of the first kind are durable.
 */
public final class Duties {
    private final StreamTable table;
    private final OwnerSets untoldSets = new OwnerSets();
    private final OwnerSets unreleasedSets = new OwnerSets();
    private final OwnerSets unconfirmedSets = new OwnerSets();
    private final OwnerSets missingSets = new OwnerSets();
    private final OwnerSets unprovenSets = new OwnerSets();
    private final OwnerSets namedSets = new OwnerSets();

    /** Finished entries whose DELETE an owner has not confirmed (G9). */
    public final OwnerView untold = untoldSets;

    /** Entries a former owner was replaced for and has not confirmed to have dropped. */
    public final OwnerView unreleased = unreleasedSets;

    /** Entries whose present claim (UPDATE) an owner has not confirmed (G7). */
    public final OwnerView unconfirmed = unconfirmedSets;

    /** Entries held here of which an owner said that it has no copy (6.8.6). Of this boot. */
    public final OwnerView missing = missingSets;

    /** Entries held here that an owner may have adopted unseen (6.16). Of this boot. */
    public final OwnerView unproven = unprovenSets;

    /** Live entries of which a node was an owner, was to become one, or says that it is one (6.19). Of this boot. */
    public final OwnerView named = namedSets;

    /** The claims by which this node was an owner of entries that it has no more and still has to tell somebody of. */
    public final FinishedClaims finishedClaims = new FinishedClaims();

    Duties(StreamTable table) {
        this.table = table;
    }

    /** Entries that are held like this are about to end. */
    void ending(List<Custodies.Part> parts, RangeList ranges) {
        finishedClaims.leaving(table.id, parts, ranges, unreleased, true);
    }

    /** Entries are over, which these owners must be told. */
    void finished(RangeList ranges, Collection<NodeId> toTell) {
        unconfirmedSets.strikeAll(ranges);
        for (NodeId owner : toTell) {
            untoldSets.note(owner, ranges);
        }
        // A former owner that still has to be released must now be told that the entry is over.
        for (NodeId owner : unreleasedSets.owners()) {
            untoldSets.note(owner, unreleasedSets.of(owner).within(ranges));
        }
        unreleasedSets.strikeAll(ranges);
        namedSets.strikeAll(ranges);
        keepOnlyNeeded(ranges);
    }

    /** Others may ask about uncertain entries until these are over. */
    private void keepOnlyNeeded(RangeList ranges) {
        finishedClaims.keepOnly(ranges.without(table.uncertain.within(ranges)), untold, unreleased);
    }

    /** A name is forgotten. */
    public void forgotten(NodeId node) {
        namedSets.strikeAll(node);
        unprovenSets.strikeAll(node);
    }

    /** Entries are about to be held by this custody: owners that it does not name were owners. */
    void changedHands(List<Custodies.Part> before, RangeList ranges, Custody custody) {
        for (Custodies.Part part : before) {
            RangeList hit = part.members().within(ranges);
            for (NodeId owner :
                    hit.isEmpty() ? List.<NodeId>of() : part.custody().owners()) {
                if (!custody.owners().contains(owner)) {
                    named(owner, hit);
                }
            }
        }
        RangeList tried = table.uncertain.within(ranges);
        if (custody.state() == EntryState.REMOVED) {
            finishedClaims.leaving(table.id, before, ranges.without(tried), unreleased, false);
        } else {
            finishedClaims.taken(ranges.without(tried));
        }
        if (custody.state() != EntryState.HELD) {
            finishedClaims.tried(before, tried);
        }
    }

    /** A node was an owner of these, or says that it is one. */
    public void named(NodeId owner, RangeList ranges) {
        namedSets.note(owner, ranges);
    }

    /** An owner confirmed DELETE. */
    public void told(NodeId owner, RangeList ranges) {
        untoldSets.strike(owner, ranges);
        keepOnlyNeeded(ranges);
    }

    /** A node is an owner no longer and must be told so. */
    public void replaced(NodeId owner, RangeList ranges) {
        unreleasedSets.note(owner, ranges);
        namedSets.note(owner, ranges);
        table.check(ranges);
    }

    /** A former owner confirmed RELEASE. */
    public void released(NodeId owner, RangeList ranges) {
        unreleasedSets.strike(owner, ranges);
        keepOnlyNeeded(ranges);
    }

    /** An owner must be told of the present claim. */
    public void claimed(NodeId owner, RangeList ranges) {
        unconfirmedSets.note(owner, ranges);
        table.check(ranges);
    }

    /** An owner confirmed the present claim. */
    public void confirmed(NodeId owner, RangeList ranges) {
        unconfirmedSets.strike(owner, ranges);
    }

    /** Another claim outranks the one of this node. */
    public void outranked(RangeList ranges) {
        unconfirmedSets.strikeAll(ranges);
    }

    /** An owner said that it has no copy of entries held here. */
    public void lost(NodeId owner, RangeList ranges) {
        missingSets.note(owner, ranges);
        table.check(ranges);
    }

    /** An owner has copies again, or needs none. */
    public void restored(NodeId owner, RangeList ranges) {
        missingSets.strike(owner, ranges);
    }

    /** Forgets what an owner lacks, because it is asked about everything again. */
    public void askedAnew(NodeId owner) {
        missingSets.strikeAll(owner);
    }

    /** An owner may have adopted entries held here. */
    public void becameUnproven(NodeId owner, RangeList ranges) {
        unprovenSets.note(owner, ranges);
        table.check(ranges);
    }

    /** An owner did not adopt these. */
    public void proved(NodeId owner, RangeList ranges) {
        unprovenSets.strike(owner, ranges);
    }

    /** Entries are not held here any more. What their owners lack concerns their new holder. */
    void forget(RangeList ranges) {
        missingSets.strikeAll(ranges);
        unprovenSets.strikeAll(ranges);
    }

    /** Returns the peers that have not confirmed something they were told. */
    public Set<NodeId> owedTo() {
        Set<NodeId> owed = new TreeSet<>(untoldSets.owners());
        owed.addAll(unreleasedSets.owners());
        owed.addAll(unconfirmedSets.owners());
        return owed;
    }

    /** All that is durable. */
    void write(BinWriter out) {
        untoldSets.write(out);
        unreleasedSets.write(out);
        unconfirmedSets.write(out);
        finishedClaims.write(out);
    }

    void read(BinReader in) {
        untoldSets.read(in);
        unreleasedSets.read(in);
        unconfirmedSets.read(in);
        finishedClaims.read(in);
    }
}
