package io.georep.spring.observation;

import io.georep.outbox.Delivery;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a {@link GeoRepObservation#FORWARD} is about; the carrier are the headers of the entry, none for a batch. */
public final class ForwardContext extends ReceiverContext<Map<String, String>> {
    private final String queue;
    private final String listener;
    private final List<? extends Delivery<?>> deliveries;
    private final KeptKeyValues low = new KeptKeyValues();
    private final KeptKeyValues high = new KeptKeyValues();
    private final Stopwatch stopwatch = new Stopwatch();

    private final boolean adopted;
    private @Nullable KeyValues ofEntries;

    ForwardContext(String queue, String listener, List<? extends Delivery<?>> deliveries) {
        super((carrier, name) -> carrier == null ? null : carrier.get(name), Kind.CONSUMER);
        this.queue = queue;
        this.listener = listener;
        this.deliveries = deliveries;
        this.adopted = anyAdopted(deliveries);
        setCarrier(deliveries.size() == 1 ? deliveries.get(0).headers() : Map.of());
    }

    private static boolean anyAdopted(List<? extends Delivery<?>> deliveries) {
        for (Delivery<?> delivery : deliveries) {
            if (delivery.adopted()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether an entry of the call was taken over from another node. */
    boolean adopted() {
        return adopted;
    }

    Stopwatch stopwatch() {
        return stopwatch;
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** Name of the listener. */
    public String listener() {
        return listener;
    }

    /** Returns what is said of the entries, which does not change during the call. */
    KeyValues ofEntries(Function<ForwardContext, KeyValues> tags) {
        KeyValues known = ofEntries;
        if (known == null) {
            known = tags.apply(this);
            ofEntries = known;
        }
        return known;
    }

    /** Returns the entries of the call, at least one. */
    public List<? extends Delivery<?>> deliveries() {
        return deliveries;
    }

    @Override
    public Observation.Context addLowCardinalityKeyValue(KeyValue added) {
        low.add(added);
        return this;
    }

    @Override
    public Observation.Context addHighCardinalityKeyValue(KeyValue added) {
        high.add(added);
        return this;
    }

    @Override
    public Observation.Context addLowCardinalityKeyValues(KeyValues added) {
        low.add(added);
        return this;
    }

    @Override
    public Observation.Context addHighCardinalityKeyValues(KeyValues added) {
        high.add(added);
        return this;
    }

    @Override
    public Observation.Context removeLowCardinalityKeyValue(String key) {
        low.remove(key);
        return this;
    }

    @Override
    public Observation.Context removeHighCardinalityKeyValue(String key) {
        high.remove(key);
        return this;
    }

    @Override
    public KeyValues getLowCardinalityKeyValues() {
        return low.all();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues() {
        return high.all();
    }

    @Override
    public @Nullable KeyValue getLowCardinalityKeyValue(String key) {
        return low.get(key);
    }

    @Override
    public @Nullable KeyValue getHighCardinalityKeyValue(String key) {
        return high.get(key);
    }
}
