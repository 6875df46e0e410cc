package io.georep.geopaxos.core;

import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.model.NodeId;
import java.util.List;
import java.util.TreeMap;

/**
 * What nodes tell each other of the logs that they have, when they meet, and once in a lease while a group has no leader. So whoever has lost
 * its store, and takes itself for a founder, hears that there is a log, also from nodes that the settings do not name.
 */
final class LogNews {
    private final List<GroupLog> logs;
    private final GeoOutlet outlet;

    /** What was heard last, of those that were met in this boot. */
    private final TreeMap<NodeId, GeoMessage.Logs> heard = new TreeMap<>();

    private int groups;

    LogNews(List<GroupLog> logs, GeoOutlet outlet) {
        this.logs = logs;
        this.outlet = outlet;
    }

    /** A node is in reach. */
    void meets(NodeId node) {
        heard.putIfAbsent(node, new GeoMessage.Logs(List.of()));
        tell(node);
    }

    private void tell(NodeId node) {
        outlet.send(
                node,
                new GeoMessage.Logs(
                        logs.stream().map(each -> each.log().seats().log()).toList()));
    }

    void onLogs(NodeId from, GeoMessage.Logs said, long now) {
        heard.put(from, said);
        hears(from, said, 0, now);
    }

    private void hears(NodeId from, GeoMessage.Logs said, int first, long now) {
        for (int group = first; group < Math.min(logs.size(), said.ids().size()); group++) {
            logs.get(group).log().hears(from, said.ids().get(group), now);
        }
    }

    /** What was heard of a group counts also if it begins here only now. */
    void endOfTurn(long now) {
        if (groups < logs.size()) {
            heard.forEach((from, said) -> hears(from, said, groups, now));
            groups = logs.size();
        }
    }

    /** Once in a lease. */
    void repeat(long now) {
        if (logs.stream().anyMatch(each -> each.isDead(now))) {
            heard.keySet().forEach(this::tell);
        }
    }
}
