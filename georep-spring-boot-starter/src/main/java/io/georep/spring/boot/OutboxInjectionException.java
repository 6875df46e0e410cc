package io.georep.spring.boot;

import io.georep.model.GeoRepException;

/** It is not clear which outbox is to be injected. */
final class OutboxInjectionException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    OutboxInjectionException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
