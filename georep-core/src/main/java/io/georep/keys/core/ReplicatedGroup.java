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
final class ReplicatedGroup {
    /** How many other nodes must confirm. */
    final int f;

    /** When the group is given up, on the monotonic clock. */
    final long deadline;

    /** The last value written to each key; null for a deletion. */
    final Map<StoredKey, byte @Nullable []> items = new LinkedHashMap<>();

    final List<Object> tokens = new ArrayList<>();

    /** The nodes that were asked, and whether each has confirmed the present request. */
    private final TreeMap<NodeId, Boolean> holders = new TreeMap<>();

    int bytes;

    /** The number of the present request. It changes whenever the versions are raised. */
    long request;

    /** How often the versions were raised because others had later ones. */
    int raised;

    boolean isDurableHere;

    long repeatAt;

    ReplicatedGroup(int f, long deadline) {
        this.f = f;
        this.deadline = deadline;
    }

    Collection<NodeId> holders() {
        return holders.keySet();
    }

    /** Adds nodes to those that are asked. */
    void ask(Collection<NodeId> nodes) {
        nodes.forEach(node -> holders.putIfAbsent(node, false));
    }

    /** Takes a node from those that are asked. */
    void drop(NodeId node) {
        holders.remove(node);
    }

    /** Returns the nodes that were asked and have not confirmed. */
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

    /** Forgets all confirmations: they were for earlier versions. */
    void unconfirmed() {
        holders.replaceAll((node, hasConfirmed) -> false);
        isDurableHere = false;
    }

    /** Returns how many more nodes must be asked. */
    int wanted() {
        return Math.max(0, f - holders.size());
    }

    boolean isComplete() {
        return isDurableHere && holders.size() - silent().size() >= f;
    }
}
