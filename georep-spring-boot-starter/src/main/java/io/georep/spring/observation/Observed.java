package io.georep.spring.observation;

import io.georep.logging.LimitedLog;
import io.georep.spring.listener.HandlerAdvice;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One observation that has begun, and the scope of the thread that began it. What handlers of observations throw is logged and
 * changes nothing: neither what is observed, nor which scope is the thread's afterwards.
 */
final class Observed implements HandlerAdvice.Call {
    private final ObservationRegistry registry;
    private final LimitedLog failures;
    private final Observation observation;
    private final Observation.@Nullable Scope before;
    private Observation.@Nullable Scope scope;

    private Observed(ObservationRegistry registry, LimitedLog failures, Observation observation) {
        this.registry = registry;
        this.failures = failures;
        this.observation = observation;
        this.before = registry.getCurrentObservationScope();
    }

    /** Begins an observation; null if that fails, and then nothing is left of it. */
    static @Nullable Observed begin(
            ObservationRegistry registry, LimitedLog failures, String queue, Supplier<Observation> unstarted) {
        Observed observed = null;
        try {
            observed = new Observed(registry, failures, unstarted.get());
            observed.observation.start();
            observed.scope = observed.observation.openScope();
            return observed;
        } catch (Throwable e) {
            failures.error("Queue {}: what happens to entries cannot be observed", queue, e);
            if (observed != null) {
                // Other handlers have begun: one that never hears of the end keeps its span on the thread, or a timer
                // for ever.
                observed.scope = registry.getCurrentObservationScope();
                observed.close();
                observed.ended(null);
            }
            return null;
        }
    }

    @Override
    public void ended(@Nullable Throwable error) {
        if (error != null) {
            try {
                observation.error(error);
            } catch (Throwable e) {
                failed(e);
            }
        }
        try {
            observation.stop();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void close() {
        Observation.Scope opened = scope;
        if (opened != null && opened != before) {
            try {
                opened.close();
            } catch (Throwable e) {
                failed(e);
            }
        }
        registry.setCurrentObservationScope(before);
    }

    private void failed(Throwable error) {
        failures.error("A handler of observations failed", error);
    }
}
