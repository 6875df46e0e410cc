package io.georep.spring.listener;

import io.georep.model.GeoRepException;

/** Two listeners want the same queue or the same name. */
public final class DuplicateListenerException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    DuplicateListenerException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /** What to write instead. */
    public String remedy() {
        return remedy;
    }
}
