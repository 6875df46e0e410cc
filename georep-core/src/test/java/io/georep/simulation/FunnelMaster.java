package io.georep.simulation;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The master of views in a simulation: one that is played, or keepers with an election of their own. */
abstract class FunnelMaster {
    /** All that were made, or told. */
    final TreeMap<Long, View> views = new TreeMap<>();

    /** Asks. The answer comes later, or never. */
    abstract void ask(Renewal renewal, Consumer<Grant> answer);

    /** What it has decided. */
    abstract ViewLedger ledger();

    /** An operator orders to restore the view. */
    abstract Restoration restore(boolean dryRun);

    /** Why there is no view that serves; null if nothing is wrong. */
    abstract String trouble();

    /** For whom the view waits; null if for nobody. */
    abstract String waitsFor();

    /** Whether a member asked so lately that it is not taken out before those who die now. */
    abstract boolean isSure(NodeId node);

    /** A node said something. */
    void event(SimulatedNode node, FunnelEvent event) {}

    /** Whether it outlives that a node loses its store */
    boolean mayLose(SimulatedNode node) {
        return true;
    }

    /** The leader answers nobody for a while; then there is another one. */
    void fail(long nanos) {}

    /** Another leader takes over at once. */
    void changeLeader() {}

    /** One node and the leader are cut off from all others, who elect another one. */
    void cutOffWithLeader(NodeId node) {}

    /** From now on an entry takes so much longer, as on a disk that is slow to sync. */
    void slowLog(long nanos) {}

    /** Returns how many entries there were. */
    abstract int entries();

    /** A node cannot reach the master. */
    void cutOff(NodeId node) {}

    /** All nodes can reach the master, and it is there. */
    void heal() {}

    /** The peers of the master have lost what they decided. */
    abstract void loseDirectories();

    /** Returns the newest view; null if there is none. */
    View view() {
        return ledger().view();
    }

    /** Returns a view by its number. */
    View view(long number) {
        return views.get(number);
    }

    int viewCount() {
        return views.size();
    }

    /** Whether it knows less than it did. */
    boolean hasForgotten() {
        return !views.isEmpty() && ledger().number() < views.lastKey();
    }
}
