package io.georep.spring.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;

/** What a {@link GeoRepObservation#SEND} is about; the carrier are the headers the entry gets. */
public final class SendContext extends SenderContext<Map<String, String>> {
    private final String queue;
    private final int entries;

    SendContext(String queue, int entries, Map<String, String> headers) {
        super((carrier, name, value) -> headers.put(name, value), Kind.PRODUCER);
        this.queue = queue;
        this.entries = entries;
        setCarrier(headers);
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** Returns how many entries. */
    public int entries() {
        return entries;
    }
}
