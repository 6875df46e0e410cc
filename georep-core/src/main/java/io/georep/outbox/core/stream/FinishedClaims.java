package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.OwnerView;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import java.util.List;
import java.util.Map;

/**
 * The claims by which this node was an owner of entries of one stream. It has these entries no more, but still has to
 * tell some node that they ended (6.19.3). A node that was out of reach when this one became an owner takes it for a
 * stranger, unless it is told the claim. Also kept are the claims of entries that this node held and perhaps forwarded,
 * until they are over: the node that holds them now may not know that another one did (6.16.5). Durable.
 */
public final class FinishedClaims {
    private final Custodies claims = new Custodies();

    /**
     * This node is about to be an owner of these no longer. The origin needs no claim. Of mere copies, and of entries
     * that others hold now, it tells only owners that were replaced and do not know it yet.
     *
     * @param over whether the entries end
     */
    void leaving(StreamId stream, List<Custodies.Part> parts, RangeList ranges, OwnerView unreleased, boolean over) {
        for (Custodies.Part part : parts) {
            Custody custody = part.custody();
            boolean held = custody.state() == EntryState.HELD;
            if (custody.state() == EntryState.REMOVED
                    || (held && custody.first().equals(stream.origin()))) {
                continue;
            }
            RangeList hit = part.members().within(ranges);
            if (held && over) {
                claims.assign(hit, custody.withState(EntryState.COPY));
                continue;
            }
            for (NodeId owner : unreleased.owners()) {
                claims.assign(unreleased.of(owner).within(hit), custody.withState(EntryState.COPY));
            }
        }
    }

    /** This node will hold these no more, and perhaps forwarded them. */
    void tried(List<Custodies.Part> parts, RangeList ranges) {
        for (Custodies.Part part : parts) {
            if (part.custody().state() == EntryState.HELD) {
                claims.assign(part.members().within(ranges), part.custody().withState(EntryState.COPY));
            }
        }
    }

    /** This node is an owner of these again. */
    void taken(RangeList ranges) {
        claims.unassign(ranges);
    }

    /** Forgets the claims of those of these entries of which nobody has to be told any more. */
    void keepOnly(RangeList ranges, OwnerView untold, OwnerView unreleased) {
        if (!claims.isEmpty()) {
            RangeList known = ranges;
            for (OwnerView duty : List.of(untold, unreleased)) {
                for (NodeId owner : duty.owners()) {
                    known = known.without(duty.of(owner).within(known));
                }
            }
            claims.unassign(known);
        }
    }

    /** Returns the entries among these that are kept, by claim. */
    public Map<Custody, SequenceSet> of(RangeList ranges) {
        return claims.within(ranges);
    }

    /** Writes the claims, and nothing if there are none: snapshots that were written before claims were kept end here. */
    void write(BinWriter out) {
        if (!claims.isEmpty()) {
            claims.write(out);
        }
    }

    void read(BinReader in) {
        if (in.hasMore()) {
            claims.read(in);
        }
    }
}
