package io.georep.funnel.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;

/** The place of a write in the order of its key (L1). Unlike a {@link Version} it stays the same when another tail commits the write again. */
public record Stamp(long clock, NodeId head) {
    public void write(BinWriter out) {
        out.varint(clock).node(head);
    }

    public static Stamp read(BinReader in) {
        return new Stamp(FunnelBounds.CLOCK.read(in), in.node());
    }
}
