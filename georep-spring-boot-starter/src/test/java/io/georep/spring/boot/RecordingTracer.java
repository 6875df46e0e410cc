package io.georep.spring.boot;

import io.georep.spring.observation.ForwardContext;
import io.georep.spring.observation.SendContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Does what a tracer does with the two ends of an observation across nodes. */
final class RecordingTracer implements ObservationHandler<Observation.Context> {
    final List<String> received = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(Observation.Context context) {
        if (context instanceof SendContext send) {
            send.getSetter().set(send.getCarrier(), "traceparent", "trace-1");
        }
    }

    @Override
    public void onStop(Observation.Context context) {
        if (context instanceof ForwardContext forward) {
            received.add(forward.queue() + " from " + forward.getGetter().get(forward.getCarrier(), "traceparent"));
        }
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }
}
