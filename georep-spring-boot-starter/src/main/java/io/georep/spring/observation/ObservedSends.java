package io.georep.spring.observation;

import io.georep.model.EntryId;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Observes sends, and lets their trace context travel with the entries. */
public final class ObservedSends implements SendInterceptor {
    private static final SendConvention DEFAULT = new SendConvention();

    private final ObservationRegistry registry;
    private final @Nullable SendConvention convention;

    public ObservedSends(ObservationRegistry registry, @Nullable SendConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        if (registry.isNoop()) {
            return next.send(call);
        }
        SendOptions options = call.options();
        Map<String, String> headers = new LinkedHashMap<>(options.values().headers());
        int entries = call.payloads().size();
        Observation observation = GeoRepObservation.SEND.observation(
                convention, DEFAULT, () -> new SendContext(call.queue(), entries, headers), registry);
        observation.start();
        List<CompletionStage<EntryId>> stages;
        Observation.Scope scope = observation.openScope();
        try {
            stages = next.send(call.with(options.headers(headers)));
        } catch (Throwable e) {
            observation.error(e);
            observation.stop();
            throw e;
        } finally {
            scope.close();
        }
        AtomicInteger open = new AtomicInteger(stages.size());
        for (CompletionStage<EntryId> stage : stages) {
            stage.whenComplete((id, error) -> {
                if (error != null) {
                    observation.error(error);
                }
                if (open.decrementAndGet() == 0) {
                    observation.stop();
                }
            });
        }
        return stages;
    }
}
