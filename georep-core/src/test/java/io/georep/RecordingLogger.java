package io.georep;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** Keeps lines with their fields, as a log that is searched by field would. */
public final class RecordingLogger extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1L;

    /** A line; fields as text. */
    public record Line(Level level, String text, Map<String, String> fields) {}

    private final transient List<Line> lines = new ArrayList<>();

    public RecordingLogger() {
        name = "recording";
    }

    public List<Line> lines() {
        return lines;
    }

    public void clear() {
        lines.clear();
    }

    @Override
    public void log(LoggingEvent event) {
        Map<String, String> fields = new TreeMap<>();
        for (KeyValuePair pair : event.getKeyValuePairs()) {
            fields.put(pair.key, String.valueOf(pair.value));
        }
        String text = MessageFormatter.basicArrayFormat(event.getMessage(), event.getArgumentArray());
        lines.add(new Line(event.getLevel(), text, fields));
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return RecordingLogger.class.getName();
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String message, Object[] arguments, Throwable cause) {
        lines.add(new Line(level, MessageFormatter.basicArrayFormat(message, arguments), Map.of()));
    }

    @Override
    public boolean isTraceEnabled() {
        return true;
    }

    @Override
    public boolean isDebugEnabled() {
        return true;
    }

    @Override
    public boolean isInfoEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }
}
