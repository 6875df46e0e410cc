package io.georep.funnel.core;

import io.georep.model.NodeId;

/** A look into the core of replicated maps, for checks. */
public final class FunnelAudit {
    private FunnelAudit() {}

    /** The first of the views without a break that a node is a member of, as the master knows; 0 if it is none. */
    public static long joined(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known == null ? 0 : known.joined;
    }

    /** Whether the master knows that a node is active in the newest view, in the process that it is a member by. */
    public static boolean isActive(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known != null && known.joined > 0 && !known.restarted() && known.activeView == ledger.number();
    }
}
