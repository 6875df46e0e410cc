package io.georep.model;

import java.util.Map;

/** Takes the figures of a protocol, for example to create meters from them. */
public interface Measures {
    /**
     * Takes a number that only grows while the node runs.
     *
     * @param name lower case words parted by points, without the prefix {@code georep.}
     * @param unit what is counted, in the plural, for example {@code entries}
     * @param description what the figure means, in one sentence for operators; the same for all figures of one name
     * @param tags these distinguish figures of the same name; all figures of one name have the same keys
     */
    void counter(String name, String unit, String description, long value, Map<String, String> tags);

    /** Takes a number that may fall; the parameters are those of {@link #counter(String, String, String, long, Map)}. */
    void gauge(String name, String unit, String description, long value, Map<String, String> tags);

    /** Takes a counter that has no tags. */
    default void counter(String name, String unit, String description, long value) {
        counter(name, unit, description, value, Map.of());
    }

    /** Takes a gauge that has no tags. */
    default void gauge(String name, String unit, String description, long value) {
        gauge(name, unit, description, value, Map.of());
    }
}
