package io.georep.spring.outbox;

import io.georep.model.GeoRepException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;

/**
 * Says that a payload cannot be written or read as JSON, and where; not what stands there. Jackson's own text, which is left out
 * with its exception, quotes it.
 */
final class JsonPayloadException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    JsonPayloadException(String what, JacksonException cause) {
        super("the payload cannot be " + what + " as JSON: " + cause.getClass().getSimpleName() + at(cause.getLocation()));
        setStackTrace(cause.getStackTrace());
    }

    private static String at(@Nullable TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
