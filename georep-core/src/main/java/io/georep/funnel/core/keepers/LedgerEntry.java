package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What the master writes into its log, which all of its replicas apply in the same order ({@link ViewLedger#apply}).
 *
 * <pre>
 * entry  = u8 1 | renewal | varint leaseNanos
 *        | u8 2 | varint expectedView | varint count | member* | varint count | removed*
 *        | u8 3 | varint view | varint count | member*
 * renewal = text node | i64 incarnation | varint activeView | varint readyView | varint count | (text node)*
 * member = text node | i64 incarnation            removed = text node | varint grants
 * </pre>
 */
public sealed interface LedgerEntry {
    /**
     * A node asked.
     *
     * @param leaseNanos the lease it gets if it is a member; 0 for a node that is about to be taken out, see {@link
     *     ViewPolicy#mayGrant}
     */
    record Renew(Renewal renewal, long leaseNanos) implements LedgerEntry {}

    /**
     * A new view. It has no effect if what the leader knew is no longer so.
     *
     * @param expectedView number of the view before it, 0 for none
     * @param members in order, with the incarnations under which they were known
     * @param removed members of the view before that are not in this one
     */
    record Change(long expectedView, List<Joined> members, List<Removed> removed) implements LedgerEntry {
        /** Copies the lists. */
        public Change {
            members = List.copyOf(members);
            removed = List.copyOf(removed);
        }
    }

    /**
     * A view that an operator ordered, of nodes whose stores know more than the ledger does.
     *
     * @param view its number, far above that of the newest view in which these stores were complete
     * @param members in order, with the incarnations under which they were heard of
     */
    record Restore(long view, List<Joined> members) implements LedgerEntry {
        /** Copies the list. */
        public Restore {
            members = List.copyOf(members);
        }
    }

    /** A member of the new view. */
    record Joined(NodeId node, long incarnation) {}

    /**
     * A node that is taken out.
     *
     * @param grants how many leases it had got when the leader saw the last of them end
     */
    record Removed(NodeId node, long grants) {}

    /** Returns the bytes for the log. */
    default Slice encode() {
        BinWriter out = new BinWriter(128);
        if (this instanceof Renew renew) {
            writeRenewal(renew.renewal, out.u8(1));
            out.varint(renew.leaseNanos);
        } else if (this instanceof Change change) {
            writeMembers(change.members, out.u8(2).varint(change.expectedView));
            out.varint(change.removed.size());
            change.removed.forEach(each -> out.node(each.node).varint(each.grants));
        } else if (this instanceof Restore restore) {
            writeMembers(restore.members, out.u8(3).varint(restore.view));
        }
        return out.toSlice();
    }

    private static void writeMembers(List<Joined> members, BinWriter out) {
        out.varint(members.size());
        members.forEach(each -> out.node(each.node).i64(each.incarnation));
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws MalformedException if it is anything else
     */
    static LedgerEntry decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        int type = in.u8();
        LedgerEntry entry = switch (type) {
            case 1 -> new Renew(readRenewal(in), readNumber(in));
            case 2 -> readChange(in);
            case 3 -> new Restore(readNumber(in), readMembers(in));
            default -> throw new MalformedException("entry of type " + type + " in the log of the master");
        };
        in.requireEnd("an entry in the log of the master");
        return entry;
    }

    /** Writes what a node asked. */
    static void writeRenewal(Renewal renewal, BinWriter out) {
        out.node(renewal.node()).i64(renewal.incarnation());
        out.varint(renewal.activeView()).varint(renewal.readyView());
        writeNodes(renewal.unreachable(), out);
    }

    /** Reads what a node asked. It can name members only: otherwise it could be longer than a message between keepers may be. */
    static Renewal readRenewal(BinReader in) {
        NodeId node = in.node();
        long incarnation = in.i64();
        // So small that the number of a restored view can be read, too.
        long active = in.varint(FunnelBounds.VIEW.max() - ViewPolicy.UNHEARD_VIEWS, "view");
        Renewal renewal = new Renewal(node, incarnation, active, readNumber(in), readNodes(in));
        List<NodeId> unreachable = renewal.unreachable();
        if (unreachable.size() > ViewLedger.MEMBERS_MAX || new HashSet<>(unreachable).size() != unreachable.size()) {
            throw new MalformedException(
                    node + " says that it cannot reach " + unreachable.size() + " members, or one of them twice");
        }
        return renewal;
    }

    private static Change readChange(BinReader in) {
        long expected = readNumber(in);
        List<Joined> members = readMembers(in);
        List<Removed> removed = new ArrayList<>();
        for (int left = in.count(2, "removed members"); left > 0; left--) {
            removed.add(new Removed(in.node(), readNumber(in)));
        }
        return new Change(expected, members, removed);
    }

    private static List<Joined> readMembers(BinReader in) {
        List<Joined> members = new ArrayList<>();
        for (int left = in.count(2, "members"); left > 0; left--) {
            members.add(new Joined(in.node(), in.i64()));
        }
        return members;
    }

    /** Reads a number that is not negative. */
    static long readNumber(BinReader in) {
        return in.varint(Long.MAX_VALUE - 1, "number");
    }

    /** Writes names. */
    static void writeNodes(List<NodeId> nodes, BinWriter out) {
        out.varint(nodes.size());
        nodes.forEach(out::node);
    }

    /** Reads names. */
    static List<NodeId> readNodes(BinReader in) {
        List<NodeId> nodes = new ArrayList<>();
        for (int left = in.count(1, "nodes"); left > 0; left--) {
            nodes.add(in.node());
        }
        return nodes;
    }
}
