package io.georep.spring.connect;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connector that the host reads. They have the names that Kafka Connect gives them. Those that Kafka
 * Connect does not know begin with {@code georep.}.
 */
final class ConnectorSettings {
    static final String CLASS = "connector.class";
    static final String TOPICS = "topics";
    static final String TOPICS_REGEX = "topics.regex";
    static final String TASKS_MAX = "tasks.max";
    static final String KEY_CONVERTER = "key.converter";
    static final String VALUE_CONVERTER = "value.converter";
    static final String HEADER_CONVERTER = "header.converter";
    static final String TRANSFORMS = "transforms";
    static final String PREDICATES = "predicates";
    static final String TOLERANCE = "errors.tolerance";
    static final String DLQ = "errors.deadletterqueue.topic.name";
    static final String DLQ_HEADERS = "errors.deadletterqueue.context.headers.enable";
    static final String WINDOW = "georep.window";
    static final String BYTES_MAX = "georep.bytes.max";
    static final String NODES = "georep.nodes";

    private static final String RETRY_TIMEOUT = "errors.retry.timeout";
    private static final String RETRY_DELAY_MAX = "errors.retry.delay.max.ms";
    private static final String LOG_ENABLE = "errors.log.enable";
    private static final String LOG_MESSAGES = "errors.log.include.messages";
    private static final String FLUSH_INTERVAL = "offset.flush.interval.ms";
    private static final String POLL_RECORDS = "georep.poll.records.max";
    private static final String PENDING_RECORDS = "georep.pending.records.max";
    private static final String RESTART_MIN = "georep.restart.delay.min.ms";
    private static final String RESTART_MAX = "georep.restart.delay.max.ms";
    private static final String CALL_WARN = "georep.call.warn.after.ms";
    private static final String ID_HEADER = "georep.id.header";

    private static final String ONE_NODE = "one";

    /** Keys that mean something only to a cluster of Kafka Connect. They do no harm. */
    static final Set<String> WITHOUT_EFFECT = Set.of(
            "name", "config.action.reload", "errors.deadletterqueue.topic.replication.factor", "tasks.max.enforce");

    /** Settings that only sinks read. */
    static final Set<String> SINK_ONLY =
            Set.of(TOPICS, TOPICS_REGEX, DLQ, DLQ_HEADERS, WINDOW, BYTES_MAX, POLL_RECORDS, ID_HEADER);

    /** Settings that only sources read. */
    static final Set<String> SOURCE_ONLY = Set.of(PENDING_RECORDS, NODES);

