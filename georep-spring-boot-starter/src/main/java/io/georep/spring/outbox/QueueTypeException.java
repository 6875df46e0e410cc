package io.georep.spring.outbox;

import io.georep.model.GeoRepException;

/** Two places of the application use one queue with different types of payload. */
public final class QueueTypeException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final String queue;
    private final String before;
    private final String wanted;

    QueueTypeException(String queue, String before, String wanted) {
        super("queue '" + queue + "' carries " + before + ", but is asked for with " + wanted);
        this.queue = queue;
        this.before = before;
        this.wanted = wanted;
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** The type it was opened with. */
    public String before() {
        return before;
    }

    /** The other type. */
    public String wanted() {
        return wanted;
    }
}
