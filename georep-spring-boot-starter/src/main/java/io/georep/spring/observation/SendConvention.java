package io.georep.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and tags of {@link GeoRepObservation#SEND}; a bean of this type replaces them. */
public class SendConvention implements ObservationConvention<SendContext> {
    @Override
    public String getName() {
        return "georep.send";
    }

    @Override
    public String getContextualName(SendContext context) {
        return context.queue() + " send";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(SendContext context) {
        return KeyValues.of(GeoRepObservation.LowCardinality.QUEUE.withValue(context.queue()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(SendContext context) {
        return KeyValues.of(GeoRepObservation.HighCardinality.ENTRIES.withValue(String.valueOf(context.entries())));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof SendContext;
    }
}