    static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    CLASS,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    HIGH,
                    "the connector: its class, or its name in plugins")
            .define(TOPICS, ConfigDef.Type.LIST, List.of(), HIGH, "for sinks: the outboxes that it forwards")
            .define(TASKS_MAX, ConfigDef.Type.INT, 1, between(1, Partitions.TASKS_MAX), HIGH, "the most tasks")
            .define(VALUE_CONVERTER, ConfigDef.Type.STRING, ConfigDef.NO_DEFAULT_VALUE, HIGH, "converts payloads")
            .define(
                    KEY_CONVERTER,
                    ConfigDef.Type.STRING,
                    null,
                    MEDIUM,
                    "converts keys; default: as payloads are converted")
            .define(
                    HEADER_CONVERTER,
                    ConfigDef.Type.STRING,
                    "org.apache.kafka.connect.storage.SimpleHeaderConverter",
                    LOW,
                    "converts headers")
            .define(TRANSFORMS, ConfigDef.Type.LIST, List.of(), LOW, "names of transformations, in their order")
            .define(PREDICATES, ConfigDef.Type.LIST, List.of(), LOW, "names of predicates")
            .define(
                    TOLERANCE,
                    ConfigDef.Type.STRING,
                    "none",
                    ValidString.in("none", "all"),
                    MEDIUM,
                    "whether bad records are set aside")
            .define(RETRY_TIMEOUT, ConfigDef.Type.LONG, 0L, atLeast(-1), MEDIUM, "how long a failed step is repeated")
            .define(RETRY_DELAY_MAX, ConfigDef.Type.LONG, 60_000L, atLeast(1), MEDIUM, "the longest pause before that")
            .define(LOG_ENABLE, ConfigDef.Type.BOOLEAN, false, MEDIUM, "whether bad records are logged")
            .define(LOG_MESSAGES, ConfigDef.Type.BOOLEAN, false, MEDIUM, "whether the log says how large they are")
            .define(DLQ, ConfigDef.Type.STRING, "", MEDIUM, "for sinks: the outbox that gets copies of bad records")
            .define(DLQ_HEADERS, ConfigDef.Type.BOOLEAN, false, MEDIUM, "whether the copies say what went wrong")
            .define(
                    FLUSH_INTERVAL,
                    ConfigDef.Type.LONG,
                    5_000L,
                    between(10, 3_600_000),
                    MEDIUM,
                    "time between two flushes")
            .define(
                    WINDOW,
                    ConfigDef.Type.INT,
                    1_000,
                    between(1, 1_000_000),
                    MEDIUM,
                    "for sinks: entries of an outbox in its hands")
            .define(
                    BYTES_MAX,
                    ConfigDef.Type.LONG,
                    67_108_864L,
                    atLeast(1),
                    MEDIUM,
                    "for sinks: bytes of an outbox's entries in its hands")
            .define(POLL_RECORDS, ConfigDef.Type.INT, 500, between(1, 100_000), LOW, "for sinks: records in one call")
            .define(
                    PENDING_RECORDS,
                    ConfigDef.Type.INT,
                    1_000,
                    between(1, 1_000_000),
                    LOW,
                    "for sources: records that wait for copies")
            .define(
                    RESTART_MIN,
                    ConfigDef.Type.LONG,
                    1_000L,
                    between(10, 3_600_000),
                    LOW,
                    "pause after the first failure")
            .define(
                    RESTART_MAX,
                    ConfigDef.Type.LONG,
                    60_000L,
                    between(10, 86_400_000),
                    LOW,
                    "the longest pause after failures")
            .define(
                    CALL_WARN,
                    ConfigDef.Type.LONG,
                    120_000L,
                    between(10, 86_400_000),
                    LOW,
                    "how long a call of the plugin lasts before that is told")
            .define(
                    NODES,
                    ConfigDef.Type.STRING,
                    ONE_NODE,
                    ValidString.in(ONE_NODE, "every"),
                    MEDIUM,
                    "for sources: where it runs")
            .define(ID_HEADER, ConfigDef.Type.STRING, "", LOW, "for sinks: the header that gets the id of the entry");

    private final String name;
    private final Map<String, String> originals;
    private final Map<String, Object> parsed;

    private ConnectorSettings(String name, Map<String, String> originals, Map<String, Object> parsed) {
        this.name = name;
        this.originals = originals;
        this.parsed = parsed;
    }

    /** Parses settings in which {@link #faults} has found nothing. */
    static ConnectorSettings of(String name, Map<String, String> originals) {
        return new ConnectorSettings(name, Map.copyOf(originals), DEFINITION.parse(originals));
    }

    /** Returns what is wrong with the host's own settings. */
    static List<Fault> faults(Map<String, String> originals) {
        List<Fault> faults = new ArrayList<>();
        for (ConfigValue value : DEFINITION.validate(originals)) {
            // Kafka complains of the default, too, if a value cannot be read.
            value.errorMessages().stream().limit(1).forEach(message -> faults.add(new Fault(value.name(), message)));
        }
        return faults;
    }

    /** One mistake in a key. */
    record Fault(String key, String message) {}

    String name() {
        return name;
    }

    /** Returns all settings, with the connector's name as a plugin expects it. */
    Map<String, String> originals() {
        Map<String, String> all = new HashMap<>(originals);
        all.put("name", name);
        return all;
    }

    /**
     * Returns what tasks get that the connector gave these settings.
     *
     * @throws ConnectException if there are too many
     */
    List<Map<String, String>> ofTasks(List<Map<String, String>> given, Class<? extends Task> task, boolean sink) {
        if (given.size() > tasksMax()) {
            throw new ConnectException("the connector wants " + given.size() + " tasks: set tasks.max, which is "
                    + tasksMax() + ", to that");
        }
        List<Map<String, String>> tasks = new ArrayList<>();
        for (Map<String, String> one : given) {
            Map<String, String> all = new HashMap<>(one);
            all.put("task.class", task.getName());
            if (sink) {
                all.put(TOPICS, originals.get(TOPICS));
            }
            tasks.add(all);
        }
        return tasks;
    }

    Set<String> topics() {
        return new HashSet<>(list(TOPICS));
    }

    String headerConverter() {
        return text(HEADER_CONVERTER);
    }

    int tasksMax() {
        return number(TASKS_MAX);
    }

    List<String> transforms() {
        return list(TRANSFORMS);
    }

    List<String> predicates() {
        return list(PREDICATES);
    }

    boolean toleratesErrors() {
        return text(TOLERANCE).equals("all");
    }

    long retryTimeoutMillis() {
        return large(RETRY_TIMEOUT);
    }

    long retryDelayMaxMillis() {
        return large(RETRY_DELAY_MAX);
    }

    boolean logsErrors() {
        return Boolean.TRUE.equals(parsed.get(LOG_ENABLE));
    }

    boolean logsMessages() {
        return Boolean.TRUE.equals(parsed.get(LOG_MESSAGES));
    }

    @Nullable
    String deadLetterOutbox() {
        return nonEmpty(DLQ);
    }

    boolean deadLetterHeaders() {
        return Boolean.TRUE.equals(parsed.get(DLQ_HEADERS));
    }

    long flushIntervalMillis() {
        return large(FLUSH_INTERVAL);
    }

    int window() {
        return number(WINDOW);
    }

    long bytesMax() {
        return large(BYTES_MAX);
    }

    /** Returns what an operator should know if a sink holds all that it may, and flushes nothing. */
    String windowTooSmall() {
        return "the sink holds all entries that may wait for it, " + window() + " or " + bytesMax()
                + " bytes, and flushes none: it waits for more than that. Set georep.connectors." + name + "." + WINDOW
                + " above the number of records that it flushes together, times its tasks, and " + BYTES_MAX
                + " above their bytes";
    }

    int pollRecordsMax() {
        return number(POLL_RECORDS);
    }

    int pendingRecordsMax() {
        return number(PENDING_RECORDS);
    }

    /** Returns the pause after a failure that follows so many others: it grows, and a part of it is random. */
    long restartDelayMillis(int failuresBefore) {
        long delay = Math.min(restartDelayMaxMillis(), large(RESTART_MIN) << Math.min(failuresBefore, 20));
        return delay - (delay > 4 ? ThreadLocalRandom.current().nextLong(delay / 4) : 0);
    }

    long restartDelayMaxMillis() {
        return large(RESTART_MAX);
    }

    long callWarnMillis() {
        return large(CALL_WARN);
    }

    /** Returns whether a source runs on one node at a time. */
    boolean onOneNode() {
        return text(NODES).equals(ONE_NODE);
    }

    @Nullable
    String idHeader() {
        return nonEmpty(ID_HEADER);
    }

    private @Nullable String nonEmpty(String key) {
        String value = text(key);
        return value.isEmpty() ? null : value;
    }

    private String text(String key) {
        return String.valueOf(parsed.get(key));
    }

    @SuppressWarnings("unchecked") // of this type by the definition
    private List<String> list(String key) {
        List<String> value = (List<String>) parsed.get(key);
        return value == null ? List.of() : value;
    }

    private int number(String key) {
        return parsed.get(key) instanceof Integer value ? value : 0;
    }

    private long large(String key) {
        return parsed.get(key) instanceof Long value ? value : 0;
    }
}
