package io.georep.connect;

import io.georep.model.ConfigurationException;
import io.georep.netty.SharedSecret;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigValue;

/** Checks settings of a connector against each other; its definition checks each one alone. */
final class ConnectorChecks {
    static final String BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";
    static final String TEXTS = "org.apache.kafka.connect.storage.StringConverter";
    private static final List<String> CONVERTERS = List.of("key.converter", "value.converter", "header.converter");

    private final Config found;
    private final Map<String, String> settings;

    ConnectorChecks(Config found, Map<String, String> settings) {
        this.found = found;
        this.settings = settings;
    }

    /** Adds a mistake to those of a setting, which may be one of Kafka Connect's own. */
    void require(boolean good, String setting, String mistake) {
        if (!good) {
            value(setting).addErrorMessage(setting + " " + mistake);
        }
    }

    private ConfigValue value(String setting) {
        for (ConfigValue each : found.configValues()) {
            if (each.name().equals(setting)) {
                return each;
            }
        }
        ConfigValue added = new ConfigValue(setting);
        added.value(settings.get(setting));
        found.configValues().add(added);
        return added;
    }

    /**
     * Entries have the bytes that were in the topic, so converters must not change them. The worker's default converters
     * usually do.
     */
    void converters(List<String> allowed) {
        for (String setting : CONVERTERS) {
            String chosen = settings.get(setting);
            require(
                    chosen != null && allowed.contains(chosen),
                    setting,
                    (chosen == null ? "is not set" : "is " + chosen) + ": set it to " + String.join(" or ", allowed)
                            + ", so that bytes are carried as they are");
        }
    }

    /** Links have one kind of protection or, on the loopback interface, none. */
    void protection() {
        boolean secret = isSet(NodeSettings.SECRET);
        boolean file = isSet(NodeSettings.SECRET_FILE);
        boolean tls = isSet(NodeSettings.TLS_KEY);
        require(
                !(secret && file),
                NodeSettings.SECRET_FILE,
                "and " + NodeSettings.SECRET + " are both set: leave one out");
        require(
                !(tls && (secret || file)),
                NodeSettings.TLS_KEY,
                "and a secret are both set: links are protected by one of them");
        String fault = secret ? faultOf(settings.getOrDefault(NodeSettings.SECRET, "")) : "";
        require(fault.isEmpty(), NodeSettings.SECRET, "cannot be used: " + fault);
        for (String other : List.of(NodeSettings.TLS_CERTIFICATES, NodeSettings.TLS_TRUSTED)) {
            require(isSet(other) == tls, other, "and " + NodeSettings.TLS_KEY + " need each other: set both or none");
        }
        String listen = settings.get(NodeSettings.LISTEN);
        boolean loopback = listen != null && listen.matches("(127\\..*|localhost|\\[?::1]?):[0-9-]+");
        require(
                loopback || secret || file || tls,
                NodeSettings.SECRET,
                "is not set: whoever reaches the ports of " + NodeSettings.LISTEN
                        + " could join, read and delete. Set a secret or TLS, or listen on 127.0.0.1");
        boolean anyPort = listen != null && listen.endsWith(":0");
        require(
                !(anyPort && isSet(NodeSettings.ADVERTISE)),
                NodeSettings.ADVERTISE,
                "needs ports that are known: " + NodeSettings.LISTEN + " takes any");
    }

    private static String faultOf(String secret) {
        try {
            SharedSecret unused = SharedSecret.ofBase64(secret);
            return "";
        } catch (ConfigurationException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private boolean isSet(String setting) {
        return !settings.getOrDefault(setting, "").isBlank();
    }

    /** The settings of each task, which tell it its number. */
    static List<Map<String, String>> tasks(Map<String, String> settings, int count) {
        return IntStream.range(0, count)
                .mapToObj(task -> {
                    Map<String, String> own = new HashMap<>(settings);
                    own.put(NodeSettings.TASK, Integer.toString(task));
                    return Collections.unmodifiableMap(own);
                })
                .toList();
    }
}
