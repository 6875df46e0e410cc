package io.georep.simulation;

import io.georep.funnel.MapsStatus;
import io.georep.funnel.View;
import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The commits of replicated maps. Each is durable on all members of its view when it is made, unless stores are volatile (K1). All nodes
 * have the same commit under the same number, and each goes forward only (K2, K4). No view commits after a later one has (K3, K10).
 */
final class FunnelCommits {
    /** Of a flood of writes, one of so many is looked for on disks. */
    private static final int SAMPLE = 50;

    private record Version(long view, long commit) implements Comparable<Version> {
        @Override
        public int compareTo(Version other) {
            int byView = Long.compare(view, other.view);
            return byView != 0 ? byView : Long.compare(commit, other.commit);
        }
    }

    private record Content(String key, String value) {}

    private final FunnelWing cluster;
    private final Map<String, FunnelCall> writers;
    private final TreeMap<Version, Content> commits = new TreeMap<>();

    /** The same by key. */
    private final Map<String, TreeMap<Version, Content>> byKey = new HashMap<>();

    /** By node and key. */
    private final Map<String, Version> told = new HashMap<>();

    private final Map<NodeId, Long> destroyedAt = new HashMap<>();

    /** The newest view of which a node has heard that it is no member. */
    private final Map<NodeId, Long> leftOutIn = new HashMap<>();

    FunnelCommits(FunnelWing cluster, Map<String, FunnelCall> writers) {
        this.cluster = cluster;
        this.writers = writers;
    }

    void stopped(SimulatedNode node) {
        told.keySet().removeIf(place -> place.startsWith(node + " "));
    }

    void destroyed(SimulatedNode node, long at) {
        destroyedAt.put(node.id(), at);
    }

    boolean wereStoresLost() {
        return !destroyedAt.isEmpty();
    }

    int size() {
        return commits.size();
    }

    void status(SimulatedNode node, MapsStatus status) {
        View view = status.view();
        if (view != null && !view.members().contains(node.id())) {
            leftOutIn.merge(node.id(), view.number(), Math::max);
        }
    }

    /** A node tells of a commit: the tail in the turn in which it makes it, the others when they hear of it. */
    void told(SimulatedNode node, FunnelEvent.Change change) {
        Version version = new Version(change.view(), change.commit());
        byte[] raw = change.key().toArray();
        Content content = new Content(
                new String(raw, 2, raw.length - 2, StandardCharsets.UTF_8), FunnelJudge.text(change.value()));
        Content known = commits.get(version);
        if (known != null) {
            if (!known.equals(content)) {
                throw new AssertionError("two commits " + version + ": " + known + ", and " + content + " on " + node);
            }
        } else if (isMade(version, content, node)) {
            commits.put(version, content);
            byKey.computeIfAbsent(content.key, none -> new TreeMap<>()).put(version, content);
            isEverywhere(version, content);
        } else {
            isSame(version, content, node);
        }
        Version before = told.put(node + " " + content.key, version);
        if (before != null && before.compareTo(version) > 0) {
            throw new AssertionError(node + " went from " + before + " back to " + version + " of " + content.key);
        }
    }

    /**
     * Whether a commit is made in this moment, and not heard of: its tail tells it in the turn in which it makes it. A write without
     * effect raises the version of its key and is not told, and who gets the key later tells its value with that version, which may
     * be newer than all that were told. That is no commit of the value, and it may be told when members of its view are long gone.
     */
    private boolean isMade(Version version, Content content, SimulatedNode node) {
        return (commits.isEmpty() || commits.lastKey().compareTo(version) < 0)
                && view(version).tail().equals(node.id())
                && !Objects.equals(newest(version, content.key), content.value);
    }

    private View view(Version version) {
        View view = cluster.master().view(version.view);
        if (view == null) {
            throw new AssertionError("commit " + version + " in a view that was never made");
        }
        return view;
    }

    private @Nullable String newest(Version before, String key) {
        TreeMap<Version, Content> ofKey = byKey.get(key);
        Map.Entry<Version, Content> last = ofKey == null ? null : ofKey.lowerEntry(before);
        return last == null ? null : last.getValue().value;
    }

    /** A commit that is told again has the value that was told with it, or with the newest one before it that changed the key. */
    private void isSame(Version version, Content content, SimulatedNode node) {
        String value = newest(version, content.key);
        if (!Objects.equals(value, content.value)) {
            throw new AssertionError("commit " + version + " " + content + " on " + node + " comes after "
                    + commits.lastEntry() + ", and the key had " + value);
        }
    }

    /**
     * Every member of the view has the write on its disk, or a later one of the key, unless that disk was replaced since. One that
     * has heard of a later view without it owes nothing: it reported the write in the old view, and has dropped what was not
     * committed as far as it knew. The tail goes on in the old view until it hears of the later one. What it commits meanwhile all have who stay: they
     * have reported it, and the later view begins when they have told what they hold.
     */
    private void isEverywhere(Version version, Content content) {
        FunnelCall writer = content.value == null ? null : writers.get(content.value);
        View view = view(version);
        boolean isOneOfMany = content.key.startsWith("f") && version.commit % SAMPLE != 0;
        if (writer == null || isOneOfMany || cluster.shape().isVolatile()) {
            return;
        }
        byte[] wanted = content.value.getBytes(StandardCharsets.UTF_8);
        for (SimulatedNode member : cluster.nodes()) {
            if (view.members().contains(member.id())
                    && leftOutIn.getOrDefault(member.id(), 0L) <= version.view
                    && destroyedAt.getOrDefault(member.id(), -1L) < writer.invoked
                    && !isOn(member.disk(), FunnelJudge.key(content.key), version, wanted)) {
                throw new AssertionError("commit " + version + " " + content + " is not durable on " + member + " of "
                        + view + ", which has "
                        + (member.isRunning() ? FunnelAudit.describe(FunnelWing.protocol(member)) : "no process"));
            }
        }
    }

    /** Whether no crash can take a write away, or a later one of its key. */
    private static boolean isOn(SimulatedDisk disk, Slice key, Version version, byte[] wanted) {
        byte[] place = FunnelAudit.place(key);
        return disk.surviving(place, place)
                        .anyMatch(pair -> FunnelAudit.isAtLeast(place, pair.value(), version.view, version.commit))
                || disk.surviving(FunnelAudit.firstUncommitted(), FunnelAudit.behindUncommitted())
                        .anyMatch(pair -> FunnelAudit.contains(pair.value(), wanted));
    }
}
