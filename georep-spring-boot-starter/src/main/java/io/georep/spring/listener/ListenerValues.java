package io.georep.spring.listener;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a listener at one level: a queue's properties, an annotation, or the properties of all listeners. What is
 * null is decided by the next level.
 *
 * @param autoStartup whether it starts with the application
 * @param concurrency handler calls at the same time
 * @param window entries ready for the handler or in its hands
 * @param batchMax most entries in one call of a batch listener
 * @param retry what happens after a failure
 */
public record ListenerValues(
        @Nullable Boolean autoStartup,
        @Nullable Integer concurrency,
        @Nullable Integer window,
        @Nullable Integer batchMax,
        RetryValues retry) {

    /** These settings, and the others from the next level. */
    ListenerValues or(ListenerValues next) {
        return new ListenerValues(
                autoStartup != null ? autoStartup : next.autoStartup,
                concurrency != null ? concurrency : next.concurrency,
                window != null ? window : next.window,
                batchMax != null ? batchMax : next.batchMax,
                retry.or(next.retry));
    }

    /** Where settings come from besides annotations. */
    public interface Source {
        /** Those of one queue. */
        ListenerValues queue(String name);

        /** Those of all listeners. */
        ListenerValues defaults();
    }
}
