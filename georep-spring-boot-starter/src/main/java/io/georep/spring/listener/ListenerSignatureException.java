package io.georep.spring.listener;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;
import java.lang.reflect.Method;

/** An annotated method cannot be called with what a queue delivers, or as its settings say. */
final class ListenerSignatureException extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    ListenerSignatureException(Method method, String problem, String remedy) {
        super(method.toGenericString() + ": " + problem);
        this.remedy = remedy;
    }

    /** With the mistake another part found. */
    ListenerSignatureException(String place, GeoRepException found, String remedy) {
        super(place + ": " + found.getMessage(), found);
        this.remedy = found instanceof Remedy known ? known.remedy() : remedy;
    }

    @Override
    public String remedy() {
        return remedy;
    }
}
