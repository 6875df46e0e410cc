package io.georep.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The listeners of this application. Thread-safe. */
public interface OutboxListeners {
    /** One listener. */
    interface Container {
        /** Name of the listener. */
        String id();

        /** Name of its queue. */
        String queue();

        /**
         * Takes entries from now on; does nothing when it runs.
         *
         * @throws io.georep.model.ClosedException when the node does not run: a stopped node does not start again
         */
        void start();

        /**
         * Takes no further entries and waits for calls at work. What a listener with {@link AckMode#MANUAL} did not
         * acknowledge by then goes back to the node, and comes again after the next start.
         *
         * @return whether all calls ended in time
         */
        boolean stop(Duration atMost);

        /** Whether it was started and not stopped. */
        boolean running();

        /** Starts no further call until {@link #resume()}; entries go back to the node. */
        void pause();

        /** Goes on. */
        void resume();

        /** Whether it is paused. */
        boolean paused();
    }

    /** All listeners in the order of their names. */
    List<Container> all();

    /** The listener of this name, null when there is none. */
    @Nullable
    Container byId(String id);
}
