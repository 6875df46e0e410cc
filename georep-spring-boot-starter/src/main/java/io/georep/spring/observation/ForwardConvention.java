package io.georep.spring.observation;

import io.georep.outbox.Delivery;
import io.georep.spring.observation.GeoRepObservation.HighCardinality;
import io.georep.spring.observation.GeoRepObservation.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Names and tags of {@link GeoRepObservation#FORWARD}; a bean of this type replaces them. */
public class ForwardConvention implements ObservationConvention<ForwardContext> {
    private static final KeyValue ONE_ENTRY = HighCardinality.ENTRIES.withValue("1");
    private static final KeyValue FIRST_ATTEMPT = HighCardinality.ATTEMPT.withValue("1");

    private record Calls(String queue, String listener, boolean adopted) {}

    private record OfCalls(String contextualName, KeyValues tags) {}

    /** Bounded by twice the number of listeners. */
    private final Map<Calls, OfCalls> known = new ConcurrentHashMap<>();

    @Override
    public String getName() {
        return "georep.forward";
    }

    @Override
    public String getContextualName(ForwardContext context) {
        return of(context).contextualName();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ForwardContext context) {
        return of(context).tags();
    }

    private OfCalls of(ForwardContext context) {
        Calls calls = new Calls(context.queue(), context.listener(), context.adopted());
        OfCalls found = known.get(calls);
        return found == null ? known.computeIfAbsent(calls, ForwardConvention::ofCalls) : found;
    }

    private static OfCalls ofCalls(Calls calls) {
        return new OfCalls(
                calls.queue() + " forward",
                KeyValues.of(
                        LowCardinality.QUEUE.withValue(calls.queue()),
                        LowCardinality.LISTENER.withValue(calls.listener()),
                        LowCardinality.ADOPTED.withValue(String.valueOf(calls.adopted()))));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ForwardContext context) {
        return context.ofEntries(ForwardConvention::ofEntries);
    }

    private static KeyValues ofEntries(ForwardContext context) {
        int entries = context.deliveries().size();
        if (entries > 1) {
            return KeyValues.of(HighCardinality.ENTRIES.withValue(String.valueOf(entries)));
        }
        Delivery<?> delivery = context.deliveries().get(0);
        int attempt = delivery.attempt();
        // In the order of their keys, which need not be sorted then.
        return KeyValues.of(
                ONE_ENTRY,
                attempt == 1 ? FIRST_ATTEMPT : HighCardinality.ATTEMPT.withValue(String.valueOf(attempt)),
                new EntryIdKeyValue(delivery.id()),
                HighCardinality.ORIGIN.withValue(delivery.origin().value()));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ForwardContext;
    }
}
