package io.georep.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The form of all lines that tell of changes of state: one logger, and the event and the node as the first key-value pairs.
 * Thread-safe.
 *
 * @param node name of the node
 * @param log where the lines go
 */
public record ChangeLines(String node, Logger log) {
    /** Key of the peer that a line is about. */
    public static final String PEER = "georep.peer";

    private static final Logger CHANGES = LoggerFactory.getLogger("io.georep.changes");

    /** Lines of the logger that operators know. */
    public ChangeLines(String node) {
        this(node, CHANGES);
    }

    /** Begins a line. */
    public LoggingEventBuilder line(Level level, String event) {
        return log.atLevel(level).addKeyValue("georep.event", event).addKeyValue("georep.node", node);
    }
}
