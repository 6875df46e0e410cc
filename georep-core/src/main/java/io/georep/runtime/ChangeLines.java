package io.georep.runtime;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * The form of all log lines about changes of state: one logger, with the event and the node as the first key-value
 * pairs. Other nodes cause such lines and must not fill the disk. So there are at most {@value #LINES_MAX} lines of
 * each event per minute, and one line that says how many were left out. Thread-safe.
 */
public final class ChangeLines {
    /** Key of the peer that a line is about. */
    public static final String PEER = "georep.peer";

    /** The most lines of one event per minute. It is more than a start of all nodes at once causes. */
    public static final int LINES_MAX = 500;

    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger CHANGES = LoggerFactory.getLogger("io.georep.changes");

    private final String node;
    private final Logger log;
    private final LongSupplier nanos;

    /** By event; there are few. */
    private final Map<String, Window> windows = new TreeMap<>();

    private static final class Window {
        long beginNanos;
        int lines;
        int leftOut;
    }

    /** Lines of the logger that operators know. */
    public ChangeLines(String node) {
        this(node, CHANGES);
    }

    /** Lines of another logger. */
    public ChangeLines(String node, Logger log) {
        this(node, log, System::nanoTime);
    }

    ChangeLines(String node, Logger log, LongSupplier nanos) {
        this.node = node;
        this.log = log;
        this.nanos = nanos;
    }

    /** Name of the node. */
    public String node() {
        return node;
    }

    /** Begins a line, which is written if there were not too many of this event. */
    public LoggingEventBuilder line(Level level, String event) {
        int leftOut;
        synchronized (windows) {
            Window window = windows.computeIfAbsent(event, first -> new Window());
            long now = nanos.getAsLong();
            if (window.lines == 0 || now - window.beginNanos >= WINDOW_NANOS) {
                window.beginNanos = now;
                window.lines = 0;
            }
            if (window.lines == LINES_MAX) {
                window.leftOut++;
                return NOPLoggingEventBuilder.singleton();
            }
            window.lines++;
            leftOut = window.leftOut;
            window.leftOut = 0;
        }
        if (leftOut > 0) {
            begin(Level.WARN, "lines-left-out")
                    .addKeyValue("georep.of", event)
                    .log("Node {} left out {} lines of event {}, of which there were too many", node, leftOut, event);
        }
        return begin(level, event);
    }

    private LoggingEventBuilder begin(Level level, String event) {
        return log.atLevel(level).addKeyValue("georep.event", event).addKeyValue("georep.node", node);
    }
}
