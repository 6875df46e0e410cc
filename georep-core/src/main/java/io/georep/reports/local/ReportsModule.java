package io.georep.reports.local;

import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.reports.Reports;
import io.georep.reports.core.ReportCommand;
import io.georep.reports.core.ReportEvent;
import io.georep.reports.core.ReportProtocol;

/** Adds reports to a node. */
public record ReportsModule() implements ProtocolModule<Reports, ReportCommand, ReportEvent> {
    @Override
    public ProtocolId id() {
        return ReportProtocol.ID;
    }

    @Override
    public Class<Reports> serviceType() {
        return Reports.class;
    }

    @Override
    public Parts<Reports, ReportCommand, ReportEvent> start(Place place, Peers peers, NodeHandle<ReportCommand> node) {
        return new Parts<>(new ReportProtocol(peers), new LocalReports(node));
    }
}
