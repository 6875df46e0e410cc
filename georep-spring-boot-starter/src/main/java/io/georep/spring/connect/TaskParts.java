package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/**
 * Creates what one life of a task consists of: the task, its converters, its transformations.
 *
 * @param failures counts those of the connector and its tasks
 */
record TaskParts(
        ConnectorSettings settings,
        Plugins plugins,
        Class<?> connector,
        Class<? extends Task> taskClass,
        int task,
        LongAdder failures) {
    private static final String TYPE = "converter.type";

    ClassLoader loader() {
        return connector.getClassLoader();
    }

    Task newTask() {
        return Plugins.create(taskClass);
    }

    Tolerance tolerance(Tolerance.Pause pause) {
        return new Tolerance(settings.retryTimeoutMillis(), settings.retryDelayMaxMillis(), pause);
    }

    HostMetrics metrics() {
        return new HostMetrics(Map.of("connector", settings.name(), "task", String.valueOf(task)));
    }

    RecordFormat format(Tolerance tolerance, LifeParts made) {
        Map<String, String> all = settings.originals();
        String keys = all.containsKey(ConnectorSettings.KEY_CONVERTER)
                ? ConnectorSettings.KEY_CONVERTER
                : ConnectorSettings.VALUE_CONVERTER;
        Map<String, String> headerSettings = new HashMap<>(below(all, ConnectorSettings.HEADER_CONVERTER + "."));
        headerSettings.put(TYPE, "header");
        HeaderConverter headers =
                made.add(Plugins.create(plugins.find(settings.headerConverter(), HeaderConverter.class, loader())));
        headers.configure(headerSettings);
        return new RecordFormat(
                converter(all, keys, true, made),
                converter(all, ConnectorSettings.VALUE_CONVERTER, false, made),
                headers,
                tolerance,
                settings.idHeader());
    }

    private Converter converter(Map<String, String> all, String key, boolean isKey, LifeParts made) {
        Converter converter =
                made.add(Plugins.create(plugins.find(String.valueOf(all.get(key)), Converter.class, loader())));
        Map<String, String> own = new HashMap<>(below(all, key + "."));
        own.put(TYPE, isKey ? "key" : "value");
        converter.configure(own, isKey);
        return converter;
    }

    @SuppressWarnings("unchecked") // the records of a task are of one kind, and a plugin takes any kind
    <R extends ConnectRecord<R>> TransformChain<R> chain(Tolerance tolerance, LifeParts made) {
        Map<String, String> all = settings.originals();
        Map<String, Predicate<R>> predicates = new HashMap<>();
        for (String name : settings.predicates()) {
            Map<String, String> own = below(all, ConnectorSettings.PREDICATES + "." + name + ".");
            Predicate<R> predicate = (Predicate<R>) made.add(Plugins.create(type(own, Predicate.class)));
            predicate.configure(own);
            predicates.put(name, predicate);
        }
        List<TransformChain.Step<R>> steps = new ArrayList<>();
        for (String name : settings.transforms()) {
            Map<String, String> own = below(all, ConnectorSettings.TRANSFORMS + "." + name + ".");
            Transformation<R> transformation =
                    (Transformation<R>) made.add(Plugins.create(type(own, Transformation.class)));
            transformation.configure(own);
            String predicate = own.get("predicate");
            steps.add(new TransformChain.Step<>(
                    transformation,
                    predicate == null ? null : predicates.get(predicate),
                    Boolean.parseBoolean(own.get("negate"))));
        }
        return new TransformChain<>(steps, tolerance);
    }

    private <T> Class<? extends T> type(Map<String, String> own, Class<T> kind) {
        String name = own.get("type");
        if (name == null) {
            throw new ConnectException("a " + kind.getSimpleName() + " has no type");
        }
        return plugins.find(name, kind, loader());
    }

    /** Returns the settings below a prefix, without it. */
    static Map<String, String> below(Map<String, String> all, String prefix) {
        Map<String, String> own = new HashMap<>();
        all.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                own.put(key.substring(prefix.length()), value);
            }
        });
        return own;
    }
}
