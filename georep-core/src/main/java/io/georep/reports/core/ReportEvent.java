package io.georep.reports.core;

import io.georep.reports.NodeReport;
import java.util.List;

/** What the application is told. */
public sealed interface ReportEvent {
    /** The answer to a {@link ReportCommand.Look}. */
    record Seen(Object token, List<NodeReport> reports) implements ReportEvent {}

    /** Others want the report of this node: one {@link ReportCommand.Written} is due. */
    record Wanted() implements ReportEvent {}
}
