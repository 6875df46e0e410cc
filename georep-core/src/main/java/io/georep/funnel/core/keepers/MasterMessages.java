package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.Seats;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages from and to the keepers of views.
 *
 * <pre>
 * ASK      = varint number | renewal                                          (see {@link LedgerEntry})
 * GRANT    = varint number | view | varint leaseNanos | u8 mayWrite | u8 stored
 * ORDER    = varint number | u8 dryRun
 * RESTORED = varint number | view | varint count | (text node, varint view)* | text refusal
 * LOG      = message of the log                                               (see {@link io.georep.consensus.LogMessage})
 * STATE    = varint slot | varint slot of the seats | bytes seats | varint term | bytes ledger
 * view     = varint number | varint count | (text node)*                      0 and no nodes: none
 * </pre>
 */
public final class MasterMessages {
    public static final int ASK = 15;
    public static final int GRANT = 16;
    public static final int ORDER = 17;
    public static final int RESTORED = 18;
    public static final int LOG = 19;
    public static final int STATE = 20;

    private static final long SLOT_MAX = 1L << 60;

    private MasterMessages() {}

    /** What the log stands for up to a slot; in the store too. */
    public record State(long slot, Seats seats, long term, Slice ledger) {
        public Slice encode() {
            BinWriter out = new BinWriter(256).varint(slot);
            seats.write(out);
            return out.varint(term).bytes(ledger).toSlice();
        }

        public static State read(BinReader in) {
            long slot = readSlot(in);
            State state = new State(
                    slot, Seats.read(in), readSlot(in), Slice.of(in.bytes().toArray()));
            in.requireEnd("a message");
            return state;
        }
    }

    static long readSlot(BinReader in) {
        return in.varint(SLOT_MAX, "slot");
    }

    public static Slice ask(long number, Renewal renewal) {
        BinWriter out = new BinWriter(128).varint(number);
        LedgerEntry.writeRenewal(renewal, out);
        return out.toSlice();
    }

    public static Slice order(long number, boolean dryRun) {
        return new BinWriter(12).varint(number).u8(dryRun ? 1 : 0).toSlice();
    }

    public static Slice grant(long number, Grant grant) {
        BinWriter out = new BinWriter(128).varint(number);
        writeView(grant.view(), out);
        return out.varint(grant.lease().toNanos())
                .u8(grant.mayWrite() ? 1 : 0)
                .u8(grant.stored() ? 1 : 0)
                .toSlice();
    }

    public static Grant readGrant(BinReader in) {
        View view = readView(in);
        Duration lease = Duration.ofNanos(LedgerEntry.readNumber(in));
        Grant grant = new Grant(view, lease, FunnelLayout.flag(in), FunnelLayout.flag(in));
        in.requireEnd("a message");
        return grant;
    }

    public static Slice restored(long number, Restoration told) {
        BinWriter out = new BinWriter(128).varint(number);
        writeView(told.view(), out);
        out.varint(told.stores().size());
        told.stores().forEach((node, active) -> out.node(node).varint(active));
        String refusal = told.refusal();
        return out.text(refusal == null ? "" : refusal).toSlice();
    }

    public static Restoration readRestored(BinReader in) {
        View view = readView(in);
        Map<NodeId, Long> stores = new TreeMap<>();
        for (int left = in.count(2, "stores"); left > 0; left--) {
            stores.put(in.node(), LedgerEntry.readNumber(in));
        }
        String refusal = in.text();
        in.requireEnd("a message");
        return new Restoration(view, stores, refusal.isEmpty() ? null : refusal);
    }

    private static void writeView(@Nullable View view, BinWriter out) {
        out.varint(view == null ? 0 : view.number());
        LedgerEntry.writeNodes(view == null ? List.of() : view.members(), out);
    }

    private static @Nullable View readView(BinReader in) {
        long number = LedgerEntry.readNumber(in);
        List<NodeId> members = LedgerEntry.readNodes(in);
        if ((number == 0) != members.isEmpty()
                || members.size() > ViewLedger.MEMBERS_MAX
                || members.stream().distinct().count() != members.size()) {
            throw new MalformedException("view " + number + " with members " + members);
        }
        return number == 0 ? null : new View(number, members);
    }
}
