package io.georep.spring.boot.actuate.console;

import io.georep.spring.boot.actuate.AdoptionLog;
import io.georep.spring.boot.actuate.EndpointReport;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells a time line what has changed from one look to the next, where the node calls nobody back. Not thread-safe. */
final class Differences {
    private final Timeline timeline;
    private Map<String, EndpointReport.Peer> peers = Map.of();
    private final Map<String, Boolean> paused = new HashMap<>();
    private Map<String, Long> adopted = Map.of();
    private @Nullable String state;
    private @Nullable String store;

    Differences(Timeline timeline) {
        this.timeline = timeline;
    }

    void node(EndpointReport.Node node, Instant now) {
        if (!node.state().equals(state)) {
            String failure = node.failure();
            timeline.add("node", node.id(), node.state() + (failure == null ? "" : ": " + failure), now);
            state = node.state();
        }
    }

    void store(String now, String node, Instant at) {
        if (store != null && !store.equals(now)) {
            timeline.add("store", node, "the store is " + now + ", was " + store, at);
        }
        store = now;
    }

    void peers(List<EndpointReport.Peer> all, Instant now) {
        Map<String, EndpointReport.Peer> seen = new LinkedHashMap<>();
        for (EndpointReport.Peer peer : all) {
            seen.put(peer.id(), peer);
            EndpointReport.Peer before = peers.get(peer.id());
            boolean wasDrained = before != null && before.drained();
            if (peer.drained() != wasDrained) {
                timeline.add(
                        peer.drained() ? "drained" : "undrained",
                        peer.id(),
                        peer.drained() ? "it hands over its entries, and gets no copies" : "it may get copies again",
                        now);
            }
            boolean wasForeign = before != null && before.foreign();
            if (peer.foreign() && !wasForeign) {
                timeline.add("refused", peer.id(), "it belongs to another cluster", now);
            }
            if (peer.clockOff() != (before != null && before.clockOff())) {
                clock(peer, now);
            }
        }
        for (String gone : peers.keySet()) {
            if (!seen.containsKey(gone)) {
                timeline.add("removed", gone, "it is no peer any more", now);
            }
        }
        peers = seen;
    }

    private void clock(EndpointReport.Peer peer, Instant now) {
        if (!peer.clockOff()) {
            timeline.add("clock-right", peer.id(), "its clock and that of this node are in step again", now);
            return;
        }
        Duration ahead = peer.clockAhead();
        String by = ahead == null
                ? "more than a minute off"
                : ahead.abs().toSeconds() + " s " + (ahead.isNegative() ? "behind" : "ahead of");
        timeline.add(
                "clock-off",
                peer.id(),
                "its clock is " + by + " that of this node: set the wrong one right, for example by NTP",
                now);
    }

    void queues(Map<String, EndpointReport.Queue> all, Instant now) {
        all.forEach((name, queue) -> {
            EndpointReport.Listener listener = queue.listener();
            if (listener != null) {
                boolean is = listener.paused();
                Boolean was = paused.put(name, is);
                if (is != (was != null && was)) {
                    timeline.add(is ? "paused" : "resumed", name, "the queue is " + (is ? "paused" : "resumed"), now);
                }
            }
        });
    }

    void adoptions(List<AdoptionLog.Adopted> all, Instant now) {
        Map<String, Long> seen = new HashMap<>();
        for (AdoptionLog.Adopted each : all) {
            String key = each.queue() + "/" + each.from();
            Long before = adopted.get(key);
            seen.put(key, each.entries());
            long more = each.entries() - (before == null ? 0 : before);
            if (more > 0) {
                timeline.count("adopted", each.queue(), more, "taken over from " + each.from(), now);
            }
        }
        adopted = seen;
    }
}
