package io.georep.connectors.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.ConnectException;

/** Settings that both directions have. Those of Kafka's own clients are below a prefix, with the names Kafka gives them. */
final class KafkaClients {
    private static final String SERVERS = "kafka.bootstrap.servers";
    private static final String TIMEOUT = "kafka.timeout.ms";

    /** A list that names something. */
    static final ConfigDef.Validator NOT_EMPTY = ConfigDef.LambdaValidator.with(
            (name, value) -> {
                if (value instanceof List<?> list && list.isEmpty()) {
                    throw new ConfigException(name + " names nothing");
                }
            },
            () -> "not empty");

    private KafkaClients() {}

    /** Adds the settings about the brokers, and those of a client except {@code ours}, which the connector sets itself. */
    static ConfigDef with(ConfigDef config, String prefix, ConfigDef client, Set<String> ours) {
        config.define(
                        SERVERS,
                        ConfigDef.Type.LIST,
                        ConfigDef.NO_DEFAULT_VALUE,
                        NOT_EMPTY,
                        Importance.HIGH,
                        "Brokers to ask for the others: host:port, with commas.")
                .define(
                        TIMEOUT,
                        ConfigDef.Type.INT,
                        30_000,
                        Range.between(100, 600_000),
                        Importance.MEDIUM,
                        "Milliseconds to wait for the brokers.");
        ConfigDef free = new ConfigDef(client);
        free.configKeys()
                .keySet()
                .removeIf(each ->
                        each.equals("bootstrap.servers") || ours.contains(each) || each.startsWith("transaction"));
        config.embed(prefix, "", 0, free);
        return config;
    }

    static int timeoutMillis(AbstractConfig settings) {
        return settings.getInt(TIMEOUT);
    }

    /** Settings for a client: {@code defaults}, overridden by what is set below the prefix, overridden by {@code ours}. */
    static Map<String, Object> properties(
            AbstractConfig settings, String prefix, Map<String, Object> defaults, Map<String, Object> ours) {
        Map<String, Object> all = new HashMap<>(defaults);
        all.putAll(settings.originalsWithPrefix(prefix));
        all.putAll(ours);
        all.put("bootstrap.servers", settings.getList(SERVERS));
        return all;
    }

    /** Why a client could not be made. */
    static ConnectException notMade(KafkaException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return new ConnectException("Kafka's client refuses its settings: " + cause.getMessage(), failure);
    }

    /** Returns whether a client could not be made because no name of a broker can be looked up now. */
    static boolean isWithoutNames(KafkaException failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (String.valueOf(each.getMessage()).contains("No resolvable bootstrap")) {
                return true;
            }
        }
        return false;
    }
}
