package io.georep.simulation;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link Nemesis} may do to a cluster, beside what it does to machines and ways themselves. */
interface FaultTarget extends Machines {
    /** What went wrong so far. */
    Trouble trouble();

    /** Who lives there. */
    List<? extends Wing> wings();

    /** Which circumstances were met. */
    Coverage coverage();

    /** A process is gone without a word. */
    void crash(SimulatedNode node);

    /** Whether a process may go without a word now. */
    default boolean mayCrash(SimulatedNode node) {
        return true;
    }

    /** A process that stood still goes on. */
    void resume(SimulatedNode node);

    /** The store of a machine that does not run is replaced, by an empty one when there is no image. */
    void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image);

    /** A machine that does not run will never run again. */
    void bury(SimulatedNode node);

    /** A machine with a name of its own, which runs nothing yet. */
    SimulatedNode add();

    /** A process says GOODBYE; 0 for good. */
    void leave(SimulatedNode node, Duration away);

    /** Whether it said so and has not ended. */
    boolean isLeaving(SimulatedNode node);

    /** An operator is about to remove it although it runs. */
    default void removedWhileRunning(SimulatedNode node) {}

    /** What only the applications of this cluster can suffer. */
    default void toApplication(Fault kind, SimulatedNode node, Nemesis nemesis) {
        throw new IllegalArgumentException(kind + " in a cluster whose applications do not suffer it");
    }

    /** All trouble is over for the applications of this node. */
    default void healed(SimulatedNode node) {}
}
