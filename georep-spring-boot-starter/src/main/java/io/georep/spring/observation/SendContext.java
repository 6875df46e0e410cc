package io.georep.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link GeoRepObservation#SEND} is about; the carrier are the headers the entry gets. */
public final class SendContext extends SenderContext<Map<String, String>> {
    private final String queue;
    private final int entries;
    private final KeptKeyValues low = new KeptKeyValues();
    private final KeptKeyValues high = new KeptKeyValues();
    private final Stopwatch stopwatch = new Stopwatch();

    SendContext(String queue, int entries, Map<String, String> headers) {
        super((carrier, name, value) -> headers.put(name, value), Kind.PRODUCER);
        this.queue = queue;
        this.entries = entries;
        setCarrier(headers);
    }

    Stopwatch stopwatch() {
        return stopwatch;
    }

    /** Name of the queue. */
    public String queue() {
        return queue;
    }

    /** Returns how many entries. */
    public int entries() {
        return entries;
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
