package io.georep.spring.observation;

import io.georep.outbox.Delivery;
import io.georep.spring.observation.GeoRepObservation.HighCardinality;
import io.georep.spring.observation.GeoRepObservation.LowCardinality;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and tags of {@link GeoRepObservation#FORWARD}; a bean of this type replaces them. */
public class ForwardConvention implements ObservationConvention<ForwardContext> {
    @Override
    public String getName() {
        return "georep.forward";
    }

    @Override
    public String getContextualName(ForwardContext context) {
        return context.queue() + " forward";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ForwardContext context) {
        boolean adopted = context.deliveries().stream().anyMatch(Delivery::adopted);
        return KeyValues.of(
                LowCardinality.QUEUE.withValue(context.queue()),
                LowCardinality.LISTENER.withValue(context.listener()),
                LowCardinality.ADOPTED.withValue(String.valueOf(adopted)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ForwardContext context) {
        KeyValues values = KeyValues.of(HighCardinality.ENTRIES.withValue(
                String.valueOf(context.deliveries().size())));
        if (context.deliveries().size() > 1) {
            return values;
        }
        Delivery<?> delivery = context.deliveries().get(0);
        return values.and(
                HighCardinality.ENTRY_ID.withValue(delivery.id().toString()),
                HighCardinality.ORIGIN.withValue(delivery.origin().value()),
                HighCardinality.ATTEMPT.withValue(String.valueOf(delivery.attempt())));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ForwardContext;
    }
}
