package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds all mistakes in the settings of a connector, without starting it. */
final class ConfigCheck {
    private final String name;
    private final Map<String, String> settings;
    private final Plugins plugins;
    private final ToIntBiFunction<String, String> distance;
    private final List<String> faults = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();

    /** Keys that somebody reads. */
    private final Set<String> known = new HashSet<>(ConnectorSettings.WITHOUT_EFFECT);

    /** Keys that the host reads only for connectors of the other kind. */
    private Set<String> foreign = Set.of();

    private @Nullable Class<? extends Connector> connector;

    ConfigCheck(String name, Map<String, String> settings, Plugins plugins, ToIntBiFunction<String, String> distance) {
        this.name = name;
        this.settings = settings;
        this.plugins = plugins;
        this.distance = distance;
    }

    /** Returns what keeps the connector from running. */
    List<String> faults() {
        return faults;
    }

    /** Keys that nothing reads. A plugin may read more than it declares, so these need not be wrong. */
    List<String> unknown() {
        return unknown;
    }

    /** Returns the connector's class; null if there are faults. */
    @Nullable
    Class<? extends Connector> connector() {
        return connector;
    }

    ConfigCheck check() {
        known.addAll(ConnectorSettings.DEFINITION.names());
        ConnectorSettings.faults(settings).forEach(fault -> fault(fault.key(), fault.message()));
        checkConnector();
        ClassLoader loader = connector == null ? null : connector.getClassLoader();
        converter(ConnectorSettings.KEY_CONVERTER, Converter.class, loader);
        converter(ConnectorSettings.VALUE_CONVERTER, Converter.class, loader);
        converter(ConnectorSettings.HEADER_CONVERTER, HeaderConverter.class, loader);
        List<String> predicates = named(ConnectorSettings.PREDICATES, Predicate.class, loader);
        List<String> transforms = named(ConnectorSettings.TRANSFORMS, Transformation.class, loader);
        for (String transform : transforms) {
            String prefix = ConnectorSettings.TRANSFORMS + "." + transform + ".";
            String predicate = settings.get(prefix + "predicate");
            if (predicate != null && !predicates.contains(predicate)) {
                fault(prefix + "predicate", "names " + predicate + ", but predicates are " + predicates);
            }
            String negate = settings.get(prefix + "negate");
            if (negate != null && !negate.equals("true") && !negate.equals("false")) {
                fault(prefix + "negate", "is " + negate + ", allowed are true and false");
            }
            known.add(prefix + "predicate");
            known.add(prefix + "negate");
        }
        new TreeMap<>(settings)
                .keySet().stream().filter(key -> !known.contains(key)).forEach(this::addUnknown);
        return this;
    }

    private void checkConnector() {
        String type = settings.get(ConnectorSettings.CLASS);
        if (type == null) {
            return; // Reported already.
        }
        Class<? extends Connector> found = find(ConnectorSettings.CLASS, type, Connector.class, null);
        if (found == null) {
            return;
        }
        boolean sink = SinkConnector.class.isAssignableFrom(found);
        if (!sink && !SourceConnector.class.isAssignableFrom(found)) {
            fault(ConnectorSettings.CLASS, "is " + type + ", which is neither a SinkConnector nor a SourceConnector");
            return;
        }
        connector = found;
        foreign = sink ? ConnectorSettings.SOURCE_ONLY : ConnectorSettings.SINK_ONLY;
        known.removeAll(foreign); // the connector may have settings of these names
        if (!sink && settings.containsKey(ConnectorSettings.DLQ)) {
            fault(ConnectorSettings.DLQ, "is for sinks: a source keeps no copies of bad records");
            known.add(ConnectorSettings.DLQ);
        }
        if (sink && settings.getOrDefault(ConnectorSettings.TOPICS, "").isBlank()) {
            fault(ConnectorSettings.TOPICS, "is missing: name the outboxes that the sink forwards");
        }
        if (sink && settings.containsKey(ConnectorSettings.TOPICS_REGEX)) {
            fault(ConnectorSettings.TOPICS_REGEX, "is not supported: name the outboxes in " + ConnectorSettings.TOPICS);
        }
        try {
            Connector created = Plugins.create(found);
            validate(found, "", created::config, settings);
        } catch (RuntimeException | LinkageError e) {
            fault(ConnectorSettings.CLASS, "is " + type + ", which does not say its settings: " + e);
        }
    }

    private void converter(String key, Class<?> kind, @Nullable ClassLoader loader) {
        String type = settings.get(key);
        if (type == null) {
            return;
        }
        Class<?> found = find(key, type, kind, loader);
        if (found != null) {
            configDef(key, found, key + ".");
        }
    }

    private List<String> named(String key, Class<?> kind, @Nullable ClassLoader loader) {
        List<String> names = new ArrayList<>();
        for (String item : settings.getOrDefault(key, "").split(",", -1)) {
            String one = item.trim();
            if (one.isEmpty()) {
                continue;
            }
            if (names.contains(one)) {
                fault(key, "names " + one + " twice");
                continue;
            }
            names.add(one);
            String prefix = key + "." + one + ".";
            known.add(prefix + "type");
            String type = settings.get(prefix + "type");
            if (type == null) {
                fault(prefix + "type", "is missing: name the class of " + one + ", which " + key + " names");
                continue;
            }
            Class<?> found = find(prefix + "type", type, kind, loader);
            if (found != null) {
                configDef(prefix + "type", found, prefix);
            }
        }
        return names;
    }

