package io.georep.spring.observation;

import io.georep.outbox.Delivery;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;

/** What a {@link GeoRepObservation#FORWARD} is about; the carrier are the headers of the entry, none for a batch. */
public final class ForwardContext extends ReceiverContext<Map<String, String>> {
    private final String queue;
    private final String listener;
    private final List<? extends Delivery<?>> deliveries;

    ForwardContext(String queue, String listener, List<? extends Delivery<?>> deliveries) {
        super((carrier, name) -> carrier == null ? null : carrier.get(name), Kind.CONSUMER);
        this.queue = queue;
        this.listener = listener;
        this.deliveries = deliveries;
        setCarrier(deliveries.size() == 1 ? deliveries.get(0).headers() : Map.of());
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** Name of the listener. */
    public String listener() {
        return listener;
    }

    /** Returns the entries of the call, at least one. */
    public List<? extends Delivery<?>> deliveries() {
        return deliveries;
    }
}
