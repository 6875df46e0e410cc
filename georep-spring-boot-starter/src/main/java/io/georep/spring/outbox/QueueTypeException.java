package io.georep.spring.outbox;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;

/** Two places of the application use one queue with different types of payload. */
final class QueueTypeException extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String before;

    QueueTypeException(String queue, String before, String wanted) {
        super("queue '" + queue + "' carries " + before + ", but another place of the application uses it with "
                + wanted);
        this.before = before;
    }

    @Override
    public String remedy() {
        return "Use " + before + " in every Outbox<…>, @OutboxListener and @OnAdoption of this queue, or give the other"
                + " payloads a queue of their own.";
    }
}
