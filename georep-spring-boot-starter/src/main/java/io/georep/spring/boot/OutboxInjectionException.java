package io.georep.spring.boot;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;

/** It is not clear which outbox is to be injected. */
final class OutboxInjectionException extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    OutboxInjectionException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    @Override
    public String remedy() {
        return remedy;
    }
}
