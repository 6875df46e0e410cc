package io.georep.spring.observation;

import io.georep.model.EntryId;
import io.micrometer.common.KeyValue;

/**
 * The id of an entry as a tag, written when somebody reads it. Meters never do, and then it would cost more than the call.
 *
 * @param id of the entry
 */
record EntryIdKeyValue(EntryId id) implements KeyValue {
    private static final String KEY = GeoRepObservation.HighCardinality.ENTRY_ID.asString();

    @Override
    public String getKey() {
        return KEY;
    }

    @Override
    public String getValue() {
        return id.toString();
    }

    @Override
    public String toString() {
        return "keyValue(" + KEY + "=" + id + ")";
    }
}
