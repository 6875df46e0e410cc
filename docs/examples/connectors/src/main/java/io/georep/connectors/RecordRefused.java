package io.georep.connectors;

import org.jspecify.annotations.Nullable;

/** The server will never take this record, however often it is sent. */
public final class RecordRefused extends Exception {
    private static final long serialVersionUID = 1L;

    /** Says why; the text must not contain what the record holds. */
    public RecordRefused(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
