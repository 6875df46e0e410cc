package io.georep.spring.observation;

import io.georep.spi.LimitedLog;
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
    private final Observation.Scope scope;

    private Observed(
            ObservationRegistry registry,
            LimitedLog failures,
            Observation observation,
            Observation.@Nullable Scope before,
            Observation.Scope scope) {
        this.registry = registry;
        this.failures = failures;
        this.observation = observation;
        this.before = before;
        this.scope = scope;
    }

    /** Begins an observation; null if that fails. */
    static @Nullable Observed begin(
            ObservationRegistry registry, LimitedLog failures, String queue, Supplier<Observation> unstarted) {
        Observation.Scope before = registry.getCurrentObservationScope();
        try {
            Observation observation = unstarted.get().start();
            return new Observed(registry, failures, observation, before, observation.openScope());
        } catch (RuntimeException e) {
            registry.setCurrentObservationScope(before);
            failures.error("Queue {}: what happens to entries cannot be observed", queue, e);
            return null;
        }
    }

    @Override
    public void ended(@Nullable Throwable error) {
        quietly(() -> {
            if (error != null) {
                observation.error(error);
            }
        });
        quietly(observation::stop);
    }

    @Override
    public void close() {
        quietly(scope::close);
        registry.setCurrentObservationScope(before);
    }

    private void quietly(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failures.error("A handler of observations failed", e);
        }
    }
}
