package io.georep.spring.boot.actuate;

import io.georep.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One line for each order of an operator, on the node that got it. What it changes is logged by the node, and by every
 * other node that hears of it.
 */
final class OperatorLog {
    private static final Logger LOG = LoggerFactory.getLogger("io.georep.changes");

    private final NodeId node;

    OperatorLog(NodeId node) {
        this.node = node;
    }

    void did(
            String action,
            String part,
            String name,
            @Nullable List<String> ids,
            Map<String, Object> done,
            @Nullable String by) {
        LoggingEventBuilder line = LOG.atInfo()
                .addKeyValue("georep.event", "operator")
                .addKeyValue("georep.node", node)
                .addKeyValue("georep.operation", action)
                .addKeyValue(part.equals("peers") ? "georep.peer" : "georep.queue", name);
        if (ids != null) {
            line = line.addKeyValue("georep.ids", String.join(",", ids));
        }
        if (by != null) {
            line = line.addKeyValue("georep.by", by);
        }
        line.log(
                "Node {}: {} ordered {} of {} {}{}: {}",
                node,
                by == null ? "an operator" : by,
                action,
                part,
                name,
                ids == null ? "" : " " + ids,
                new TreeMap<>(done));
    }
}
