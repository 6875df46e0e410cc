package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.util.List;
import java.util.Map;

/**
 * By which claims this node held entries of one stream that it ended and still has to tell somebody of (6.19.3): who was out of
 * reach while it became their owner cannot tell it from a stranger. Durable. The origin of the entries needs no claim.
 */
final class EndedClaims {
    private final Custodies claims = new Custodies();

    /** These entries are about to end. Of mere copies only those are told who were replaced and do not know it yet. */
    void ending(StreamId stream, List<Custodies.Part> parts, RangeList ranges, OwnerView unreleased) {
        for (Custodies.Part part : parts) {
            Custody custody = part.custody();
            if (custody.state() == EntryState.STORED && !custody.first().equals(stream.origin())) {
                claims.assign(part.members().within(ranges), custody.withState(EntryState.INACTIVE));
            } else if (custody.state() == EntryState.INACTIVE) {
                for (NodeId owner : unreleased.owners()) {
                    RangeList ending = part.members().within(ranges);
                    claims.assign(unreleased.of(owner).within(ending), custody);
                }
            }
        }
    }

    /** Of these entries fewer have to be told of than before. */
    void keepOnly(OwnerView untold, RangeList ranges) {
        if (!claims.isEmpty()) {
            RangeList known = ranges;
            for (NodeId owner : untold.owners()) {
                known = known.without(untold.of(owner).within(known));
            }
            claims.unassign(known);
        }
    }

    /** Those of these entries that are kept, by claim. */
    Map<Custody, SequenceSet> of(RangeList ranges) {
        return claims.within(ranges);
    }

    /** Nothing if there are none: snapshots that were written before these were kept end here. */
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
