package io.georep.spring.observation;

import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.micrometer.observation.ObservationRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes sends, and lets their trace context travel with the entries. */
public final class ObservedSends implements SendInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(ObservedSends.class);

    private final ObservationRegistry registry;
    private final @Nullable SendConvention convention;
    private final SendConvention byDefault = new SendConvention();
    private final LimitedLog failures = new LimitedLog(LOG);

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
        Observed observed = Observed.begin(
                registry,
                failures,
                call.queue(),
                () -> GeoRepObservation.SEND.observation(
                        convention, byDefault, () -> new SendContext(call.queue(), entries, headers), registry));
        if (observed == null) {
            return next.send(call); // who watches keeps nobody from sending
        }
        List<CompletionStage<EntryId>> stages;
        try {
            boolean more = !headers.equals(options.values().headers());
            stages = next.send(more ? call.with(options.headers(headers)) : call);
        } catch (Throwable e) {
            observed.ended(e);
            throw e;
        } finally {
            observed.close();
        }
        return ended(stages, observed);
    }

    /** All stages end the one observation, the last of those that fail with its error. */
    private static List<CompletionStage<EntryId>> ended(List<CompletionStage<EntryId>> stages, Observed observed) {
        if (stages.size() == 1) {
            stages.get(0).whenComplete((id, error) -> observed.ended(error));
            return stages;
        }
        AtomicInteger open = new AtomicInteger(stages.size());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (CompletionStage<EntryId> stage : stages) {
            stage.whenComplete((id, error) -> {
                if (error != null) {
                    failure.set(error);
                }
                if (open.decrementAndGet() == 0) {
                    observed.ended(failure.get());
                }
            });
        }
        return stages;
    }
}
