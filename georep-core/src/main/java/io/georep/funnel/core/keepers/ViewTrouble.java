package io.georep.funnel.core.keepers;

import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import io.georep.protocol.Turn;
import java.util.List;

/** Tells operators, once each, why there is no view that serves, as the keeper that leads sees it. */
final class ViewTrouble {
    private String told = "";

    /** Looks, and tells what has changed. */
    void look(ViewLeader leader, ViewLedger ledger, Turn turn) {
        String trouble = trouble(leader, ledger, turn.now());
        if (!trouble.equals(told)) {
            told = trouble;
            turn.notify(new FunnelEvent.Trouble(trouble));
        }
    }

    /** Returns it in words; empty if there is none. */
    private static String trouble(ViewLeader leader, ViewLedger ledger, long now) {
        String trouble = leader.trouble(ledger, now);
        if (trouble != null) {
            return trouble;
        }
        List<NodeId> awaited = leader.awaited(ledger, now);
        return awaited.isEmpty()
                ? ""
                : "the first view waits for " + awaited
                        + ": these founders do not ask. Start them, and check that they reach the keepers";
    }
}
