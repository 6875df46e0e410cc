package io.georep.spring.connect;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which classes of the application the host creates by their names. */
public final class PluginClasses {
    private static final Logger LOG = LoggerFactory.getLogger(PluginClasses.class);
    private static final Map<Pattern, Class<?>> KEYS = Map.of(
            Pattern.compile("(key|value)\\.converter"), Converter.class,
            Pattern.compile("header\\.converter"), HeaderConverter.class,
            Pattern.compile("transforms\\.[^.]+\\.type"), Transformation.class,
            Pattern.compile("predicates\\.[^.]+\\.type"), Predicate.class);

    private PluginClasses() {}

    /**
     * Returns the connectors with their tasks, the converters, the transformations and the predicates. What cannot be found is
     * left out; the start says so.
     *
     * @param settings the settings of each connector, by its name
     */
    public static Set<Class<?>> of(Map<String, Map<String, String>> settings, ClassLoader loader) {
        Plugins plugins = new Plugins(loader, List.of());
        Set<Class<?>> found = new LinkedHashSet<>();
        found.add(SimpleHeaderConverter.class);
        settings.values()
                .forEach(one -> one.forEach((key, value) -> {
                    try {
                        if (key.equals(ConnectorSettings.CLASS)) {
                            Class<? extends Connector> connector = plugins.find(value, Connector.class, null);
                            found.add(connector);
                            Connector created = Plugins.create(connector);
                            found.add(Plugins.within(connector, created::taskClass));
                        }
                        KEYS.forEach((pattern, kind) -> {
                            if (pattern.matcher(key).matches()) {
                                found.add(plugins.find(value, kind, null));
                            }
                        });
                    } catch (ConnectException e) {
                        LOG.warn("No hints for a native image for the {} {}: {}", key, value, e.getMessage());
                    }
                }));
        return found;
    }
}
