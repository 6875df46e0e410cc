package io.georep.spring.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/** What a logger writes while this is open, whatever other tests made of the log. */
public final class CapturedChanges extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Logger logger;
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    /** The changes of state. */
    public CapturedChanges() {
        this("io.georep.changes");
    }

    public CapturedChanges(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        setContext(logger.getLoggerContext());
        start();
        logger.setLevel(Level.INFO);
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        events.add(event);
    }

    public List<ILoggingEvent> all() {
        return events;
    }

    /** Texts of the lines with at least this level. */
    public List<String> texts(Level level) {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Lines with all of these fields. */
    public List<ILoggingEvent> with(Map<String, String> wanted) {
        Predicate<ILoggingEvent> matches = event -> fields(event).entrySet().containsAll(wanted.entrySet());
        return events.stream().filter(matches).toList();
    }

    public ILoggingEvent await(Map<String, String> wanted) {
        return Awaitility.await()
                .atMost(SOON)
                .until(() -> with(wanted), found -> !found.isEmpty())
                .get(0);
    }

    public static Map<String, String> fields(ILoggingEvent event) {
        Map<String, String> fields = new TreeMap<>();
        if (event.getKeyValuePairs() != null) {
            event.getKeyValuePairs().forEach(pair -> fields.put(pair.key, String.valueOf(pair.value)));
        }
        return fields;
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(null);
        stop();
    }
}
