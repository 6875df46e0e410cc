package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Joins the lists that peers tell, and decides what counts in a list from a peer that may not decide over others (M33).
 * Such a peer may say anything about itself. A third node it may only introduce: a receiver that knows the third node believes
 * only that node itself. For not only a removal could keep a living node out, but also a GOODBYE, or a boot number that is too
 * high.
 */
final class BelievedLists {
    /**
     * How often in one boot such peers can make this node take a new incarnation. Each time it holds its entries back
     * for a while.
     */
    private static final int RAISES_MAX = 8;

    /** How far above its own an incarnation may be that such peers make this node take. */
    private static final long JUMP_MAX = 1_000_000;

    private static final long REPORT_EVERY_NANOS = 60_000_000_000L;

    private final PeerList list;
    private final ListMerge merge;
    private final BootRecord bootRecord;
    private final OwnNode own;
    private int raises;
    private long ignored;

    BelievedLists(PeerList list, ListMerge merge, BootRecord bootRecord) {
        this.list = list;
        this.merge = merge;
        this.bootRecord = bootRecord;
        own = bootRecord.own();
    }

    /** Decisions that were not believed. */
    long ignored() {
        return ignored;
    }

    /** Joins a list that this peer told. */
    void onList(PeerRecord teller, BinReader body, MembershipTurn turn) {
        for (PeerEntry line : MembershipMessages.entries(body)) {
            PeerEntry entry = believed(teller, line, turn);
            if (entry == null) {
                continue;
            }
            if (entry.id().equals(own.identity.id())) {
                bootRecord.onOwnEntry(entry, teller.limited, turn);
            } else {
                aboutItself(teller, entry, turn);
                merge.merge(entry, turn);
            }
        }
    }

    /**
     * A peer that lost its store does not know earlier orders about itself. Other nodes tell it, but a limited node
     * may not. It would be the only one that keeps the order, so it forgets an order that a later boot of the peer
     * does not know.
     */
    private void aboutItself(PeerRecord teller, PeerEntry line, MembershipTurn turn) {
        boolean isLaterBoot = line.id().equals(teller.id) && line.incarnation() > teller.drainedIn;
        if (own.identity.limited() && isLaterBoot && line.drainVersion() < teller.drainVersion) {
            merge.drain(teller, line.drainVersion(), line.drained(), turn);
            list.changed(teller);
        }
    }

    /** Returns what counts of a line; null if nothing. */
    private @Nullable PeerEntry believed(PeerRecord teller, PeerEntry line, MembershipTurn turn) {
        if (!teller.limited || line.id().equals(teller.id)) {
            return line;
        }
        if (line.id().equals(own.identity.id())) {
            return aboutThisNode(teller, line, turn);
        }
        PeerRecord known = list.find(line.id());
        if (merge.isNewRemoval(line, known)) {
            ignore(teller, "it says that '" + line.id() + "' was removed", turn);
        } else if (merge.isNewDrain(line, known)) {
            ignore(teller, drainText(line), turn);
        }
        if (known == null && !line.removed()) {
            list.introduce(teller, line, turn);
        }
        return known == null || known.stranger || line.removed() ? null : line.introduction();
    }

    /** Gap G12: it may be the only one that met a later boot of this node. */
    private @Nullable PeerEntry aboutThisNode(PeerRecord teller, PeerEntry line, MembershipTurn turn) {
        if (line.removedBelow() > own.identity.incarnation() && !own.removed) {
            ignore(teller, "it says that this node was removed", turn);
        } else if (ListMerge.isLaterDrain(line, own.drainVersion, own.drained)) {
            ignore(teller, drainText(line), turn);
        }
        if (own.isOlderThan(line)) {
            if (raises == RAISES_MAX || line.incarnation() - own.identity.incarnation() > JUMP_MAX) {
                ignore(teller, "it says that this node was once at incarnation " + line.incarnation(), turn);
                return null;
            }
            raises++;
        }
        return line.withoutDecisions();
    }

    /**
     * An owner of an entry, learnt now if unknown. A limited peer names only so many that nobody met, or it would make
     * this node, and all whom it tells, keep thousands of names. Then this returns null.
     */
    @Nullable
    PeerRecord owner(NodeId id, @Nullable NodeId teller, MembershipTurn turn) {
        PeerRecord known = list.find(id);
        if (known != null) {
            if (known.stranger) {
                list.vouch(known, turn);
            }
            return known;
        }
        PeerRecord introducer = teller == null ? null : list.find(teller);
        if (introducer == null || !introducer.limited) {
            return list.learn(id, "", turn);
        }
        if (introducer.introduced >= PeerList.INTRODUCED_MAX) {
            return null;
        }
        PeerRecord learnt = list.learn(id, "", turn);
        learnt.introducedBy(introducer);
        return learnt;
    }

    private static String drainText(PeerEntry line) {
        return "it says that '" + line.id() + "' is " + (line.drained() ? "drained" : "no longer drained");
    }

    private void ignore(PeerRecord teller, String what, MembershipTurn turn) {
        ignored++;
        long before = teller.decisionsReportedAtNanos;
        if (before == Long.MIN_VALUE || turn.now() - before >= REPORT_EVERY_NANOS) {
            teller.decisionsReportedAtNanos = turn.now();
            turn.notify(new MembershipEvent.DecisionIgnored(teller.id, teller.address, what));
        }
    }
}
