package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spring.listener.ListenerValues;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Each property sets what it names, and nothing else. */
class PropertyMappingTest {
    static Stream<String> timesAndSizes() {
        return names(GeoRepProperties.Protocol.class);
    }

    @ParameterizedTest
    @MethodSource("timesAndSizes")
    void ofTheProtocol(String name) throws Exception {
        setsItsOwn("protocol", name, properties -> NodeFactory.protocol(properties.protocol()));
    }

    static Stream<String> settingsOfMaps() {
        return names(GeoRepProperties.Maps.class)
                .filter(name -> !name.equals("alone") && !name.equals("master") && !name.equals("caches"));
    }

    @ParameterizedTest
    @MethodSource("settingsOfMaps")
    void ofMaps(String name) throws Exception {
        setsItsOwn("maps", name, properties -> NodeFactory.mapSettings(properties.maps()));
    }

    @Test
    void ofListenersAndQueues() {
        PropertyMapping mapping = new PropertyMapping(
                bound(Map.of(
                        "georep.listener.batch-max", "7",
                        "georep.listener.retry.jitter", "0.5",
                        "georep.outboxes.q.batch-max", "8",
                        "georep.outboxes.q.retry.jitter", "0.6",
                        "georep.outboxes.q.deduplication-keys-max", "9")),
                1);

        ListenerValues all = mapping.defaults();
        assertThat(all.batchMax()).isEqualTo(7);
        assertThat(all.retry().jitter()).isEqualTo(0.5);
        ListenerValues own = mapping.queue("q");
        assertThat(own.batchMax()).isEqualTo(8);
        assertThat(own.retry().jitter()).isEqualTo(0.6);
        assertThat(mapping.sending("q").deduplicationKeysMax()).isEqualTo(9);
    }

    private static Stream<String> names(Class<?> properties) {
        return Arrays.stream(properties.getRecordComponents()).map(RecordComponent::getName);
    }

    private static void setsItsOwn(String group, String name, Function<GeoRepProperties, Record> settings)
            throws Exception {
        Map<String, Object> expected = values(settings.apply(bound(Map.of())));
        Object changed = changed(expected.get(name));
        String key = "georep." + group + "." + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        expected.put(name, changed);

        assertThat(values(settings.apply(bound(Map.of(key, changed.toString())))))
                .isEqualTo(expected);
    }

    /** A little more: so little that no rule between settings breaks. */
    private static Object changed(Object value) {
        if (value instanceof Duration time) {
            return time.plusMillis(100);
        }
        return value instanceof Long number ? (Object) (number + 1) : (Object) ((Integer) value + 1);
    }

    private static Map<String, Object> values(Record settings) throws Exception {
        Map<String, Object> values = new TreeMap<>();
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            values.put(component.getName(), component.getAccessor().invoke(settings));
        }
        return values;
    }

    private static GeoRepProperties bound(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(new HashMap<>(properties)))
                .bindOrCreate("georep", GeoRepProperties.class);
    }
}
