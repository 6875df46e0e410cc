package io.georep.spring.boot;

import io.georep.spring.listener.ListenerValues;
import io.georep.spring.listener.RetryValues;
import io.georep.spring.outbox.QueueSettings;

/**
 * The properties in the terms of the parts they configure.
 *
 * @param copiesMax the most copies any queue gets, whoever asks for more
 */
record PropertyMapping(GeoRepProperties properties, int copiesMax) implements ListenerValues.Source {
    private static final RetryValues NO_RETRY = new RetryValues(null, null, null, null, null);
    private static final ListenerValues NOTHING = new ListenerValues(null, null, null, null, NO_RETRY);

    /** Settings of the sending side of a queue. */
    QueueSettings sending(String name) {
        GeoRepProperties.Queue queue = properties.outboxes().get(name);
        if (queue == null) {
            return new QueueSettings(properties.defaultF(), false, copiesMax, null, 1);
        }
        Integer f = queue.f();
        return new QueueSettings(
                f == null ? properties.defaultF() : f,
                f != null,
                copiesMax,
                queue.deduplicationWindow(),
                queue.deduplicationKeysMax());
    }

    @Override
    public ListenerValues queue(String name) {
        GeoRepProperties.Queue queue = properties.outboxes().get(name);
        return queue == null
                ? NOTHING
                : new ListenerValues(
                        queue.autoStartup(),
                        queue.concurrency(),
                        queue.window(),
                        queue.batchMax(),
                        retry(queue.retry()));
    }

    @Override
    public ListenerValues defaults() {
        GeoRepProperties.Listener listener = properties.listener();
        return new ListenerValues(
                listener.autoStartup(),
                listener.concurrency(),
                listener.window(),
                listener.batchMax(),
                retry(listener.retry()));
    }

    private static RetryValues retry(GeoRepProperties.RetrySettings retry) {
        return new RetryValues(retry.delayMin(), retry.delayMax(), retry.factor(), retry.jitter(), retry.attempts());
    }
}
