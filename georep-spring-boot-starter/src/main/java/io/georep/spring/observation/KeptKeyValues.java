package io.georep.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The tags of one observation. A context of Micrometer puts each tag into a map, and sorts the map for each reader; here the tags
 * that a convention gave stay what they are, because hardly anybody adds others. Thread-safe.
 */
final class KeptKeyValues {
    private static final AtomicReferenceFieldUpdater<KeptKeyValues, @Nullable KeyValues> VALUES =
            AtomicReferenceFieldUpdater.newUpdater(KeptKeyValues.class, KeyValues.class, "values");

    /** Null for none, so that making this object writes nothing. */
    private volatile @Nullable KeyValues values;

    KeyValues all() {
        return all(values);
    }

    private static KeyValues all(@Nullable KeyValues values) {
        return values == null ? KeyValues.empty() : values;
    }

    /** Adds these; they replace those with the same keys. A convention gives its tags at the start and once more at the end. */
    @SuppressWarnings("ReferenceEquality") // whether they are equal would take longer to find out than to merge them
    void add(KeyValues added) {
        if (added != values && added.iterator().hasNext()) {
            merge(added);
        }
    }

    void add(KeyValue added) {
        merge(KeyValues.of(added));
    }

    private void merge(KeyValues added) {
        KeyValues before;
        do {
            before = values;
        } while (!VALUES.compareAndSet(this, before, before == null ? added : before.and(added)));
    }

    void remove(String key) {
        KeyValues before;
        List<KeyValue> others = new ArrayList<>();
        do {
            before = values;
            others.clear();
            all(before).forEach(value -> {
                if (!value.getKey().equals(key)) {
                    others.add(value);
                }
            });
        } while (!VALUES.compareAndSet(this, before, KeyValues.of(others)));
    }

    /** Returns the tag with this key; null if there is none. */
    @Nullable
    KeyValue get(String key) {
        for (KeyValue value : all()) {
            if (value.getKey().equals(key)) {
                return value;
            }
        }
        return null;
    }
}
