package io.georep.spring.observation;

import io.georep.logging.LimitedLog;
import io.georep.outbox.Delivery;
import io.georep.spring.listener.HandlerAdvice;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes calls of listeners as children of the sends, wherever those happened. */
public final class ObservedHandlers implements HandlerAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(ObservedHandlers.class);

    private final ObservationRegistry registry;
    private final @Nullable ForwardConvention convention;
    private final ForwardConvention byDefault = new ForwardConvention();
    private final LimitedLog failures = new LimitedLog(LOG);

    public ObservedHandlers(ObservationRegistry registry, @Nullable ForwardConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public Call begin(String queue, String listener, List<? extends Delivery<?>> deliveries) {
        if (registry.isNoop()) {
            return NoCall.INSTANCE;
        }
        Observed observed = Observed.begin(
                registry,
                failures,
                queue,
                () -> GeoRepObservation.FORWARD.observation(
                        convention, byDefault, () -> new ForwardContext(queue, listener, deliveries), registry));
        return observed == null ? NoCall.INSTANCE : observed; // who watches keeps nobody from forwarding
    }
}
