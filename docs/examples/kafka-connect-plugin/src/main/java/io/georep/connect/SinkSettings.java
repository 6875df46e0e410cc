package io.georep.connect;

import io.georep.spi.PeerSelection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;

/** What can be set for the sink. */
final class SinkSettings {
    static final String FORWARD_NODES = "georep.forward.nodes";
    private static final String FORWARD_SITES = "georep.forward.sites";
    private static final String QUEUE = "georep.queue";
    private static final String F = "georep.f";
    private static final String PENDING_MAX = "georep.pending.records.max";
    private static final String TOPICS = "topics";
    private static final int COPIES_MAX = 15;

    static final ConfigDef CONFIG = NodeSettings.with(new ConfigDef()
            .define(
                    QUEUE,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Queue that all records are sent to. Empty: that with the name of the record's topic.")
            .define(
                    F,
                    ConfigDef.Type.INT,
                    1,
                    Range.between(1, COPIES_MAX),
                    Importance.HIGH,
                    "How many nodes besides that of the task must have a copy before the offset of a record is committed.")
            .define(
                    FORWARD_SITES,
                    ConfigDef.Type.LIST,
                    "",
                    Importance.HIGH,
                    "Sites whose nodes forward the entries. The first copy goes there. Empty: any site.")
            .define(
                    FORWARD_NODES,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "Regular expression that the names of the nodes match which forward the entries. Empty: all nodes do but"
                            + " those of sink tasks.")
            .define(
                    PENDING_MAX,
                    ConfigDef.Type.INT,
                    10_000,
                    Range.between(1, 1_000_000),
                    Importance.MEDIUM,
                    "While so many records wait for their copies, no more are read."));

    private final AbstractConfig set;
    private final NodeSettings node;

    SinkSettings(Map<String, String> properties) {
        set = new AbstractConfig(CONFIG, properties, false);
        node = new NodeSettings(set, TaskName.Role.SINK);
    }

    NodeSettings node() {
        return node;
    }

    int f() {
        return set.getInt(F);
    }

    int pendingMax() {
        return set.getInt(PENDING_MAX);
    }

    /** All queues that records can be sent to. */
    Set<String> queues() {
        String one = set.getString(QUEUE);
        String topics = set.originalsStrings().getOrDefault(TOPICS, "");
        Set<String> queues = new LinkedHashSet<>();
        for (String name : one.isBlank() ? topics.split(",") : new String[] {one}) {
            if (!name.isBlank()) {
                queues.add(name.strip());
            }
        }
        if (queues.isEmpty()) {
            throw new ConfigException(TOPICS, topics, "name the topics, or a queue in " + QUEUE);
        }
        return queues;
    }

    String queueOf(String topic) {
        return set.getString(QUEUE).isBlank() ? topic : set.getString(QUEUE).strip();
    }

    /** Returns which nodes may forward the entries: never the node of a sink task, which is known by its name. */
    Predicate<PeerSelection.Candidate> forwarders() {
        List<String> sites = set.getList(FORWARD_SITES);
        String names = set.getString(FORWARD_NODES);
        Pattern pattern = Pattern.compile(names);
        return node -> (sites.isEmpty() || sites.contains(node.site()))
                && !node.id().value().startsWith(TaskName.Role.SINK.prefix)
                && (names.isEmpty() || pattern.matcher(node.id().value()).matches());
    }
}
