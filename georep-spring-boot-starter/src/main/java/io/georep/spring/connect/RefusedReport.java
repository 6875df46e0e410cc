package io.georep.spring.connect;

import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that a task has reported an entry which the settings do not tolerate. A task may ignore the answer to its
 * report, or report late; the record must not be lost because of that. Thread-safe.
 */
final class RefusedReport {
    private @Nullable SinkEntry entry;
    private @Nullable ConnectException failure;

    /** Begins anew with a new session of the task. */
    synchronized void clear() {
        entry = null;
        failure = null;
    }

    /** Keeps an entry that the task reported and that is not tolerated. The first one counts. */
    synchronized void add(SinkEntry reported, ConnectException why) {
        if (entry == null || entry.offset() > reported.offset()) {
            entry = reported;
            failure = why;
        }
    }

    /**
     * Fails if there was a report.
     *
     * @throws ConnectException the task must not go on
     */
    synchronized void check() {
        if (failure != null) {
            throw new ConnectException("the task reported a record, which is not tolerated", failure);
        }
    }

    /**
     * Returns how far the task counts as having come. Offsets of all topics come from one counter, so nothing that was
     * numbered after the reported entry is flushed.
     */
    synchronized long bound(long flushed) {
        return entry == null ? flushed : Math.min(flushed, entry.offset());
    }
}