    /** Plugins have their {@code config()} in interfaces without a common supertype. */
    private void configDef(String key, Class<?> type, String prefix) {
        try {
            Object plugin = Plugins.create(type);
            Supplier<@Nullable ConfigDef> definition = () -> plugin instanceof Converter converter
                    ? converter.config()
                    : plugin instanceof HeaderConverter converter
                            ? converter.config()
                            : plugin instanceof Transformation<?> transformation
                                    ? transformation.config()
                                    : ((Predicate<?>) plugin).config();
            Map<String, String> own = TaskParts.below(settings, prefix);
            if (plugin instanceof Converter || plugin instanceof HeaderConverter) {
                own.put("converter.type", key.substring(0, key.indexOf('.')));
            }
            validate(type, prefix, definition, own);
        } catch (RuntimeException | LinkageError e) {
            fault(key, "is " + type.getName() + ", which does not say its settings: " + e);
        }
    }

    private void validate(
            Class<?> type, String prefix, Supplier<@Nullable ConfigDef> definition, Map<String, String> own) {
        List<ConfigValue> values = Plugins.within(type, () -> {
            ConfigDef given = definition.get();
            if (given == null) {
                return List.of();
            }
            given.names().forEach(key -> known.add(prefix + key));
            return given.validate(own);
        });
        for (ConfigValue value : values) {
            value.errorMessages().forEach(message -> fault(prefix + value.name(), message));
        }
    }

    private <T> @Nullable Class<? extends T> find(
            String key, String type, Class<T> kind, @Nullable ClassLoader loader) {
        try {
            return plugins.find(type, kind, loader);
        } catch (ConnectException | ConfigException e) {
            fault(key, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void fault(String key, String message) {
        String text = message.startsWith("Missing required configuration")
                ? " is missing" + advice(key)
                : message.startsWith("is ") || message.startsWith("names ") ? " " + message : ": " + message;
        String sentence = property(key) + text;
        if (!faults.contains(sentence)) {
            faults.add(sentence);
        }
    }

    private static String advice(String key) {
        return key.equals(ConnectorSettings.VALUE_CONVERTER)
                ? ": org.apache.kafka.connect.storage.StringConverter for texts, org.apache.kafka.connect.json.JsonConverter for"
                        + " JSON, " + ByteArrayConverter.class.getName() + " for bytes"
                : ": it has no default";
    }

    private String property(String key) {
        return "georep.connectors." + name + "." + key;
    }

    private void addUnknown(String key) {
        if (foreign.contains(key)) {
            unknown.add("property " + property(key) + " is for "
                    + (ConnectorSettings.SINK_ONLY.contains(key) ? "sinks" : "sources"));
            return;
        }
        String near = known.stream()
                .min(Comparator.comparingInt(other -> distance.applyAsInt(other, key)))
                .filter(other -> distance.applyAsInt(other, key) <= Math.max(2, key.length() / 6))
                .map(other -> ": did you mean " + property(other) + "?")
                .orElse(": neither the host nor a plugin declares it.");
        unknown.add("property " + property(key) + " is not known" + near);
    }

    /** Finds mistakes that only show when all connectors are looked at together. */
    static List<String> together(Collection<ConnectorSettings> sinks) {
        List<String> faults = new ArrayList<>();
        Map<String, ConnectorSettings> owners = new TreeMap<>();
        for (ConnectorSettings sink : sinks) {
            for (String topic : sink.topics()) {
                ConnectorSettings other = owners.putIfAbsent(topic, sink);
                if (other != null) {
                    faults.add("outbox '" + topic + "' is forwarded by two connectors, georep.connectors."
                            + other.name() + ".topics and georep.connectors." + sink.name()
                            + ".topics: an outbox has one forwarder");
                }
            }
        }
        sinks.stream()
                .filter(sink -> comesBack(sink, owners))
                .forEach(sink -> faults.add("georep.connectors." + sink.name()
                        + "." + ConnectorSettings.DLQ + " is '" + sink.deadLetterOutbox()
                        + "', from where a bad record may come to this connector again: it would come back for ever"));
        return faults;
    }

    /** Returns whether a dead letter of the sink, or a dead letter of that, is an entry for the sink. */
    private static boolean comesBack(ConnectorSettings sink, Map<String, ConnectorSettings> owners) {
        Set<String> seen = new HashSet<>();
        ConnectorSettings owner = sink;
        while (owner != null) {
            String next = owner.deadLetterOutbox();
            if (next == null || !seen.add(next)) {
                return false;
            }
            owner = owners.get(next);
            if (owner == sink) {
                return true;
            }
        }
        return false;
    }

    /** Fails if a connector refuses its settings. */
    static void passed(Config config) {
        List<String> mistakes = new ArrayList<>();
        for (ConfigValue value : config.configValues()) {
            value.errorMessages().forEach(message -> mistakes.add(value.name() + ": " + message));
        }
        if (!mistakes.isEmpty()) {
            throw new ConnectException("the connector refuses its settings: " + String.join("; ", mistakes));
        }
    }
}
