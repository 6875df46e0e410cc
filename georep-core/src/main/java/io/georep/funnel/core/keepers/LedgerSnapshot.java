package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.core.keepers.ViewLedger.Known;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;

/** The ledger of the master as bytes. */
final class LedgerSnapshot {
    private static final int FORMAT = 1;

    private LedgerSnapshot() {}

    static Slice encode(ViewLedger ledger) {
        BinWriter out = new BinWriter(256).u8(FORMAT);
        out.varint(ledger.number());
        View view = ledger.view;
        LedgerEntry.writeNodes(view == null ? List.of() : view.members(), out);
        out.varint(ledger.longestLease)
                .varint(ledger.renewals)
                .varint(ledger.needed)
                .varint(ledger.nodes.size());
        for (Known each : ledger.nodes.values()) {
            out.node(each.id).i64(each.incarnation).i64(each.saidIncarnation);
            out.varint(each.activeView).varint(each.saidActive).varint(each.readyView);
            out.varint(each.joined)
                    .varint(each.since)
                    .u8(each.fresh ? 1 : 0)
                    .varint(each.grants)
                    .varint(each.touched);
            LedgerEntry.writeNodes(each.unreachable, out);
        }
        return out.toSlice();
    }

    static ViewLedger decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException(
                    "snapshot of the master has format " + format + ", this version reads " + FORMAT);
        }
        ViewLedger ledger = new ViewLedger();
        long number = LedgerEntry.readNumber(in);
        List<NodeId> members = LedgerEntry.readNodes(in);
        ledger.longestLease = LedgerEntry.readNumber(in);
        ledger.renewals = LedgerEntry.readNumber(in);
        ledger.needed = (int) in.varint(ViewLedger.MEMBERS_MAX, "members in doubt");
        for (int left = in.count(20, "nodes"); left > 0; left--) {
            Known node = new Known(in.node());
            node.incarnation = in.i64();
            node.saidIncarnation = in.i64();
            node.activeView = LedgerEntry.readNumber(in);
            node.saidActive = LedgerEntry.readNumber(in);
            node.readyView = LedgerEntry.readNumber(in);
            node.joined = LedgerEntry.readNumber(in);
            node.since = LedgerEntry.readNumber(in);
            node.fresh = in.u8() == 1;
            node.grants = LedgerEntry.readNumber(in);
            node.touched = LedgerEntry.readNumber(in);
            node.unreachable = LedgerEntry.readNodes(in);
            ledger.nodes.put(node.id, node);
        }
        if (in.hasMore()
                || (number == 0) != members.isEmpty()
                || !ledger.nodes.keySet().containsAll(members)) {
            throw new MalformedException("snapshot of the master contradicts itself");
        }
        ledger.view = number == 0 ? null : new View(number, members);
        return ledger;
    }
}
