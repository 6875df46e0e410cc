package io.georep.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the same meters for sends and calls of listeners as Micrometer's own handler. That one makes tags and looks for its meters
 * twice for each observation, and these are as many as there are entries; here the meters stay at hand. Thread-safe.
 */
public final class EntryTimers implements MeterObservationHandler<Observation.Context> {
    /** What tells one timer from another. There are as many as the registry has meters. */
    private record Key(String name, KeyValues tags, String error) {}

    private static final String NO_ERROR = "none";

    private final MeterRegistry registry;
    private final boolean underWay;
    private final DefaultMeterObservationHandler events;
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();
    private final Map<Key, LongTaskTimer> underWayTimers = new ConcurrentHashMap<>();

    /**
     * Makes meters when the first of their observations comes.
     *
     * @param ignored what Micrometer's own handler would not make either
     */
    public EntryTimers(MeterRegistry registry, Set<IgnoredMeters> ignored) {
        this.registry = registry;
        this.underWay = !ignored.contains(IgnoredMeters.LONG_TASK_TIMER);
        this.events = new DefaultMeterObservationHandler(registry, ignored.toArray(IgnoredMeters[]::new));
        registry.config().onMeterRemoved(removed -> {
            timers.clear();
            underWayTimers.clear();
        });
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof SendContext || context instanceof ForwardContext;
    }

    @Override
    public void onStart(Observation.Context context) {
        Stopwatch stopwatch = stopwatch(context);
        if (underWay) {
            Key key = key(context, "");
            LongTaskTimer timer = underWayTimers.get(key);
            stopwatch.underWay = (timer == null ? underWayTimers.computeIfAbsent(key, this::underWay) : timer).start();
        }
        stopwatch.startNanos = registry.config().clock().monotonicTime();
    }

    @Override
    public void onEvent(Observation.Event event, Observation.Context context) {
        events.onEvent(event, context);
    }

    @Override
    public void onStop(Observation.Context context) {
        Stopwatch stopwatch = stopwatch(context);
        long nanos = registry.config().clock().monotonicTime() - stopwatch.startNanos;
        Throwable error = context.getError();
        Key key = key(context, error == null ? NO_ERROR : error.getClass().getSimpleName());
        Timer timer = timers.get(key);
        (timer == null ? timers.computeIfAbsent(key, this::timer) : timer).record(nanos, TimeUnit.NANOSECONDS);
        if (stopwatch.underWay instanceof LongTaskTimer.Sample sample) {
            sample.stop();
        }
    }

    private static Stopwatch stopwatch(Observation.Context context) {
        return context instanceof SendContext send ? send.stopwatch() : ((ForwardContext) context).stopwatch();
    }

    private static Key key(Observation.Context context, String error) {
        return new Key(Objects.requireNonNull(context.getName()), context.getLowCardinalityKeyValues(), error);
    }

    private LongTaskTimer underWay(Key key) {
        return registry.more().longTaskTimer(key.name() + ".active", tags(key));
    }

    private Timer timer(Key key) {
        List<Tag> tags = tags(key);
        tags.add(Tag.of("error", key.error()));
        return registry.timer(key.name(), tags);
    }

    private static List<Tag> tags(Key key) {
        List<Tag> tags = new ArrayList<>();
        for (KeyValue value : key.tags()) {
            tags.add(Tag.of(value.getKey(), value.getValue()));
        }
        return tags;
    }
}
