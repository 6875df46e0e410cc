package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;

/** The place of a write in the order of its key (L1). Unlike a {@link Version} it stays the same when another tail commits the write again. */
record Stamp(long clock, NodeId head) {
    void write(BinWriter out) {
        out.varint(clock).node(head);
    }

    static Stamp read(BinReader in) {
        return new Stamp(FunnelBounds.CLOCK.read(in), in.node());
    }
}
