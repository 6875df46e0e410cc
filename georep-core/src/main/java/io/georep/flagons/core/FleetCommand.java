package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import java.util.List;

/** What the side of the application asks of a node of a fleet. */
public sealed interface FleetCommand {
    /**
     * A request of a client.
     *
     * @param after it comes behind this place, and an answer is not older
     * @param quorum how many members must answer alike
     * @param token of the answer
     */
    record Submit(
            FleetOperation operation,
            FleetConsistency consistency,
            OrderKey after,
            int quorum,
            long deadlineMillis,
            Object token)
            implements FleetCommand {
        boolean isInOrder() {
            return isInOrder(operation, consistency);
        }

        /** Returns whether a request gets a place in the order that it waits for. */
        static boolean isInOrder(FleetOperation operation, FleetConsistency consistency) {
            return consistency == FleetConsistency.ORDERED
                    || (consistency == FleetConsistency.CONVERGING && operation.changes());
        }
    }

    /** Asks how the node is, answered with the token. */
    record ReadStatus(Object token) implements FleetCommand {}

    /** Many requests of one turn. */
    record Calls(List<FleetCommand> calls) implements FleetCommand {}

    /** Checks that as many members answer as are asked for. */
    static void checkQuorum(FleetOperation operation, FleetConsistency consistency, int quorum) {
        if (quorum < 1 || (quorum > 1 && consistency != FleetConsistency.ORDERED && !operation.changes())) {
            throw new IllegalArgumentException(
                    "a quorum of " + quorum + ": a get that does not wait for the order is answered by one member");
        }
    }
}
