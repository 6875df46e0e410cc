package io.georep.spring.outbox;

import io.georep.model.GeoRepException;

/** Nothing in the application can write payloads of this type. */
public final class NoCodecException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final String queue;
    private final String type;

    NoCodecException(String queue, String type) {
        super("queue '" + queue + "': nothing can write " + type);
        this.queue = queue;
        this.type = type;
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** The type of the payload. */
    public String type() {
        return type;
    }
}
