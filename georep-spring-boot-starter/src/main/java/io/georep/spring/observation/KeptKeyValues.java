package io.georep.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tags of one observation. A context of Micrometer puts each tag into a map, and sorts the map for each reader; here the tags
 * that a convention gave stay what they are, because hardly anybody adds others. Thread-safe.
 */
final class KeptKeyValues {
    private volatile KeyValues values = KeyValues.empty();

    KeyValues all() {
        return values;
    }

    /** Adds these; they replace those with the same keys. A convention gives its tags at the start and once more at the end. */
    @SuppressWarnings("ReferenceEquality") // whether they are equal would take longer to find out than to merge them
    void add(KeyValues added) {
        if (added != values) {
            merge(added);
        }
    }

    void add(KeyValue added) {
        merge(KeyValues.of(added));
    }

    private synchronized void merge(KeyValues added) {
        values = values.and(added);
    }

    synchronized void remove(String key) {
        List<KeyValue> others = new ArrayList<>();
        for (KeyValue value : values) {
            if (!value.getKey().equals(key)) {
                others.add(value);
            }
        }
        values = KeyValues.of(others);
    }

    /** Returns the tag with this key; null if there is none. */
    @Nullable
    KeyValue get(String key) {
        for (KeyValue value : values) {
            if (value.getKey().equals(key)) {
                return value;
            }
        }
        return null;
    }
}
