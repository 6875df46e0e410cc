package io.georep.geopaxos.core;

import io.georep.consensus.LogMessage;
import io.georep.consensus.LogPlace;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoMessage.Logs;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.model.NodeId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What nodes tell each other about their logs: when they meet, once in a lease while a group has no leader, and when a
 * node sends something of another log. So a node that has lost its store and would found a group hears that the group
 * has a log, also from nodes that its settings do not name. And nobody goes on with a log that others have left.
 */
final class LogNews {
    private record Heard(Logs said, long at) {}

    private final long store;
    private final List<GroupLog> logs;
    private final long lease;
    private final GeoOutlet outlet;

    /** What the nodes that were met in this boot have said. */
    private final TreeMap<NodeId, Heard> heard = new TreeMap<>();

    /** When each node was told something last, since the last lease began. */
    private final TreeMap<NodeId, Long> told = new TreeMap<>();

    private int groups;

    /** By group: the log that this node belonged to at the end of the last turn. */
    private final long[] ids = new long[GeoGroups.MAX];

    LogNews(long store, List<GroupLog> logs, long lease, GeoOutlet outlet) {
        this.store = store;
        this.logs = logs;
        this.lease = lease;
        this.outlet = outlet;
    }

    /** A node is in reach. */
    void meets(NodeId node, long now) {
        heard.putIfAbsent(node, new Heard(new Logs(0, List.of()), now - 4 * lease));
        tell(node);
    }

    /** What it says is durable by then. */
    private void tell(NodeId node) {
        Logs logs = new Logs(
                store,
                this.logs.stream().map(each -> each.log().allegiance().place()).toList());
        outlet.whenDurable(() -> outlet.send(node, logs));
    }

    private void tellAll() {
        heard.keySet().forEach(this::tell);
    }

    /** A node sends what belongs to another log, and may not know better. */
    void answer(NodeId node, long now) {
        Long before = told.get(node);
        if (before == null || now - before >= lease) {
            told.put(node, now);
            tell(node);
        }
    }

    void onLogs(NodeId from, Logs said, long now) {
        heard.put(from, new Heard(said, now));
        hears(from, said, 0, now);
    }

    private void hears(NodeId from, Logs said, int first, long now) {
        for (int group = first; group < Math.min(logs.size(), said.places().size()); group++) {
            logs.get(group).hears(from, said.places().get(group), now);
        }
    }

    /** What was heard of a group counts also if it begins here only now. */
    void endOfTurn(long now) {
        boolean isAnother = false;
        for (int group = 0; group < logs.size(); group++) {
            long id = logs.get(group).log().allegiance().log();
            isAnother |= ids[group] != 0 && ids[group] != id;
            ids[group] = id;
        }
        if (isAnother) {
            tellAll();
        }
        if (groups < logs.size()) {
            heard.forEach((from, each) -> hears(from, each.said, groups, now));
            groups = logs.size();
        }
    }

    /** Once in a lease. */
    void repeat(long now) {
        if (logs.stream().anyMatch(each -> each.isDead(now))) {
            tellAll();
        }
    }

    /**
     * Returns whether a node has, by its last word, a log which this one has left; or has said nothing since it was
     * met, while this one has left a log. Until such a node has heard of that, nothing is taken from it but its votes,
     * and what it knows to be decided in a log that both have: its state in other groups may depend on what was lost.
     */
    boolean isBehind(NodeId from, GeoMessage message) {
        boolean isHarmless = message instanceof Logs
                || (message instanceof GeoMessage.Log it
                        && (it.message() instanceof LogMessage.Promise
                                || it.message() instanceof LogMessage.Accepted
                                || it.message() instanceof LogMessage.Refuse));
        if (isHarmless || !hasAnyGoneOn()) {
            return false;
        }
        Heard last = heard.get(from);
        List<LogPlace> places = last == null ? List.of() : last.said.places();
        if (places.isEmpty()) {
            return true;
        }
        for (int group = 0; group < Math.min(places.size(), logs.size()); group++) {
            if (logs.get(group)
                    .log()
                    .allegiance()
                    .hasGoneOnFrom(places.get(group).log())) {
                return !isFact(message, places);
            }
        }
        return false;
    }

    /**
     * Returns whether a message tells what is decided in a log that both nodes have. That holds, whatever the sender
     * lacks of other groups.
     */
    private boolean isFact(GeoMessage message, List<LogPlace> places) {
        return message instanceof GeoMessage.Log it
                && it.message() instanceof LogMessage.Learn
                && it.group() < Math.min(places.size(), logs.size())
                && places.get(it.group()).log()
                        == logs.get(it.group()).log().allegiance().log();
    }

    private boolean hasAnyGoneOn() {
        for (GroupLog each : logs) {
            if (each.log().allegiance().hasOrigins()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a node has said anything lately: while a group has no leader, whether it is in reach. */
    boolean isHeard(NodeId node, long now) {
        Heard last = heard.get(node);
        return last != null && now - last.at < 3 * lease;
    }

    /** Returns what was heard of a group lately: while it has no leader, of each node in reach. */
    SortedMap<NodeId, Logs> lately(int group, long now) {
        TreeMap<NodeId, Logs> lately = new TreeMap<>();
        heard.forEach((from, each) -> {
            if (isHeard(from, now) && group < each.said.places().size()) {
                lately.put(from, each.said);
            }
        });
        return lately;
    }
}
