package io.georep.geopaxos.core;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.geopaxos.core.execution.Executor;
import java.util.ArrayList;
import java.util.List;

/** Collects what a node knows of its groups and of what it holds. */
final class GeoStatistics {
    private GeoStatistics() {}

    static OrderedMapsStatistics of(GeoPaxos node, long unanswered, boolean isGuest, long now) {
        long kept = node.executor().table().keptBytes();
        List<OrderedMapsStatistics.Group> all = new ArrayList<>();
        for (int group = 0; group < node.groups(); group++) {
            ReplicatedLog log = node.log(group);
            kept += log.bytes();
            boolean isAlone = log.leads() && !log.hasLease(now);
            all.add(new OrderedMapsStatistics.Group(
                    group,
                    SeatChanges.names(log),
                    log.leads() && (log.isChangingSeats() || !node.membership().isSettled(group)),
                    isAlone ? null : log.leader(now),
                    log.leads(),
                    log.decided(),
                    log.behind(),
                    node.executor().placement().held(group)));
        }
        Executor executor = node.executor();
        return new OrderedMapsStatistics(
                isGuest ? List.of() : all,
                unanswered,
                executor.pending().size(),
                executor.service().entries(),
                executor.service().bytes(),
                executor.table().clients(),
                kept,
                executor.service().keptBytesMax(),
                node.isLeftBehind());
    }
}
