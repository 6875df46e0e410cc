package io.georep.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Names and tags of {@link GeoRepObservation#SEND}; a bean of this type replaces them. */
public class SendConvention implements ObservationConvention<SendContext> {
    private static final KeyValues ONE_ENTRY = entries(1);

    private record OfQueue(String contextualName, KeyValues tags) {}

    /** Bounded by the number of queues. */
    private final Map<String, OfQueue> known = new ConcurrentHashMap<>();

    private static KeyValues entries(int entries) {
        return KeyValues.of(GeoRepObservation.HighCardinality.ENTRIES.withValue(String.valueOf(entries)));
    }

    @Override
    public String getName() {
        return "georep.send";
    }

    @Override
    public String getContextualName(SendContext context) {
        return of(context.queue()).contextualName();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(SendContext context) {
        return of(context.queue()).tags();
    }

    private OfQueue of(String queue) {
        OfQueue found = known.get(queue);
        return found == null ? known.computeIfAbsent(queue, SendConvention::ofQueue) : found;
    }

    private static OfQueue ofQueue(String queue) {
        return new OfQueue(queue + " send", KeyValues.of(GeoRepObservation.LowCardinality.QUEUE.withValue(queue)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(SendContext context) {
        return context.entries() == 1 ? ONE_ENTRY : entries(context.entries());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof SendContext;
    }
}
