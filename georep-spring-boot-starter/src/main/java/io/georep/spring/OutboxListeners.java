package io.georep.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The listeners of this application. Thread-safe. */
public interface OutboxListeners {
    /** One listener. */
    interface Container {
        /** Returns the name of the listener. */
        String id();

        /** Returns the name of its queue. */
        String queue();

        /**
         * Starts taking entries. Does nothing if the listener runs.
         *
         * @throws io.georep.model.ClosedException if the node does not run; a stopped node does not start again
         */
        void start();

        /**
         * Stops taking entries and waits for calls at work. Entries that a listener with {@link AckMode#MANUAL} has not
         * acknowledged by then go back to the node, and come again after the next start.
         *
         * @param atMost how long to wait
         * @return whether all calls ended in time
         */
        boolean stop(Duration atMost);

        /** Returns whether the listener was started and not stopped. */
        boolean running();

        /** Starts no further call until {@link #resume()}. Entries go back to the node. */
        void pause();

        /** Goes on after {@link #pause()}. */
        void resume();

        /** Returns whether the listener is paused. */
        boolean paused();
    }

    /** Returns all listeners, in the order of their names. */
    List<Container> all();

    /** Returns the listener of this name; null if there is none. */
    @Nullable
    Container byId(String id);
}
