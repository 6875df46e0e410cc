package io.georep.reports.core;

import io.georep.model.Slice;

/** What the application asks. */
public sealed interface ReportCommand {
    /**
     * Returns what is known, with {@link ReportEvent.Seen}, and asks for more.
     *
     * @param token comes back with the answer
     */
    record Look(Object token) implements ReportCommand {}

    /**
     * The report of this node, after {@link ReportEvent.Wanted}.
     *
     * @param text empty if there is none
     */
    record Written(Slice text) implements ReportCommand {}
}
