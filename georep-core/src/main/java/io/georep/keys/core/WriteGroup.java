package io.georep.keys.core;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes of one turn that go to the same nodes and complete together. */
final class WriteGroup {
    /** Copies wanted on other nodes. */
    final int f;

    /** When it is given up, on the monotonic clock. */
    final long deadline;

    /** The last value written to each key; null for a deletion. */
    final Map<StoredKey, byte @Nullable []> items = new LinkedHashMap<>();

    final List<Object> tokens = new ArrayList<>();

    /** The nodes asked, and whether they have confirmed the present request. */
    private final TreeMap<NodeId, Boolean> holders = new TreeMap<>();

    int bytes;

    /** Number of the present request; another one whenever the versions were raised. */
    long request;

    /** How often the versions were raised because others had later ones. */
    int raised;

    boolean isDurableHere;
    long repeatAt;

    WriteGroup(int f, long deadline) {
        this.f = f;
        this.deadline = deadline;
    }

    Collection<NodeId> holders() {
        return holders.keySet();
    }

    /** Asks these as well. */
    void ask(Collection<NodeId> nodes) {
        nodes.forEach(node -> holders.putIfAbsent(node, false));
    }

    /** Asks this node no more. */
    void drop(NodeId node) {
        holders.remove(node);
    }

    /** Those asked that have not confirmed. */
    List<NodeId> silent() {
        List<NodeId> silent = new ArrayList<>();
        holders.forEach((node, hasConfirmed) -> {
            if (!hasConfirmed) {
                silent.add(node);
            }
        });
        return silent;
    }

    void confirmed(NodeId node) {
        holders.put(node, true);
    }

    /** What was confirmed were earlier versions. */
    void unconfirmed() {
        holders.replaceAll((node, hasConfirmed) -> false);
        isDurableHere = false;
    }

    /** How many nodes are still wanted. */
    int wanted() {
        return Math.max(0, f - holders.size());
    }

    boolean isComplete() {
        return isDurableHere && holders.size() - silent().size() >= f;
    }
}
