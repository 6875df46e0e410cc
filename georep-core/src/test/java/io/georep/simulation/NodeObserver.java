package io.georep.simulation;

import io.georep.runtime.Input;
import java.util.List;

/** What happens on this machine, for applications and checks. */
public interface NodeObserver {
    /** A process is about to boot. */
    default void booting(SimulatedNode node) {}

    /** A process has booted and begins to listen. */
    default void started(SimulatedNode node) {}

    /** These inputs are about to be handled. */
    default void turning(SimulatedNode node, List<Input> inputs) {}

    /** A turn is over. */
    default void turned(SimulatedNode node) {}

    /** Protocols told the application side something. */
    default void events(SimulatedNode node, List<Object> events) {}

    /** The process has stopped in order; {@link #stopped} follows. */
    default void closed(SimulatedNode node) {}

    /** The process is gone, crashed or stopped. */
    default void stopped(SimulatedNode node) {}
}
