package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** How much the copy of a bad entry says in its headers about what went wrong. */
enum ErrorContext {
    /** What Kafka Connect writes. */
    WITH_STACK_TRACE,
    /** The same without the stack trace, and with the beginning of the message. */
    SHORT,
    /** The headers of the entry only. */
    NONE;

    private static final String PREFIX = "__connect.errors.";
    private static final int MESSAGE_MAX = 200;

    /** Returns the next smaller one. */
    ErrorContext less() {
        return this == WITH_STACK_TRACE ? SHORT : NONE;
    }

    /** Returns the headers of the copy. An error that cannot be written down is left out. */
    Map<String, String> headers(
            String connector, int task, int partition, SinkEntry entry, RecordFailedException failure) {
        Map<String, String> headers = new LinkedHashMap<>(entry.delivery().headers());
        if (this != NONE) {
            headers.put(PREFIX + "topic", entry.topic());
            headers.put(PREFIX + "partition", String.valueOf(partition));
            headers.put(PREFIX + "offset", String.valueOf(entry.offset()));
            headers.put(PREFIX + "connector.name", connector);
            headers.put(PREFIX + "task.id", String.valueOf(task));
            headers.put(PREFIX + "stage", failure.stage().name());
            headers.put(PREFIX + "class.name", failure.executing().getName());
            headers.put(
                    PREFIX + "exception.class.name", failure.error().getClass().getName());
            addError(headers, failure.error());
        }
        return headers;
    }

    private void addError(Map<String, String> headers, Throwable error) {
        try {
            String message = String.valueOf(error.getMessage());
            boolean whole = this == WITH_STACK_TRACE || message.length() <= MESSAGE_MAX;
            headers.put(PREFIX + "exception.message", whole ? message : message.substring(0, MESSAGE_MAX) + "…");
            if (this == WITH_STACK_TRACE) {
                StringWriter trace = new StringWriter();
                error.printStackTrace(new PrintWriter(trace));
                headers.put(PREFIX + "exception.stacktrace", trace.toString());
            }
        } catch (Throwable unfit) { // else the copy would be tried again without end
            headers.put(PREFIX + "exception.message", SafeLog.text(error));
        }
    }
}
