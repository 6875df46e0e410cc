package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The properties under {@code georep.connectors}; does not need the plugin API. */
final class ConnectorProperties {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorProperties.class);
    private static final String API = "org.apache.kafka.connect.connector.Connector";
    private static final Pattern ELEMENT = Pattern.compile("(.+)\\.([0-9]{1,4})");
    private static final int NAME_MAX = 100;
    private static final Bindable<Map<String, Map<String, String>>> SETTINGS =
            Bindable.of(ResolvableType.forClassWithGenerics(
                    Map.class,
                    ResolvableType.forClass(String.class),
                    ResolvableType.forClassWithGenerics(Map.class, String.class, String.class)));

    private ConnectorProperties() {}

    /**
     * Returns the settings of each connector as they are written. Spring's placeholders are not replaced here: it would take {@code
     * ${env:NAME}} for the text {@code NAME}, and {@code ${topic}} for whatever the environment has by that name.
     */
    static Map<String, Map<String, String>> of(Environment environment) {
        return of(new Binder(ConfigurationPropertySources.get(environment), PlaceholdersResolver.NONE)
                .bind("georep.connectors", SETTINGS)
                .orElseGet(HashMap::new));
    }

    /** Returns the settings of each connector. A list, whose elements Boot binds as key.0, key.1 …, is a text with commas for a plugin. */
    private static Map<String, Map<String, String>> of(Map<String, Map<String, String>> connectors) {
        Map<String, Map<String, String>> all = new TreeMap<>();
        connectors.forEach((name, settings) -> {
            Map<String, String> flat = new HashMap<>();
            Map<String, TreeMap<Integer, String>> lists = new HashMap<>();
            settings.forEach((key, value) -> {
                Matcher element = ELEMENT.matcher(key);
                if (element.matches()) {
                    lists.computeIfAbsent(element.group(1), list -> new TreeMap<>())
                            .put(Integer.valueOf(element.group(2)), value);
                } else {
                    flat.put(key, value);
                }
            });
            lists.forEach((key, elements) -> {
                if (elements.lastKey() == elements.size() - 1 && !flat.containsKey(key)) {
                    flat.put(key, String.join(",", elements.values()));
                } else {
                    elements.forEach((index, value) -> flat.put(key + "." + index, value));
                }
            });
            all.put(name, flat);
        });
        return all;
    }

    /** Checks that the plugin API is on the class path: without it the connectors would never run, and no error would say so. */
    static void checkClassPath(
            Map<String, Map<String, String>> connectors, @Nullable ClassLoader loader, List<String> faults) {
        Set<String> names = new TreeSet<>(connectors.keySet());
        if (!ClassUtils.isPresent(API, loader)) {
            faults.add("georep.connectors has settings for " + names + ", but nothing can run them: add the dependency"
                    + " org.apache.kafka:connect-api, or remove the settings");
        }
        names.stream()
                .filter(name -> name.length() > NAME_MAX)
                .forEach(name -> faults.add(
                        "georep.connectors." + name + " has a name that is longer than " + NAME_MAX + " characters"));
    }

    /** An outbox has one forwarder; and nothing may ever send to an outbox that only its sink names. */
    static void check(
            Map<String, String> sinks, OutboxListeners listeners, Outboxes outboxes, GeoRepProperties properties) {
        List<String> faults = new ArrayList<>();
        List<String> doubts = new ArrayList<>();
        Set<String> named = new TreeSet<>(properties.outboxes().keySet());
        named.addAll(outboxes.names());
        sinks.forEach((queue, sink) -> {
            listeners.all().stream()
                    .filter(listener -> listener.queue().equals(queue))
                    .forEach(listener -> faults.add("outbox '" + queue + "' has the listener " + listener.id()
                            + " and is forwarded by georep.connectors." + sink
                            + ": an outbox has one forwarder, so remove one of them"));
            if (!named.contains(queue)) {
                doubts.add("georep.connectors." + sink + ".topics names outbox '" + queue
                        + "', but no injected Outbox, @ReplicatedQueue or setting under georep.outboxes does"
                        + near(queue, named) + ": correct the name, or add a setting under georep.outboxes." + queue
                        + " if it is opened later or on other nodes only");
            }
        });
        if (properties.strict()) {
            faults.addAll(doubts);
        } else {
            doubts.forEach(doubt -> LOG.warn("{}. With georep.strict=true this fails the start", doubt));
        }
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    private static String near(String queue, Set<String> named) {
        return named.stream()
                .filter(other -> KnownKeys.distance(queue, other) <= 2)
                .findFirst()
                .map(other -> " (did you mean '" + other + "'?)")
                .orElse("");
    }
}
