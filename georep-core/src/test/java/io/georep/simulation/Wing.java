package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A protocol with its clients and its judge, as a tenant of a simulated cluster: it lives beside the others on the same
 * nodes, and under the same trouble. It hears of each step of each node; a promise that is broken is an {@link AssertionError}.
 *
 * <p>A run calls it in this order: {@link #joins} for each machine; {@link #install} at each boot of a node; {@link #begin}, from
 * when on its clients work; while there is trouble {@link #mayLose}, {@link #mayRollBack}, {@link #mayDie} and {@link #mayCrash}, which say what
 * promises allow, and {@link #destroyed}; {@link #healed} whenever trouble is over; {@link #rest} in the end, then
 * {@link #unsettled} until it returns null or time enough has passed, and at last {@link #settled}. Clients draw from a
 * {@link World#random generator of their own}, so that one seed is one run, and plan what they do with {@link World#after}.
 * What a process of the application does later goes through {@link SimulatedNode#later}: that ends with the process.
 *
 * <p>Errors are planted by whoever makes the wing, for example by an argument of its constructor: a test shows that
 * the judge notices each of them.
 */
public interface Wing extends NodeObserver {
    /** Its name, for people. */
    String name();

    /** A machine was added to the cluster; it runs nothing yet. */
    default void joins(SimulatedNode node) {}

    /** The protocols of one boot of a node. */
    List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership);

    /** Trouble that only this wing has; see {@link Nemesis} for what all have. */
    default List<Nemesis.Special> troubles(Nemesis nemesis) {
        return List.of();
    }

    /** Its process is about to say GOODBYE. */
    default void leaving(SimulatedNode node) {}

    /** An operator is about to remove its node, although that runs. */
    default void removing(SimulatedNode node) {}

    /** A message leaves, of this wing or of another one. */
    default void sent(SimulatedNode from, NodeId to, int channel, int type, Slice body) {}

    /** Clients begin to work. */
    void begin();

    /** Clients begin nothing any more, and what else the wing does to itself is over. */
    void rest();

    /** Trouble is over, for a while or for good: also that which only this wing has. */
    default void healed() {}

    /** Judges what must hold in a pause between two troubles, for which it may let time pass. */
    default void pause() {}

    /** Whether the promises of the wing allow that the process of this node is killed now. */
    default boolean mayCrash(SimulatedNode node) {
        return true;
    }

    /** Whether the promises of the wing allow that the store of this node is lost now, or becomes an older one. */
    default boolean mayLose(SimulatedNode node, boolean becomesOlder) {
        return true;
    }

    /** Whether the promises of the wing allow that the store of this node, which runs, becomes this image of an earlier time. */
    default boolean mayRollBack(SimulatedNode node, SimulatedDisk.Image image) {
        return true;
    }

    /** Whether the promises of the wing allow that this node is gone for good now. */
    default boolean mayDie(SimulatedNode node) {
        return mayLose(node, false);
    }

    /** The disk of a node that does not run is about to be emptied, or replaced by this image of an earlier time. */
    default void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {}

    /** How many operations of its clients have succeeded. */
    long successes();

    /** After all trouble, and after every step of time since: why not everything has come to its end; null if it has. */
    @Nullable
    String unsettled();

    /** Judges the whole run, after everything has come to its end, or after time enough for it. It may let more time pass. */
    default void settled() {
        String unsettled = unsettled();
        if (unsettled != null) {
            throw new AssertionError(name() + ": " + unsettled);
        }
    }
}
