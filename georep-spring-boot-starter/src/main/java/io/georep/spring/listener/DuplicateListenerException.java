package io.georep.spring.listener;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;

/** Two listeners want the same queue or the same name. */
final class DuplicateListenerException extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    DuplicateListenerException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    @Override
    public String remedy() {
        return remedy;
    }
}
